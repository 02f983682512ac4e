package picker

import (
	"os"
	"path/filepath"
	"testing"

	"mediadesk/api/rule"
)

// TestPickAFolder: picking a folder adds its files with their subfolders, and removes them together.
func TestPickAFolder(t *testing.T) {
	dir := folder(t, "my trip/a.jpg", "my trip/day 1/b.jpg", "my trip/.hidden", "z.jpg")
	d := start(t, Options{Folder: dir})
	d.Press("g", "space")
	d.Toasted("Picked 2 files in my trip; skipped 1 hidden.")
	equal(t, "tray", d.tray(), []string{"a.jpg", "b.jpg"})
	want := []string{"my_trip", "my_trip/day_1"}
	for i, s := range d.form() {
		if s.Sub != want[i] || rule.FolderUnder(s, "/up/") != "/up/"+want[i]+"/" {
			t.Errorf("%s goes to %q", s.Path, rule.FolderUnder(s, "/up/"))
		}
	}
	d.Press("g", "space")
	equal(t, "tray", d.tray(), nil)
}

// TestPickAFolderThatIsGone: a folder that has disappeared is reported.
func TestPickAFolderThatIsGone(t *testing.T) {
	dir := folder(t, "a/b.jpg")
	d := start(t, Options{Folder: dir})
	must(t, os.RemoveAll(filepath.Join(dir, "a")))
	d.Press("space")
	d.Toasted("does not exist")
}

// TestPickTheRestOfAFolder: if a folder is partly picked, space picks the rest; if it is fully
// picked, space removes all. z restores the files with their subfolders.
func TestPickTheRestOfAFolder(t *testing.T) {
	dir := folder(t, "trip/a.jpg", "trip/b.jpg", "trip/day 1/c.jpg", "trip/empty.jpg")
	must(t, os.Truncate(filepath.Join(dir, "trip", "empty.jpg"), 0))
	d := start(t, Options{Folder: filepath.Join(dir, "trip")})
	d.Press("G", "k", "k", "space") // a.jpg
	equal(t, "tray", d.tray(), []string{"a.jpg"})
	d.Press("h")
	d.under("trip")
	d.Sees("◐ trip/", "1 of 3")

	d.Press("space")
	d.Toasted("Picked 2 files in trip")
	equal(t, "tray", d.tray(), []string{"a.jpg", "b.jpg", "c.jpg"})
	equal(t, "places", d.subs(), []string{"trip", "trip", "trip/day_1"})
	d.Sees("✓ trip/", "3 of 3")

	d.Press("space")
	d.Toasted("Unpicked 3 files in trip. Press z to undo.")
	equal(t, "tray", d.tray(), nil)
	d.Press("z")
	equal(t, "tray", d.tray(), []string{"a.jpg", "b.jpg", "c.jpg"})
	equal(t, "places", d.subs(), []string{"trip", "trip", "trip/day_1"})
	d.Sees("✓ trip/", "3 of 3")
}

func TestUndoRemovals(t *testing.T) {
	d := start(t, Options{Folder: folder(t, "a.jpg", "b.jpg", "c.jpg")})
	d.Press("ctrl+a", "g", "space", "space")
	equal(t, "tray", d.tray(), []string{"c.jpg"})
	d.Press("z", "z")
	equal(t, "tray", d.tray(), []string{"c.jpg", "b.jpg", "a.jpg"})
	d.Press("g", "space", "g", "space", "z")
	d.Toasted("All that was removed is in the tray again.")
}

// TestPickAgainKeepsThePlace: a file that is removed and picked again keeps its subfolder.
func TestPickAgainKeepsThePlace(t *testing.T) {
	dir := folder(t, "trip/day 1/a.jpg", "trip/day 1/b.jpg", "trip/day 2/c.jpg")
	d := start(t, Options{Folder: dir})
	d.Press("space", "enter", "enter", "space") // a.jpg
	equal(t, "tray", d.tray(), []string{"b.jpg", "c.jpg"})
	d.Press("g", "space")
	equal(t, "tray", d.tray(), []string{"b.jpg", "c.jpg", "a.jpg"})
	equal(t, "places", d.subs(), []string{"trip/day_1", "trip/day_2", "trip/day_1"})

	// So does a subfolder.
	d.Press("h", "space", "g", "space")
	equal(t, "tray", d.tray(), []string{"c.jpg", "a.jpg", "b.jpg"})
	equal(t, "places", d.subs(), []string{"trip/day_2", "trip/day_1", "trip/day_1"})

	// A single file keeps the folder in which it lies.
	d.Press("h", "space", "g", "enter", "g", "enter", "g", "space")
	equal(t, "tray", d.tray(), []string{"a.jpg"})
	equal(t, "places", d.subs(), []string{"day_1"})
}
