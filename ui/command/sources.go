package command

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mediadesk/api"
)

// argSource makes a source of one word of the command line: an address or a
// path, which need not be there yet.
func argSource(arg string) (api.Source, error) {
	if strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://") {
		if err := api.CheckSourceURL(arg); err != nil {
			return api.Source{}, &exitError{exitUsage, err}
		}
		return api.Source{URL: arg}, nil
	}
	path, err := filepath.Abs(arg)
	if err != nil {
		return api.Source{}, fmt.Errorf("path %q: %w", arg, err)
	}
	return api.Source{Path: path, Label: arg}, nil
}

// expand turns the words of the command line into sources: a folder becomes
// the files in it, at any depth, and - becomes a file in the folder spool with
// what standard input gave.
func expand(args []string, stdin io.Reader, spool string) (sources []api.Source, err error) {
	usedStdin := false
	for _, arg := range args {
		if arg == "-" {
			if usedStdin {
				return nil, usage("standard input (-) stands twice")
			}
			usedStdin = true
			s, err := spoolInput(stdin, spool)
			if err != nil {
				return nil, err
			}
			sources = append(sources, s)
			continue
		}
		s, err := argSource(arg)
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(s.Path); s.URL == "" && err == nil && info.IsDir() {
			inside, err := folderSources(s.Path, arg)
			if err != nil {
				return nil, err
			}
			sources = append(sources, inside...)
			continue
		}
		sources = append(sources, s)
	}
	return sources, nil
}

// folderSources are the files of a folder, without hidden ones.
func folderSources(root, label string) ([]api.Source, error) {
	var sources []api.Source
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("folder %q cannot be read: %w", path, err)
		}
		if path != root && strings.HasPrefix(entry.Name(), ".") {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		sources = append(sources, api.Source{Path: path, Label: filepath.Join(label, rel)})
		return nil
	})
	if err == nil && len(sources) == 0 {
		return nil, &api.SourceError{Path: label, Reason: "holds no files", Help: "Name a folder with files in it; hidden files are left out."}
	}
	return sources, err
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
	if _, err := io.Copy(f, stdin); err != nil {
		os.RemoveAll(own)
		return api.Source{}, fmt.Errorf("standard input could not be read: %w", err)
	}
	if err := f.Sync(); err != nil {
		return api.Source{}, err
	}
	return api.Source{Path: f.Name(), Label: "-"}, nil
}
