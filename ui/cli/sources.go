package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"mediadesk/api"
	"mediadesk/api/session"
)

// argSource makes a source of one argument: an address, or a path, which need not
// exist.
func argSource(arg string) (api.Source, error) {
	if arg == "" {
		return api.Source{}, usage("a source is empty: check the variable that it comes from")
	}
	if api.IsWebAddress(arg) {
		if err := api.CheckSourceURL(arg); err != nil {
			return api.Source{}, &exitError{exitUsage, err}
		}
		return api.Source{URL: arg}, nil
	}
	if path, ok := api.PathOfAddress(arg); ok {
		return api.Source{Path: path, Label: arg}, nil
	}
	path, err := filepath.Abs(arg)
	if err != nil {
		return api.Source{}, fmt.Errorf("path %q: %w", arg, err)
	}
	if _, err := os.Lstat(path); err != nil && strings.Contains(arg, "://") {
		return api.Source{}, &exitError{exitUsage, api.CheckSourceURL(arg)}
	}
	return api.Source{Path: path, Label: arg}, nil
}

// expand turns arguments into sources: a folder becomes the files in it, at any
// depth, and - becomes a file in the folder spool with the data of standard input.
// The first source that cannot be read is the error.
func expand(args []string, stdin io.Reader, spool string) ([]api.Source, error) {
	found, err := find(context.Background(), args, stdin, spool, session.Filter{})
	if err == nil && len(found.bad) > 0 {
		err = found.bad[0]
	}
	return found.sources, err
}

// sourceList is what the arguments stand for.
type sourceList struct {
	sources  []api.Source
	inFolder map[string]bool // paths of sources that came from a folder
	bad      []error         // *api.SourceError of what cannot be read
	folders  int
	hidden   int      // files and folders left out because they are hidden
	excluded int      // and because of the filter
	again    []string // links to folders that were taken already
}

func find(ctx context.Context, args []string, stdin io.Reader, spool string, filter session.Filter) (sourceList, error) {
	found := sourceList{inFolder: map[string]bool{}}
	usedStdin := false
	for _, arg := range args {
		if arg == "-" {
			if usedStdin {
				return found, usage("standard input (-) is named twice")
			}
			usedStdin = true
			s, err := spoolInput(stdin, spool)
			var nothing *api.SourceError
			switch {
			case errors.As(err, &nothing):
				found.bad = append(found.bad, nothing)
			case err != nil:
				return found, err
			default:
				found.sources = append(found.sources, s)
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
		found.sources = append(found.sources, s)
	}
	return found, nil
}

// folder takes the files of a folder.
func (l *sourceList) folder(ctx context.Context, root, label string, filter session.Filter) error {
	tree, err := session.WalkFolder(ctx, root, label, filter)
	var bad *api.SourceError
	switch {
	case errors.As(err, &bad):
		l.bad = append(l.bad, bad)
		return nil
	case err != nil:
		return err
	}
	l.folders++
	l.hidden += tree.Hidden
	l.excluded += tree.Excluded
	l.again = append(l.again, tree.Again...)
	l.bad = append(l.bad, tree.Bad...)
	if len(tree.Sources) == 0 && len(tree.Bad) == 0 {
		reason, help := "has no files", "Name a folder with files; hidden files are skipped."
		if tree.Excluded > 0 {
			reason, help = "has no files that match --include and --exclude", "Check the patterns: --dry-run shows what they match."
		}
		l.bad = append(l.bad, &api.SourceError{Path: label, Reason: reason, Help: help})
	}
	for _, s := range tree.Sources {
		l.inFolder[s.Path] = true
	}
	l.sources = append(l.sources, tree.Sources...)
	return nil
}

// spoolInput writes standard input to a file: an upload needs its length, and may
// have to be sent again.
func spoolInput(stdin io.Reader, dir string) (api.Source, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return api.Source{}, err
	}
	// A folder of its own lets the file have a name that users know.
	own, err := os.MkdirTemp(dir, "")
	if err != nil {
		return api.Source{}, err
	}
	f, err := os.Create(filepath.Join(own, "stdin"))
	if err != nil {
		return api.Source{}, err
	}
	defer f.Close()
	size, err := io.Copy(f, stdin)
	switch {
	case err != nil:
		err = fmt.Errorf("cannot copy standard input: %w", err)
	case size == 0:
		err = &api.SourceError{Path: "-", Reason: "(standard input) is empty", Help: "Check the command that should have written it."}
	default:
		err = f.Sync()
	}
	if err != nil {
		os.RemoveAll(own)
		return api.Source{}, err
	}
	return api.Source{Path: f.Name(), Label: "-"}, nil
}

// unspool removes the copies of standard input that plans have which are not sent.
func (p *Program) unspool(plans []planned) {
	for _, one := range plans {
		if dir := filepath.Dir(one.Source.Path); filepath.Dir(dir) == p.spool() {
			os.RemoveAll(dir)
		}
	}
}
