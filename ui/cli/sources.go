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

// argSource makes a source of one word of the command line: an address or a
// path, which need not be there yet.
func argSource(arg string) (api.Source, error) {
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

// expand turns the words of the command line into sources: a folder becomes
// the files in it, at any depth, and - becomes a file in the folder spool with
// what standard input gave. The first thing that cannot be looked into is the
// error.
func expand(args []string, stdin io.Reader, spool string) ([]api.Source, error) {
	found, err := find(context.Background(), args, stdin, spool, session.Filter{})
	if err == nil && len(found.bad) > 0 {
		err = found.bad[0]
	}
	return found.sources, err
}

// sourceList is what the words of the command line stand for.
type sourceList struct {
	sources  []api.Source
	inFolder map[string]bool // paths of sources that came from a folder
	bad      []error         // *api.SourceError of what could not be looked into
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
				return found, usage("standard input (-) stands twice")
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
		help := "Name a folder with files in it; hidden files are left out."
		reason := "holds no files"
		if tree.Excluded > 0 {
			reason, help = "holds no files that --include and --exclude let through", "Look at the patterns: --dry-run shows what would go."
		}
		l.bad = append(l.bad, &api.SourceError{Path: label, Reason: reason, Help: help})
	}
	for _, s := range tree.Sources {
		l.inFolder[s.Path] = true
	}
	l.sources = append(l.sources, tree.Sources...)
	return nil
}

// spoolInput writes standard input into a file, since an upload needs to know
// its length and may have to be sent again.
func spoolInput(stdin io.Reader, dir string) (api.Source, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return api.Source{}, err
	}
	// A folder of its own lets the file have a name that a person knows.
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
		err = fmt.Errorf("standard input could not be read, or not be kept: %w", err)
	case size == 0:
		err = &api.SourceError{Path: "-", Reason: "(standard input) is empty: there is nothing to store", Help: "Look at what should have written it."}
	default:
		err = f.Sync()
	}
	if err != nil {
		os.RemoveAll(own)
		return api.Source{}, err
	}
	return api.Source{Path: f.Name(), Label: "-"}, nil
}

// unspool removes what was kept of standard input, where plans hold it that are
// not sent.
func (p *Program) unspool(plans []planned) {
	for _, one := range plans {
		if dir := filepath.Dir(one.upload.Source.Path); filepath.Dir(dir) == p.spool() {
			os.RemoveAll(dir)
		}
	}
}
