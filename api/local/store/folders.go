package store

import (
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// Folders reads and writes folders.
type Folders struct{ session }

// At returns the folder at a path.
func (t Folders) At(path string) (*Folder, error) {
	return get[Folder](t.session, "path = ?", norm.NFC.String(path))
}

// Make makes a folder with its missing parents. An existing one is no error.
func (t Folders) Make(path string, now time.Time) error {
	parent := "/"
	for name := range strings.SplitSeq(strings.Trim(norm.NFC.String(path), "/"), "/") {
		if name == "" {
			continue
		}
		full := parent + name + "/"
		_, err := t.exec("INSERT INTO folders (path, parent, id, name, created, updated) VALUES (?,?,?,?,?,?) ON CONFLICT DO NOTHING",
			full, parent, NewID(), name, now.UnixMilli(), now.UnixMilli())
		if err != nil {
			return err
		}
		parent = full
	}
	return nil
}

// Delete deletes a folder with its contents; see Deletion.
func (t Folders) Delete(path string) error {
	path = norm.NFC.String(path)
	first, last := below(path)
	if err := t.change(ErrNotFound, "DELETE FROM folders WHERE path >= ? AND path < ?", first, last); err != nil {
		return err
	}
	if t.changes != nil {
		files, err := firstColumn[string](t.session, "SELECT id FROM files WHERE folder >= ? AND folder < ?", first, last)
		if err != nil {
			return err
		}
		for _, id := range files {
			t.changed(FileDeleted, id, "")
		}
	}
	_, err := Versions(t).delete("file_id IN (SELECT id FROM files WHERE folder >= ? AND folder < ?)", first, last)
	if err != nil {
		return err
	}
	_, err = t.exec("DELETE FROM files WHERE folder >= ? AND folder < ?", first, last)
	return err
}

// LongestPaths returns the file and the folder in a folder whose paths have the most bytes, and the
// folder with the most levels; empty without files.
func (t Folders) LongestPaths(folder string) ([]string, error) {
	first, last := below(norm.NFC.String(folder))
	var paths []string
	for _, query := range []string{
		"SELECT folder || name FROM files WHERE folder >= ? AND folder < ? ORDER BY octet_length(folder) + octet_length(name) DESC LIMIT 1",
		"SELECT path FROM folders WHERE path >= ? AND path < ? ORDER BY octet_length(path) DESC LIMIT 1",
		"SELECT path FROM folders WHERE path >= ? AND path < ? ORDER BY length(path) - length(replace(path, '/', '')) DESC LIMIT 1",
	} {
		found, err := firstColumn[string](t.session, query, first, last)
		if err != nil {
			return nil, err
		}
		paths = append(paths, found...)
	}
	return paths, nil
}

// below returns the bounds of the paths in a folder: "0" is the character after "/".
func below(folder string) (first, last string) {
	return folder, strings.TrimSuffix(folder, "/") + "0"
}
