package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/pflag"

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
	if path, ok := rule.PathOfAddress(arg); ok {
		return api.Source{Path: path, Label: arg}, nil
	}
	path, err := filepath.Abs(arg)
	if err != nil {
		return api.Source{}, fmt.Errorf("path %q: %w", arg, err)
	}
	_, err = os.Lstat(path)
	if !api.IsWebAddress(arg) && (err == nil || !strings.Contains(arg, "://")) {
		return api.Source{Path: path, Label: arg}, nil
	}
	if err := rule.CheckSourceURL(arg); err != nil {
		return api.Source{}, &exitError{exitUsage, err}
	}
	return api.Source{URL: arg}, nil
}

// sourceList is the result of expanding arguments. Bad has an *api.SourceError for each unreadable
// source.
type sourceList struct {
	session.Tree
	inFolder map[string]bool // paths of sources from a folder
	folders  int
}

// find turns arguments into sources: a folder into its files at any depth, - into a file with the
// data of standard input.
func (p *Program) find(ctx context.Context, args []string, filter session.Filter) (sourceList, error) {
	found := sourceList{inFolder: map[string]bool{}}
	if first := slices.Index(args, "-"); first >= 0 && slices.Contains(args[first+1:], "-") {
		return found, usage("standard input can be read only once: give - once")
	}
	for _, arg := range args {
		s, err := argSource(arg)
		if arg == "-" {
			s, err = p.spoolInput(ctx)
		}
		if info, no := os.Stat(s.Path); err == nil && s.URL == "" && no == nil && info.IsDir() {
			err = found.folder(ctx, s.Path, arg, filter)
		} else if err == nil {
			found.Sources = append(found.Sources, s)
		}
		if bad, ok := errors.AsType[*api.SourceError](err); ok {
			found.Bad = append(found.Bad, bad)
		} else if err != nil {
			return found, err
		}
	}
	return found, nil
}

func (l *sourceList) folder(ctx context.Context, root, label string, filter session.Filter) error {
	tree, err := session.WalkFolder(ctx, root, label, filter)
	if err != nil {
		return err
	}
	l.folders++
	for _, s := range tree.Sources {
		l.inFolder[s.Path] = true
	}
	l.Hidden += tree.Hidden
	l.Excluded += tree.Excluded
	l.Again = append(l.Again, tree.Again...)
	l.Outside = append(l.Outside, tree.Outside...)
	l.Bad = append(l.Bad, tree.Bad...)
	l.Sources = append(l.Sources, tree.Sources...)
	switch {
	case len(tree.Sources)+len(tree.Bad) > 0:
		return nil
	case tree.Excluded > 0:
		return &api.SourceError{Path: label, Reason: "has no files that match --include and --exclude", Help: "Check the patterns: --dry-run shows what they match."}
	}
	return &api.SourceError{Path: label, Reason: "has no files", Help: "Name a folder with files; hidden files are skipped."}
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
	path, size, err := session.Spool(p.Paths.Spool(), "stdin", func(w io.Writer) (int64, error) {
		return p.copyInput(ctx, w)
	})
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
	for _, plan := range plans {
		if dir := filepath.Dir(plan.Source.Path); filepath.Dir(dir) == p.Paths.Spool() {
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
	to := text.Either(o.p.TerminalErr, o.p.Stderr, o.p.Stdout)
	if !o.p.TerminalErr && !o.p.TerminalOut {
		o.p.note("Nothing was copied: --copy needs a terminal.")
		return
	}
	_, _ = io.WriteString(to, ansi.SetSystemClipboard(strings.Join(lines, "\n"))) // nothing confirms it
	o.p.note("Copied %s to the clipboard.", text.Plural(len(lines), "link"))
}

// addSelection adds the flags that select files of folders, the same in all commands.
func addSelection(fl *pflag.FlagSet, f *session.Filter) {
	valid := func(string) error { return f.Check() }
	fl.Func("include", "`PATTERN`: in folders, select only matching files, such as '*.jpg' or 'a/**' (repeatable)", repeated(&f.Include, valid))
	fl.Func("exclude", "`PATTERN`: in folders, skip matching files and folders (repeatable)", repeated(&f.Exclude, valid))
	fl.Func("min-size", "`SIZE`: in folders, select only files of at least this size, such as 100k or 2M", parsed(&f.MinSize, parseSize))
	fl.Func("max-size", "`SIZE`: in folders, select only files of at most this size", parsed(&f.MaxSize, parseSize))
	fl.Func("newer-than", "`AGE`: in folders, select only files that changed within this time (90m, 24h, 7d, 2w) or since a day such as 2026-06-01", parsed(&f.Newer, parseAge))
	fl.Func("older-than", "`AGE`: in folders, select only files that did not change within this time or since a day", parsed(&f.Older, parseAge))
}

// parsed returns the function of a flag that stores a parsed value.
func parsed[T any](into *T, parse func(string) (T, error)) func(string) error {
	return func(value string) (err error) {
		*into, err = parse(value)
		return err
	}
}

// repeated returns the function of a repeatable flag. It adds each value to a list and checks it.
func repeated(list *[]string, check func(string) error) func(string) error {
	return func(value string) error {
		*list = append(*list, value)
		return check(value)
	}
}

func selects(f session.Filter) bool { return !reflect.ValueOf(f).IsZero() }

// parseSize returns a number of bytes; k, M and G stand for powers of 1024.
func parseSize(content string) (int64, error) {
	n, err := rule.SearchSize(strings.TrimSuffix(strings.ToLower(content), "b") + "b")
	if err != nil {
		err = fmt.Errorf("give a size such as 500, 100k or 2M, not %q", content)
	}
	return n, err
}

// parseAge returns the time of an age before now, or of a day.
func parseAge(content string) (time.Time, error) {
	if day, err := time.ParseInLocation(time.DateOnly, content, time.Local); err == nil {
		return day, nil
	}
	age, err := time.ParseDuration(content)
	for unit, hours := range map[string]int{"d": 24, "w": 7 * 24} {
		if number, ok := strings.CutSuffix(content, unit); ok {
			var n int
			n, err = strconv.Atoi(number)
			age = time.Duration(n*hours) * time.Hour
		}
	}
	if err != nil {
		err = fmt.Errorf("give an age such as 90m, 7d or 2w, or a day such as 2026-06-01, not %q", content)
	}
	return time.Now().Add(-age), err
}
