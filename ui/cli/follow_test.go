package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/session"
)

// TestFolderWatch: a file is complete when two scans find the same size and time. An earlier file
// is ignored until it changes.
func TestFolderWatch(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	write := func(name, content string) {
		t.Helper()
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(content), 0o600))
		at = at.Add(time.Second) // some file systems store coarse times
		must(t, os.Chtimes(path, at, at))
	}
	w := folderWatch{
		folders: []api.Source{{Path: dir}}, filter: session.Filter{Exclude: []string{"*.log"}},
		bad: map[string]bool{},
	}
	look := func(want string) {
		t.Helper()
		finished, problems, err := w.refresh(t.Context())
		if err != nil || len(problems) > 0 {
			t.Fatal(problems, err)
		}
		var names []string
		for _, source := range finished {
			names = append(names,
				strings.TrimPrefix(filepath.ToSlash(source.Path), filepath.ToSlash(dir)+"/"))
		}
		slices.Sort(names)
		mediatest.Equal(t, strings.Join(names, " "), want, "finished")
	}
	write("old.png", "old")
	look("")
	look("")
	write("new.png", "n")
	write("in/deep.png", "deep")
	write("empty.png", "")
	write("load.png.part", "half")
	write("x.log", "log")
	write(".hidden", "h")
	look("")
	write("new.png", "new") // it grows
	look("in/deep.png")
	look("new.png")
	look("")
	write("empty.png", "full")
	write("old.png", "changed")
	look("")
	look("empty.png old.png")
	// A file that returns is a new file, and one that is renamed into place is complete.
	must(t, os.Remove(filepath.Join(dir, "new.png")))
	must(t, os.Rename(filepath.Join(dir, "load.png.part"), filepath.Join(dir, "load.png")))
	look("")
	write("new.png", "again")
	look("load.png")
	look("new.png")
	must(t, os.RemoveAll(dir))
	if _, _, err := w.refresh(t.Context()); err == nil {
		t.Error("a deleted folder: got no error")
	}
}

var must = mediatest.Must
