package ui

import (
	"image"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mediadesk/config"
	"mediadesk/ui/page"
	"mediadesk/ui/screen/picker"
	"mediadesk/ui/uitest"
)

// TestFoldersAreKeptForTheNextRun: the next run offers the folders that a run showed, newest
// first, each once.
func TestFoldersAreKeptForTheNextRun(t *testing.T) {
	state := t.TempDir()
	run := func(folder string) {
		t.Helper()
		m := &Model{o: Options{Paths: config.Paths{State: state}}}
		m.picker = picker.New(picker.Options{Folder: folder, Folders: folders{m}})
		uitest.Drive(t, page.Picker, m.picker, image.Pt(80, 24))
		if err := m.keepFolders(); err != nil {
			t.Fatal(err)
		}
	}
	a, b := t.TempDir(), filepath.Join(t.TempDir(), "name with a line\nbreak")
	if err := os.Mkdir(b, 0o755); err != nil {
		t.Skipf("no such names here: %v", err)
	}
	c := t.TempDir()
	for _, folder := range []string{a, b, c, a} {
		run(folder)
	}
	got, err := (&Model{o: Options{Paths: config.Paths{State: state}}}).earlierFolders()
	if want := []string{a, c}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if left, _ := os.ReadDir(state); len(left) != 1 {
		t.Errorf("got files besides the folder list: %v", left)
	}
	// Without a file to write to, nothing is stored, and that is not an error.
	m := &Model{picker: picker.New(picker.Options{})}
	if err := m.keepFolders(); err != nil {
		t.Error(err)
	}
}
