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

// foldersPath is the file with the folders that were shown last, one on a line;
// empty where there is no place for it.
func (m *Model) foldersPath() string {
	if m.o.Paths.State == "" {
		return ""
	}
	return filepath.Join(m.o.Paths.State, "folders")
}

// earlierFolders are the folders that earlier runs showed, newest first.
func (m *Model) earlierFolders() ([]string, error) {
	text, err := os.ReadFile(m.foldersPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' }), nil
}

// keepFolders adds the folders that this run showed. Another program may have
// written meanwhile, and one may be reading.
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
