//go:build unix

package picker

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

// silence makes paths whose names contain a word not respond until respond is called with true.
func silence(t *testing.T, word string) (respond func(bool)) {
	var responds atomic.Bool
	t.Cleanup(func() { stat = os.Stat })
	stat = func(path string) (fs.FileInfo, error) {
		if strings.Contains(filepath.Base(path), word) && !responds.Load() {
			return nil, errNoAnswer
		}
		return os.Stat(path)
	}
	return responds.Store
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

	d.open(dir)
	equal(t, "rows", d.rows(), []string{"near", "sub", "away folder", "away.jpg", "b.jpg", "z.jpg"})
	if !strings.Contains(d.Row("z.jpg"), "10 B") || !strings.Contains(d.Row("near"), "1 item") {
		t.Errorf("what answers is not known:\n%s", d.Text())
	}
	d.Press("j", "j")
	d.Sees("no answer", "does not answer (a link)")
	d.Press("enter")
	d.Toasted("does not answer")
	d.in(dir)
	d.SeesNot("reading…")
	// Files that respond can be picked, sorted and sent.
	d.Press("*")
	d.Toasted("2 of 4 cannot be picked")
	equal(t, "tray", d.tray(), []string{"b.jpg", "z.jpg", "in.jpg", "in.jpg"})
	d.Press(",", "t")
	mediatest.Equal(t, len(d.rows()), 6, "rows by time")
	d.Press(",", "n")
	answers(true)
	d.Send(page.Add{Sources: []api.Source{file(dir, "away.jpg")}})
	answers(false)
	d.Press("u")
	d.Toasted("does not answer")
	sent := taken[page.Compose](d)
	if len(sent) != 1 || len(sent[0].Sources) != 4 {
		t.Errorf("sent: %+v", sent)
	}

	answers(true)
	d.Press("r")
	equal(t, "rows", d.rows(), []string{"away folder", "near", "sub", "away.jpg", "b.jpg", "z.jpg"})
	d.Press("G", "k", "k")
	d.under("away.jpg")
	uitest.Shows(t, d.Row("away.jpg"), "10 B")
}

// TestLinkAnswersLate: a link that responds late moves when its row is inspected again.
func TestLinkAnswersLate(t *testing.T) {
	dir := folder(t, "a.jpg", "sub/")
	must(t, os.Symlink("sub", filepath.Join(dir, "late")))
	d := start(t, Options{Folder: folder(t)})
	answers := silence(t, "late")
	d.open(dir, "a.jpg")
	equal(t, "rows", d.rows(), []string{"sub", "a.jpg", "late"})
	answers(true)
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
