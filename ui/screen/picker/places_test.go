package picker

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/media"
	"mediadesk/ui/kit"
	"mediadesk/ui/picture"
)

func (d *fixture) typed(text string) {
	d.t.Helper()
	for _, r := range text {
		d.Send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

func TestGoToATypedPath(t *testing.T) {
	dir := folder(t, "alpha/one.jpg", "alpine/", "beta/", "almost.txt", ".hidden/")
	d := start(t, Options{Folder: dir})
	d.Press("c")
	d.Sees("Go to", "alpha/", "alpine/", "almost.txt", "beta/")
	if strings.Contains(d.Text(), ".hidden") || !d.Host.Capturing() {
		t.Error("hidden folders are offered, or letters are keys")
	}
	// Tab completes the first name.
	d.typed("AL")
	d.SeesNot("beta/")
	d.Press("tab")
	if v := over[*kit.Prompt](d).Value(); v != filepath.Join(dir, "alpha")+"/" {
		t.Errorf("completed to %q", v)
	}
	d.Sees("one.jpg")
	d.Press("enter")
	d.under("one.jpg")
	if d.m.shown.folder != filepath.Join(dir, "alpha") || d.Host.Capturing() {
		t.Errorf("in %q", d.m.shown.folder)
	}
	// For a file its folder is shown. A root in the middle starts a new path.
	d.Press("c")
	d.typed(filepath.Join(dir, "almost.txt"))
	d.Press("enter")
	d.under("almost.txt")
	// The arrow keys choose one of the names.
	d.Press("c", "down", "down", "enter")
	if d.m.shown.folder != filepath.Join(dir, "beta") {
		t.Errorf("in %q", d.m.shown.folder)
	}
	d.Press("c")
	d.typed("nowhere/at/all")
	d.Sees("No such folder yet")
	d.Press("esc")
	if d.Host.Capturing() {
		t.Error("esc does not close the field")
	}
	d.m.home = func() (string, error) { return dir, nil }
	d.Press("c")
	d.typed("/~/alpine")
	d.Press("enter")
	if d.m.shown.folder != filepath.Join(dir, "alpine") {
		t.Errorf("~ leads to %q", d.m.shown.folder)
	}
}

func TestFolderIsWatched(t *testing.T) {
	dir := folder(t, "a.jpg", "b.jpg")
	d := start(t, Options{Folder: dir})
	d.Press("j")
	look := func() {
		t.Helper()
		d.Run(d.m.check())
	}
	look()
	gen := d.m.shown.gen
	must(t, os.WriteFile(filepath.Join(dir, "a new one.jpg"), []byte("x"), 0o644))
	later := time.Now().Add(time.Hour)
	must(t, os.Chtimes(dir, later, later))
	look()
	if d.m.shown.gen == gen {
		t.Fatal("the change was not seen")
	}
	d.under("b.jpg")
	equal(t, "rows", d.rows(), []string{"a new one.jpg", "a.jpg", "b.jpg"})
	// A file that grows does not change a folder.
	must(t, os.WriteFile(filepath.Join(dir, "b.jpg"), make([]byte, 5000), 0o644))
	look()
	d.Sees("5 kB")
	// Nothing is read without focus, nor while a folder is opened.
	d.Send(tea.BlurMsg{})
	must(t, os.Remove(filepath.Join(dir, "a.jpg")))
	gen = d.m.shown.gen
	look()
	if d.m.shown.gen != gen {
		t.Error("the folder is read without focus")
	}
	d.Send(tea.FocusMsg{})
	must(t, os.RemoveAll(dir))
	look()
	d.Toasted("nearest folder")
}

func TestContactSheet(t *testing.T) {
	dir := pictures(t)
	must(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o755))
	d := start(t, Options{Folder: dir, Loader: picture.NewLoader(media.Limits{})})
	d.Press("t")
	d.Sees("folder", "sub")
	rows := len(d.rows())
	if !strings.ContainsAny(d.Text(), "▄▀▌▐") || d.m.sheet.Busy() {
		t.Errorf("busy %v:\n%s", d.m.sheet.Busy(), d.Text())
	}
	d.Press("g", "l")
	if d.m.list.Cursor() != 1 {
		t.Errorf("right moved to row %d, want 1", d.m.list.Cursor())
	}
	d.Press("G")
	if d.m.list.Cursor() != rows-1 {
		t.Errorf("the end is %d of %d", d.m.list.Cursor(), rows)
	}
	d.Press("h", "g", "space")
	d.Press("esc")
	if d.m.sheet.On {
		t.Error("esc does not leave the sheet")
	}
	// At every size, with any cursor.
	d.Press("t")
	for _, size := range []image.Point{{1, 1}, {5, 3}, {20, 8}, {40, 10}, {79, 21}, {200, 58}} {
		d.Resize(size)
		d.Press("G", "k", "l", "pgup")
		if got := kit.Size(d.Text()); got.X > size.X || got.Y > size.Y {
			t.Errorf("%v is drawn as %v", size, got)
		}
	}
}
