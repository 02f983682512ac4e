package picker

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/picture"
)

func TestGoToATypedPath(t *testing.T) {
	dir := folder(t, "alpha/one.jpg", "almost.txt")
	d := start(t, Options{Folder: dir})
	for _, c := range []struct{ typed, want string }{
		{"alpha", "one.jpg"}, {filepath.Join(dir, "almost.txt"), "almost.txt"},
	} {
		d.open(dir)
		d.Press("c")
		d.Type(c.typed)
		d.Press("enter")
		d.under(c.want)
	}
	d.Press("c", "enter")
	d.under("almost.txt")
	d.open(dir, "alpah")
	d.Sees("Nothing is there", filepath.Join(dir, "alpah")[:20])
	d.Press("esc")
	d.under("almost.txt")
}

// TestHoldsPictures: the first start stays in a folder with pictures, or with folders of pictures that are
// not those of a source checkout.
func TestHoldsPictures(t *testing.T) {
	for _, c := range []struct {
		files []string
		want  bool
	}{
		{[]string{"a.txt", "b/c.txt"}, false},
		{[]string{"a.jpg"}, true},
		{[]string{"b/c.jpg"}, true},
		{[]string{"b/c.jpg", ".git/config"}, false},
		{[]string{"a.jpg", ".git/config"}, true},
	} {
		mediatest.Equal(t, holdsPictures(folder(t, c.files...)), c.want, "%q", c.files)
	}
}

func TestFolderIsWatched(t *testing.T) {
	dir := folder(t, "a.jpg", "b.jpg")
	d := start(t, Options{Folder: dir, WatchInterval: time.Hour})
	d.Press("j")
	look := func() { d.Send(d.watch) }
	look()
	must(t, os.WriteFile(filepath.Join(dir, "a new one.jpg"), []byte("x"), 0o644))
	later := time.Now().Add(time.Hour)
	must(t, os.Chtimes(dir, later, later))
	look()
	d.under("b.jpg")
	equal(t, "rows", d.rows(), []string{"a new one.jpg", "a.jpg", "b.jpg"})
	must(t, os.WriteFile(filepath.Join(dir, "b.jpg"), make([]byte, 2000), 0o644)) // the file under the cursor
	must(t, os.Chtimes(dir, later, later))
	look()
	d.under("b.jpg")
	d.Sees(" 2 kB")
	must(t, os.RemoveAll(dir))
	look()
	d.Toasted("nearest folder")
}

func TestContactSheet(t *testing.T) {
	dir := pictures(t)
	must(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o755))
	d := start(t, Options{Folder: dir, Loader: picture.NewLoader()})
	d.Press("t")
	d.Sees("folder", "sub")
	d.SeesNot("…")
	if !strings.ContainsAny(d.Text(), "▄▀▌▐") {
		t.Errorf("no pictures:\n%s", d.Text())
	}
	d.Press("g", "l")
	d.Sees("2 of 5")
	d.Press("G")
	d.Sees("5 of 5")
	d.Press("h", "g", "space")
	d.Press("esc") // leaves the sheet
	d.Sees("Name", "Kind")
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
