package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/terminal"
	"mediadesk/ui/text"
)

// argSource returns the source for an argument: an address, or a path, which need not exist.
func argSource(arg string) (api.Source, error) {
	if arg == "" {
		return api.Source{}, usage("a source is empty: check the variable that it comes from")
	}
	if api.IsWebAddress(arg) {
		if err := rule.CheckSourceURL(arg); err != nil {
			return api.Source{}, &exitError{exitUsage, err}
		}
		return api.Source{URL: arg}, nil
	}
	if path, ok := rule.PathOfAddress(arg); ok {
		return api.Source{Path: path, Label: arg}, nil
	}
	path, err := filepath.Abs(arg)
	if err != nil {
		return api.Source{}, fmt.Errorf("path %q: %w", arg, err)
	}
	if _, err := os.Lstat(path); err != nil && strings.Contains(arg, "://") {
		return api.Source{}, &exitError{exitUsage, rule.CheckSourceURL(arg)}
	}
	return api.Source{Path: path, Label: arg}, nil
}

// expand turns arguments into sources: a folder into its files at any depth, - into a file with the
// data of standard input. It fails with the first unreadable source.
func (p *Program) expand(ctx context.Context, args []string) ([]api.Source, error) {
	found, err := p.find(ctx, args, session.Filter{})
	if err == nil && len(found.Bad) > 0 {
		err = found.Bad[0]
	}
	return found.Sources, err
}

// sourceList is the result of expanding arguments. Bad has an *api.SourceError for each unreadable
// source.
type sourceList struct {
	session.Tree
	inFolder map[string]bool // paths of sources from a folder
	folders  int
}

func (p *Program) find(ctx context.Context, args []string, filter session.Filter) (sourceList, error) {
	found := sourceList{inFolder: map[string]bool{}}
	for _, arg := range args {
		if arg == "-" {
			s, err := p.spoolInput(ctx)
			var nothing *api.SourceError
			switch {
			case errors.As(err, &nothing):
				found.Bad = append(found.Bad, nothing)
			case err != nil:
				return found, err
			default:
				found.Sources = append(found.Sources, s)
			}
			continue
		}
		s, err := argSource(arg)
		if err != nil {
			return found, err
		}
		if info, err := os.Stat(s.Path); s.URL == "" && err == nil && info.IsDir() {
			if err := found.folder(ctx, s.Path, arg, filter); err != nil {
				return found, err
			}
			continue
		}
		found.Sources = append(found.Sources, s)
	}
	return found, nil
}

func (l *sourceList) folder(ctx context.Context, root, label string, filter session.Filter) error {
	tree, err := session.WalkFolder(ctx, root, label, filter)
	var bad *api.SourceError
	switch {
	case errors.As(err, &bad):
		l.Bad = append(l.Bad, bad)
		return nil
	case err != nil:
		return err
	}
	l.folders++
	if len(tree.Sources) == 0 && len(tree.Bad) == 0 {
		reason, help := "has no files", "Name a folder with files; hidden files are skipped."
		if tree.Excluded > 0 {
			reason, help = "has no files that match --include and --exclude", "Check the patterns: --dry-run shows what they match."
		}
		tree.Bad = []error{&api.SourceError{Path: label, Reason: reason, Help: help}}
	}
	for _, s := range tree.Sources {
		l.inFolder[s.Path] = true
	}
	l.Hidden += tree.Hidden
	l.Excluded += tree.Excluded
	l.Again = append(l.Again, tree.Again...)
	l.Outside = append(l.Outside, tree.Outside...)
	l.Bad = append(l.Bad, tree.Bad...)
	l.Sources = append(l.Sources, tree.Sources...)
	return nil
}

// copyInput copies standard input to w until its end or the end of ctx.
func (p *Program) copyInput(ctx context.Context, w io.Writer) (size int64, err error) {
	if f, ok := p.Stdin.(*os.File); ok && term.IsTerminal(f.Fd()) {
		fmt.Fprintln(p.Stderr, "mediadesk: reading from the terminal. End with ctrl+d; ctrl+c cancels.")
	}
	_, err = terminal.Ask(ctx, p.Stdin, func() (string, error) {
		n, err := io.Copy(w, p.Stdin)
		size = n
		return "", err
	})
	if err != nil {
		return 0, fmt.Errorf("cannot copy standard input: %w", err)
	}
	return size, nil
}

func (p *Program) spoolInput(ctx context.Context) (api.Source, error) {
	path, size, err := session.Spool(p.Paths.Spool(), "stdin", func(w io.Writer) (int64, error) { return p.copyInput(ctx, w) })
	switch {
	case err != nil:
		return api.Source{}, err
	case size == 0:
		os.RemoveAll(filepath.Dir(path))
		return api.Source{}, &api.SourceError{Path: "-", Reason: "(standard input) is empty", Help: "Check the command that should write it."}
	}
	return api.Source{Path: path, Label: "-"}, nil
}

// unspool removes unsent copies of standard input and the clipboard.
func (p *Program) unspool(plans []planned) {
	for _, one := range plans {
		if dir := filepath.Dir(one.Source.Path); filepath.Dir(dir) == p.Paths.Spool() {
			os.RemoveAll(dir)
		}
	}
}

var copyForms = map[string]func(*api.File) string{
	"url":      func(f *api.File) string { return f.URL },
	"markdown": rule.Markdown,
	"html":     rule.HTML,
}

// copy copies the addresses of stored files to the terminal's clipboard in a format of copyForms.
// An empty form does nothing.
func (o *uploadOutput) copy(form string) {
	if form == "" {
		return
	}
	var lines []string
	for _, f := range o.files {
		if line := copyForms[form](f); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		o.p.note("Nothing was copied: no stored file has a URL.")
		return
	}
	var to io.Writer
	switch {
	case o.p.TerminalErr:
		to = o.p.Stderr
	case o.p.TerminalOut:
		to = o.p.Stdout
	default:
		o.p.note("Nothing was copied: --copy needs a terminal.")
		return
	}
	_, _ = io.WriteString(to, ansi.SetSystemClipboard(strings.Join(lines, "\n"))) // terminals do not confirm it
	o.p.note("Copied %s to the clipboard.", text.Plural(len(lines), "link"))
}
