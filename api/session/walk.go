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
	"mediadesk/api/rule"
)

// A Filter selects files of a folder. The zero Filter selects all but hidden ones. A pattern
// without a slash matches names of files or (Exclude) of folders with their contents. A pattern
// with a slash matches the path below the walked folder; ** stands for any number of folders. Case
// is ignored, since cameras write IMG.JPG.
type Filter struct {
	Include []string // only files that match one of them; empty for all
	Exclude []string // not these, even if included
	Inside  bool     // not what links to outside the folder lead to

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
	return f.takesBelow(rel) && (file.IsFolder() || f.TakesFile(file.Size.Or(0), rule.Updated(file)))
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
	rel = strings.ToLower(rel)
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		pattern = strings.ToLower(pattern)
		if name := strings.TrimSuffix(pattern, "/"); !strings.Contains(name, "/") {
			ok, _ := path.Match(name, path.Base(rel)) // patterns are valid here
			return ok
		}
		return matchParts(strings.Split(strings.Trim(pattern, "/"), "/"), strings.Split(rel, "/"))
	})
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
	Again    []string     // labels of links to folders already included
	Outside  []string     // "LABEL → PATH" for links that leave the folder; see Source.Beyond
	Bad      []error      // *SourceError of unreadable folders
}

// WalkFolder finds the files of a folder at any depth. A link to a file counts as a file. Each
// folder is entered once, so circular links end. Special files are included; sending reports why
// they cannot be sent. label is the name to show for root, or "" for root itself. The error is
// about root, the filter or ctx.
func WalkFolder(ctx context.Context, root, label string, f Filter) (Tree, error) {
	label = cmp.Or(label, root)
	w := walker{
		ctx: ctx, root: root, label: label, filter: f, visited: map[string]bool{},
		outside: map[string]string{},
	}
	if err := f.Check(); err != nil {
		return w.tree, err
	}
	info, err := os.Stat(root)
	if err != nil {
		return w.tree, api.NewSourceError(label, err)
	}
	if !info.IsDir() {
		return w.tree, &api.SourceError{Path: label, Reason: "is not a folder"}
	}
	if w.real, err = filepath.EvalSymlinks(root); err != nil {
		return w.tree, api.NewSourceError(label, err)
	}
	w.enter(root, info)
	if err := w.folder(""); err != nil {
		return w.tree, err
	}
	// Links come last, so that their targets keep their own place.
	for len(w.links) > 0 && ctx.Err() == nil {
		rel := w.links[0]
		w.beyond = w.outside[rel]
		w.links = w.links[1:]
		name := filepath.Join(root, filepath.FromSlash(rel))
		if info, err := os.Stat(name); err != nil {
			w.tree.Bad = append(w.tree.Bad, api.NewSourceError(w.called(rel), err))
		} else {
			w.visit(name, rel, info)
		}
	}
	slices.SortStableFunc(w.tree.Sources, func(a, b api.Source) int { return strings.Compare(a.Path, b.Path) })
	return w.tree, ctx.Err()
}

type walker struct {
	ctx         context.Context
	root, label string
	real        string // root without links
	filter      Filter
	visited     map[string]bool   // visited folders by identity
	links       []string          // to folders, relative to root
	outside     map[string]string // where links lead that leave root
	beyond      string            // the one that is followed
	tree        Tree
}

func (w *walker) called(rel string) string { return filepath.Join(w.label, filepath.FromSlash(rel)) }

func (w *walker) enter(name string, info fs.FileInfo) bool {
	id := api.IdentityOf(info)
	key := fmt.Sprint(id.Device, " ", id.Inode)
	if id.Inode == 0 {
		key = name
		if real, err := filepath.EvalSymlinks(name); err == nil {
			key = real
		}
	}
	if w.visited[key] {
		return false
	}
	w.visited[key] = true
	return true
}

func (w *walker) takes(name, rel string) bool {
	if !w.filter.takes(rel) {
		return false
	}
	info, err := os.Stat(name)
	return err != nil || w.filter.TakesFile(info.Size(), info.ModTime()) // errors are reported later
}

// leaves reports whether a link leads out of the walked folder, and notes where.
func (w *walker) leaves(name, rel string) bool {
	to, err := filepath.EvalSymlinks(name)
	if err != nil || to == w.real || strings.HasPrefix(to,
		strings.TrimSuffix(w.real, string(filepath.Separator))+string(filepath.Separator)) {
		return false
	}
	w.tree.Outside, w.outside[rel] = append(w.tree.Outside, w.called(rel)+" → "+to), to
	return true
}

// visit adds the contents of a folder, unless it was entered before.
func (w *walker) visit(name, rel string, info fs.FileInfo) {
	if info != nil && !w.enter(name, info) {
		w.tree.Again = append(w.tree.Again, w.called(rel))
	} else if err := w.folder(rel); err != nil {
		w.tree.Bad = append(w.tree.Bad, err)
	}
}

// folder adds the contents of a folder at the relative path rel. The error is why it cannot be
// read.
func (w *walker) folder(rel string) error {
	if w.ctx.Err() != nil {
		return w.ctx.Err()
	}
	entries, err := os.ReadDir(filepath.Join(w.root, filepath.FromSlash(rel)))
	if err != nil {
		return api.NewSourceError(w.called(rel), err)
	}
	for _, entry := range entries {
		inside := path.Join(rel, entry.Name())
		name := filepath.Join(w.root, filepath.FromSlash(inside))
		if strings.HasPrefix(entry.Name(), ".") {
			w.tree.Hidden++
			continue
		}
		isFolder := entry.IsDir()
		link := entry.Type()&fs.ModeSymlink != 0
		if link {
			info, err := os.Stat(name)
			isFolder = err == nil && info.IsDir()
		}
		switch {
		case isFolder && matchAny(w.filter.Exclude, inside), !isFolder && !w.takes(name, inside):
			w.tree.Excluded++
		case link && w.leaves(name, inside) && w.filter.Inside:
		case isFolder && link:
			w.links = append(w.links, inside)
		case isFolder:
			info, _ := entry.Info() // nil if it is gone, which visit notes
			w.visit(name, inside, info)
		default:
			w.tree.Sources = append(w.tree.Sources, api.Source{
				Path: name, Label: w.called(inside),
				Sub: rule.SubFolder(rel), Beyond: cmp.Or(w.outside[inside], w.beyond),
			})
		}
	}
	return nil
}
