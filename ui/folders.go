package ui

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mediadesk/api/atomicfile"
	"mediadesk/ui/screen/picker"
)

// foldersPath returns the file of recently shown folders, one per line; "" if there is no state folder.
func (m *Model) foldersPath() string {
	if m.o.Paths.State == "" {
		return ""
	}
	return filepath.Join(m.o.Paths.State, "folders")
}

// earlierFolders returns the folders of earlier runs, newest first.
func (m *Model) earlierFolders() ([]string, error) {
	text, err := os.ReadFile(m.foldersPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' }), nil
}

// keepFolders adds the folders of this run. Other programs may have written the file, or may be reading it.
func (m *Model) keepFolders() error {
	path := m.foldersPath()
	if path == "" || m.picker == nil {
		return nil
	}
	earlier, err := m.earlierFolders()
	if err != nil {
		return err
	}
	lines := slices.DeleteFunc(picker.Recent(m.picker.Shown(), earlier), func(f string) bool { return strings.Contains(f, "\n") })
	if slices.Equal(lines, earlier) {
		return nil
	}
	return atomicfile.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}
