//go:build unix

package picker

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"mediadesk/ui/page"
)

// silence makes paths whose names contain a word not respond until end is called.
func silence(t *testing.T, word string) (end func()) {
	var ended atomic.Bool
	t.Cleanup(func() { stat = os.Stat })
	stat = func(path string) (fs.FileInfo, error) {
		if strings.Contains(filepath.Base(path), word) && !ended.Load() {
			return nil, errNoAnswer
		}
		return os.Stat(path)
	}
	return func() { ended.Store(true) }
}

// TestLinksThatDoNotAnswer: links that do not respond delay neither names nor facts, and move to
// their places when they respond.
func TestLinksThatDoNotAnswer(t *testing.T) {
	dir := folder(t, "b.jpg", "sub/in.jpg", "z.jpg")
	must(t, os.Symlink("sub", filepath.Join(dir, "near")))
	must(t, os.Symlink("sub", filepath.Join(dir, "away folder")))
	must(t, os.Symlink("b.jpg", filepath.Join(dir, "away.jpg")))
	d := start(t, Options{Folder: folder(t), Preview: true})
	answers := silence(t, "away")

	d.open(dir, "")
	equal(t, "rows", d.rows(), []string{"near", "sub", "away folder", "away.jpg", "b.jpg", "z.jpg"})
	if d.m.infos["z.jpg"].size != 10 || !d.m.infos["near"].known {
		t.Errorf("what answers is not known: %+v", d.m.infos)
	}
	d.Press("j", "j")
	d.Sees("no answer", "does not answer (a link)")
	d.Press("enter")
	d.Toasted("does not answer")
	if d.m.shown.folder != dir || d.m.opening != "" {
		t.Errorf("%q is shown and %q on its way", d.m.shown.folder, d.m.opening)
	}
	// Files that respond can be picked, sorted and sent.
	d.Press("*")
	d.Toasted("2 of 4 cannot be picked")
	equal(t, "tray", d.tray(), []string{"b.jpg", "z.jpg", "in.jpg", "in.jpg"})
	d.Press(",", "t")
	if n := len(d.rows()); n != 6 {
		t.Errorf("%d rows by time, want 6", n)
	}
	d.Press(",", "n")
	d.m.tray.add(item{source: file(dir, "away.jpg")})
	d.Press("u")
	d.Toasted("does not answer")
	sent := taken[page.Compose](d)
	if len(sent) != 1 || len(sent[0].Sources) != 4 {
		t.Errorf("sent: %+v", sent)
	}

	answers()
	d.Press("r")
	equal(t, "rows", d.rows(), []string{"away folder", "near", "sub", "away.jpg", "b.jpg", "z.jpg"})
	d.Press("G", "k", "k")
	d.under("away.jpg")
	if i := d.m.infos["away.jpg"]; i.silent || i.size != 10 {
		t.Errorf("not looked at again: %+v", i)
	}
}

// TestLinkAnswersLate: a link that responds late moves when its row is inspected again.
func TestLinkAnswersLate(t *testing.T) {
	dir := folder(t, "a.jpg", "sub/")
	must(t, os.Symlink("sub", filepath.Join(dir, "late")))
	d := start(t, Options{Folder: folder(t)})
	answers := silence(t, "late")
	d.open(dir, "a.jpg")
	equal(t, "rows", d.rows(), []string{"sub", "a.jpg", "late"})
	answers()
	d.Press("r")
	equal(t, "rows", d.rows(), []string{"late", "sub", "a.jpg"})
	d.under("a.jpg")
	// Now it points to a file.
	must(t, os.Remove(filepath.Join(dir, "sub")))
	must(t, os.WriteFile(filepath.Join(dir, "sub"), []byte("now a file"), 0o644))
	d.Press("r")
	equal(t, "rows", d.rows(), []string{"a.jpg", "late", "sub"})
}

func TestLinkToAFolderSaysWhereItLeads(t *testing.T) {
	dir := folder(t, "sub/in.jpg")
	must(t, os.Symlink("sub", filepath.Join(dir, "link")))
	d := start(t, Options{Folder: dir, Preview: true})
	d.under("link")
	d.Sees("link to", "1 picture")
}
