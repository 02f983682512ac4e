package picker

import (
	"path/filepath"
	"testing"

	"mediadesk/api/session"
)

// A folder is picked whole: its files land in the tray with the folders they
// were in, and leave it together.
func TestPickAFolder(t *testing.T) {
	dir := folder(t, "my trip/a.jpg", "my trip/day 1/b.jpg", "my trip/.hidden", "z.jpg")
	d := start(t, Options{Folder: dir})
	d.Press("g", "space")
	d.Toasted("Picked 2 files in my trip and its subfolders; skipped 1 hidden.")
	equal(t, "tray", d.tray(), []string{"a.jpg", "b.jpg"})
	want := []string{"my_trip", "my_trip/day_1"}
	for i, s := range d.m.tray.sources() {
		if s.Sub != want[i] || s.FolderUnder("/up/") != "/up/"+want[i]+"/" {
			t.Errorf("%s goes to %q", s.Path, s.FolderUnder("/up/"))
		}
	}
	d.Press("g", "space")
	equal(t, "tray", d.tray(), nil)
}

// What is gone by the time it is looked into is said.
func TestPickAFolderThatIsGone(t *testing.T) {
	dir := folder(t, "a/b.jpg")
	d := start(t, Options{Folder: dir})
	_, err := session.WalkFolder(t.Context(), filepath.Join(dir, "nope"), "", session.Filter{})
	d.Send(folderPicked{folder: filepath.Join(dir, "nope"), err: err})
	d.Toasted("is not there")
}
