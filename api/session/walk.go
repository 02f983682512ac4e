package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mediadesk/api"
)

// A Filter selects files of a folder. The zero Filter selects all but hidden ones. A pattern
// without a slash matches names of files or (Exclude) of folders with their contents. A pattern
// with a slash matches the path below the walked folder; ** stands for any number of folders. Case
// is ignored, since cameras write IMG.JPG.
type Filter struct {
	Include []string // only files that match one of them; empty for all
	Exclude []string // not these, even if included

	MinSize, MaxSize int64     // in bytes; 0 for no limit
	Newer, Older     time.Time // only files changed after Newer and before Older; zero for no limit
}

// TakesFile reports whether the filter selects a file of that size in bytes and time.
func (f Filter) TakesFile(size int64, modified time.Time) bool {
	return size >= f.MinSize && (f.MaxSize == 0 || size <= f.MaxSize) &&
		(f.Newer.IsZero() || modified.After(f.Newer)) && (f.Older.IsZero() || modified.Before(f.Older))
}

// Takes reports whether the filter selects a stored file by its path below a folder, size and time.
func (f Filter) Takes(file *api.File, rel string) bool {
	return f.takesBelow(rel) && (file.IsFolder() || f.TakesFile(file.Size.Or(0), file.Updated()))
}

// Check reports an invalid pattern.
func (f Filter) Check() error {
	for _, pattern := range slices.Concat(f.Include, f.Exclude) {
		if pattern == "" {
			return errors.New("a pattern is empty: write one such as *.jpg")
		}
		for _, part := range strings.Split(pattern, "/") {
			if _, err := path.Match(part, ""); err != nil {
				return fmt.Errorf("invalid pattern %.120q: * stands for any characters, ? for one, [a-z] for one of those; a bracket must be closed", pattern)
			}
		}
	}
	return nil
}

func (f Filter) takes(rel string) bool {
	return (len(f.Include) == 0 || matchAny(f.Include, rel)) && !matchAny(f.Exclude, rel)
}

// takesBelow is takes for a path that may have excluded folders.
func (f Filter) takesBelow(rel string) bool {
	for at := path.Dir(rel); at != "." && at != "/"; at = path.Dir(at) {
		if matchAny(f.Exclude, at) {
			return false
		}
	}
	return f.takes(rel)
}

func matchAny(patterns []string, rel string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matchPath(p, rel) })
}

func matchPath(pattern, rel string) bool {
	pattern, rel = strings.ToLower(pattern), strings.ToLower(rel)
	if !strings.Contains(strings.TrimSuffix(pattern, "/"), "/") {
		ok, _ := path.Match(strings.TrimSuffix(pattern, "/"), path.Base(rel)) // patterns are valid here
		return ok
	}
	return matchParts(strings.Split(strings.Trim(pattern, "/"), "/"), strings.Split(rel, "/"))
}

func matchParts(pattern, parts []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for i := range len(parts) + 1 {
				if matchParts(pattern[1:], parts[i:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 {
			return false
		}
		if ok, _ := path.Match(pattern[0], parts[0]); !ok {
			return false
		}
		pattern, parts = pattern[1:], parts[1:]
	}
	return len(parts) == 0
}

// Tree holds the contents of a folder for sending.
type Tree struct {
	Sources  []api.Source // sorted by path; Sub has the folder
	Hidden   int          // files and folders skipped because of a leading dot
	Excluded int          // files and folders skipped by the filter
	Links    []string     // labels of symbolic links, which are skipped
	Bad      []error      // *SourceError of unreadable folders
}

// WalkFolder finds the files of a folder at any depth. It follows no links, which may lead out of the
// folder or in circles. Special files are included; sending reports why they cannot be sent. label is
// the name to show for root, or "" for root itself. The error is about root, the filter or ctx.
func WalkFolder(ctx context.Context, root, label string, f Filter) (Tree, error) {
	w := walker{root: root, label: cmp.Or(label, root), filter: f}
	if err := f.Check(); err != nil {
		return w.tree, err
	}
	info, err := os.Stat(root)
	if err != nil {
		return w.tree, api.NewSourceError(w.label, err)
	}
	if !info.IsDir() {
		return w.tree, &api.SourceError{Path: w.label, Reason: "is not a folder"}
	}
	if err := w.folder(ctx, ""); err != nil {
		return w.tree, err
	}
	slices.SortStableFunc(w.tree.Sources, func(a, b api.Source) int { return strings.Compare(a.Path, b.Path) })
	return w.tree, ctx.Err()
}

type walker struct {
	root, label string
	filter      Filter
	tree        Tree
}

// takesEntry reports whether the filter selects a file by size and time.
func (w *walker) takesEntry(entry fs.DirEntry) bool {
	info, err := entry.Info()
	return err != nil || w.filter.TakesFile(info.Size(), info.ModTime()) // errors are reported later
}

// folder adds the contents of a folder at the relative path rel. The error is why it cannot be read.
func (w *walker) folder(ctx context.Context, rel string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	labelOf := func(rel string) string { return filepath.Join(w.label, filepath.FromSlash(rel)) }
	entries, err := os.ReadDir(filepath.Join(w.root, filepath.FromSlash(rel)))
	if err != nil {
		return api.NewSourceError(labelOf(rel), err)
	}
	for _, entry := range entries {
		inside := path.Join(rel, entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), "."):
			w.tree.Hidden++
		case entry.IsDir() && matchAny(w.filter.Exclude, inside), !entry.IsDir() && !w.filter.takes(inside), !entry.IsDir() && !w.takesEntry(entry):
			w.tree.Excluded++
		case entry.Type()&fs.ModeSymlink != 0:
			w.tree.Links = append(w.tree.Links, labelOf(inside))
		case entry.IsDir():
			if err := w.folder(ctx, inside); err != nil {
				w.tree.Bad = append(w.tree.Bad, err)
			}
		default:
			w.tree.Sources = append(w.tree.Sources, api.Source{Path: filepath.Join(w.root, filepath.FromSlash(inside)), Label: labelOf(inside), Sub: api.SubFolder(rel)})
		}
	}
	return nil
}
