package picker

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

func TestMain(m *testing.M) { uitest.VerifyTestMain(m) }

func TestFoldersFirstAndHiddenFiles(t *testing.T) {
	d := start(t, Options{Folder: folder(t, "b.jpg", "sub/", "a10.jpg", "a2.jpg", ".secret")})
	equal(t, "rows", d.rows(), []string{"sub", "a2.jpg", "a10.jpg", "b.jpg"})
	d.Sees("1 hidden", "sub/", "JPEG", "10 B")
	d.Press(".")
	equal(t, "rows", d.rows(), []string{"sub", ".secret", "a2.jpg", "a10.jpg", "b.jpg"})
	d.Sees("with hidden")
	d.Press(".")
	equal(t, "rows", d.rows(), []string{"sub", "a2.jpg", "a10.jpg", "b.jpg"})
}

func TestWalking(t *testing.T) {
	dir := folder(t, "one/x.jpg", "two/deep/y.jpg", "two/z.jpg")
	d := start(t, Options{Folder: dir})
	d.Press("j", "l")
	equal(t, "rows", d.rows(), []string{"deep", "z.jpg"})
	d.Press("enter")
	d.under("y.jpg")
	d.Press("h")
	d.under("deep")
	d.Press("j", "left")
	d.under("two")
	d.Press("right")
	d.under("z.jpg") // where it was before
	d.Press("backspace", "G", "g")
	d.under("one")

	t.Setenv("HOME", filepath.Join(dir, "two"))
	d.Press("c")
	d.Type("~")
	d.Press("enter")
	equal(t, "rows", d.rows(), []string{"deep", "z.jpg"})
	d.Sees("─ ~ ") // the home folder has a short name
}

func TestTopmostFolderHasNoParent(t *testing.T) {
	d := start(t, Options{Folder: "/"})
	d.Press("h")
	d.Toasted("This is the topmost folder.")
}

func TestFolderThatIsGone(t *testing.T) {
	dir := folder(t, "here/a.jpg")
	d := start(t, Options{Folder: filepath.Join(dir, "here", "not", "there")})
	d.in(filepath.Join(dir, "here")) // the nearest above
	d.Toasted("does not exist")
	d.under("a.jpg")

	must(t, os.RemoveAll(filepath.Join(dir, "here")))
	d.Send(page.Shown{})
	d.in(dir)
	d.Toasted("does not exist")
	d.Sees("This folder is empty.")
}

func TestFileAsFolderOpensTheFolderThatHoldsIt(t *testing.T) {
	dir := folder(t, "a.jpg", "b.jpg", "c.jpg")
	d := start(t, Options{Folder: filepath.Join(dir, "b.jpg")})
	d.under("b.jpg")
	d = start(t, Options{Folder: filepath.Join(dir, "b.jpg", "below")})
	d.in(dir)
}

func TestWorkingDirectory(t *testing.T) {
	dir := folder(t, "a.jpg")
	t.Chdir(dir)
	d := start(t, Options{Sources: []api.Source{{Path: "a.jpg"}}})
	d.under("a.jpg")
	equal(t, "tray", d.picked(), []string{filepath.Join(dir, "a.jpg")})
}

func pathsOf(sources []api.Source) []string {
	var out []string
	for _, s := range sources {
		out = append(out, s.Path+s.URL)
	}
	return out
}

func TestPickingAcrossFoldersKeepsTheOrder(t *testing.T) {
	dir := folder(t, "one/a.jpg", "one/b.jpg", "two/c.jpg")
	d := start(t, Options{Folder: filepath.Join(dir, "two")})
	d.Press("space", "h", "g", "enter", "G", "space", "g", "space")
	equal(t, "tray", d.tray(), []string{"c.jpg", "b.jpg", "a.jpg"})
	d.Sees("To upload: 3 files, 30 B", "✓ a.jpg", "✓ b.jpg")
	d.under("b.jpg") // moved on
	d.Press("space") // removes it
	equal(t, "tray", d.tray(), []string{"c.jpg", "a.jpg"})
	d.Press("u")
	got := taken[page.Compose](d)
	if len(got) != 1 {
		t.Fatalf("got %d requests for a form, want 1", len(got))
	}
	equal(t, "form", pathsOf(got[0].Sources), []string{
		filepath.Join(dir, "two", "c.jpg"), filepath.Join(dir, "one", "a.jpg"),
	})

	d.Send(page.Sent{Jobs: []job.Job{{Upload: api.Upload{Source: file(dir, "two", "c.jpg")}}}})
	equal(t, "tray", d.tray(), []string{"a.jpg"})
}

func TestRange(t *testing.T) {
	d := start(t, Options{Folder: folder(t, "a", "b", "c", "d", "e", "sub/")})
	hints := func() string { return ansi.Strip(kit.Hints(d.m.Actions(), 100, theme.New(true, true))) }
	d.Press("v")
	d.Sees("range of 1", "✓ sub/")
	d.Press("v")
	d.Toasted("No file in sub can be picked")
	d.Press("j", "j", "v", "j", "j")
	d.Sees("range of 3", "✓ c")
	if got := hints(); !strings.HasPrefix(got, "v pick the range   esc drop the range   space pick") {
		t.Errorf("the hints do not say how to end a range: %q", got)
	}
	d.Press("space")
	equal(t, "tray", d.tray(), []string{"b", "c", "d"})
	d.Press("v", "k", "v") // upwards; all rows are picked, so they are removed
	equal(t, "tray", d.tray(), []string{"b"})
	d.Press("G", "v", "g", "v") // down over the folder, which is not picked
	equal(t, "tray", d.tray(), []string{"b", "a", "c", "d", "e"})
	d.Press("v", "j", "esc")
	d.SeesNot("range of")
	mediatest.Equal(t, len(d.tray()), 5, "esc did more than one step")
}

// TestAllPicksFolders: ctrl+a, a range and * pick the files in folders, as space does.
func TestAllPicksFolders(t *testing.T) {
	dir := folder(t, "one/1.jpg", "two/2.jpg", "two/deep/3.jpg", "none/")
	d := start(t, Options{Folder: dir})
	d.Press("ctrl+a")
	equal(t, "tray", d.tray(), []string{"1.jpg", "2.jpg", "3.jpg"})
	equal(t, "subfolders", d.subs(), []string{"one", "two", "two/deep"})
	d.Toasted("Picked 3 files in 3 folders")
	d.Press("*")
	equal(t, "tray", d.tray(), nil)
	d.Press("g", "j", "v", "j", "v")
	equal(t, "tray", d.tray(), []string{"1.jpg", "2.jpg", "3.jpg"})
	d.Press("u")
	if forms := taken[page.Compose](d); len(forms) != 1 || len(forms[0].Sources) != 3 {
		t.Errorf("forms: %v", forms)
	}
}

func TestAllInvertClearAndBack(t *testing.T) {
	d := start(t, Options{Folder: folder(t, "a1", "a2", "b", "sub/")})
	d.Press("/", "a", "enter", "ctrl+a")
	equal(t, "tray", d.tray(), []string{"a1", "a2"})
	d.Press("esc")
	equal(t, "rows", d.rows(), []string{"sub", "a1", "a2", "b"})
	d.Press("*")
	equal(t, "tray", d.tray(), []string{"b"})
	d.Press("*")
	equal(t, "tray", d.tray(), []string{"a1", "a2"})
	d.Press("/", "b", "enter", "v", "esc")
	d.Sees("Filter b") // the first esc ends the range
	d.SeesNot("range of")
	d.Press("esc")
	d.SeesNot("Filter b")
	mediatest.Equal(t, len(d.tray()), 2, "the second esc did not clear only the filter")
	d.Press("esc") // what leaves a form keeps what is picked
	d.Press("D")
	equal(t, "tray", d.tray(), nil)
	d.Toasted("Press z to undo")
	d.Press("z")
	equal(t, "tray", d.tray(), []string{"a1", "a2"})
	d.Press("z") // what * removed
	equal(t, "tray", d.tray(), []string{"a1", "a2", "b"})
	d.Press("z")
	d.Toasted("All that was removed is in the tray again")
	d.Press("z")
	d.Toasted("Nothing was removed")
}

func TestFilter(t *testing.T) {
	d := start(t, Options{Folder: folder(t, "IMG_1.jpg", "IMG_2.jpg", "notes.txt", "sub/")})
	d.Press("/")
	if !d.m.Capturing() {
		t.Error("the filter does not have the focus")
	}
	d.Press("i", "g", "2")
	equal(t, "rows", d.rows(), []string{"IMG_2.jpg"})
	d.Sees("1 of 4")
	d.Press("backspace", "down", "enter")
	if d.m.Capturing() {
		t.Error("enter does not leave the filter")
	}
	d.under("IMG_2.jpg")
	d.Press("n")
	d.under("IMG_1.jpg")
	d.Press("N")
	d.under("IMG_2.jpg")
	d.Press("/", "z", "z")
	d.Sees("No name matches the filter", "Press esc to clear")
	d.Press("esc")
	if d.m.Capturing() || len(d.rows()) != 4 {
		t.Error("esc clears the filter")
	}
	d.Press("n")
	d.Toasted("No filter has found anything.")
	// Another folder begins without a filter.
	d.Press("/", "s", "u", "enter", "enter")
	d.SeesNot("Filter su")
}

func TestEnterOnAFile(t *testing.T) {
	dir := folder(t, "a.jpg", "b.jpg")
	d := start(t, Options{Folder: dir})
	d.Press("enter")
	got := taken[page.Compose](d)
	if len(got) != 1 || !slices.Equal(got[0].Sources, []api.Source{file(dir, "a.jpg")}) {
		t.Fatalf("form for %+v, want a.jpg", got)
	}
	equal(t, "tray", d.tray(), []string{"a.jpg"})
	d.Press("j", "enter")
	if got := taken[page.Compose](d); len(got) != 1 || got[0].Sources[0].Name() != "a.jpg" {
		t.Errorf("form for %+v, want what is picked", got)
	}
}

func TestFormOfTheFileUnderTheCursor(t *testing.T) {
	dir := folder(t, "a.jpg", "sub/")
	d := start(t, Options{Folder: dir})
	d.Press("u")
	d.Toasted("the cursor is on a folder")
	d.Press("j", "u")
	if got := taken[page.Compose](d); len(got) != 1 || got[0].Sources[0] != file(dir, "a.jpg") {
		t.Errorf("form for %+v", got)
	}
	equal(t, "tray", d.tray(), nil)
}

// TestFormChecksAgain: a file that was deleted after picking stays in the tray, marked.
func TestFormChecksAgain(t *testing.T) {
	dir := folder(t, "a.jpg", "b.jpg", "c.jpg")
	d := start(t, Options{Folder: dir})
	d.Press("ctrl+a")
	must(t, os.Remove(filepath.Join(dir, "b.jpg")))
	d.Press("u")
	got := taken[page.Compose](d)
	if len(got) != 1 {
		t.Fatalf("%d forms, want 1", len(got))
	}
	equal(t, "form", pathsOf(got[0].Sources),
		[]string{filepath.Join(dir, "a.jpg"), filepath.Join(dir, "c.jpg")})
	d.Toasted(`b.jpg" does not exist`)
	d.Sees("unusable")
}

func TestTray(t *testing.T) {
	dir := folder(t, "one/a.jpg", "two/b.jpg")
	d := start(t, Options{Folder: dir})
	d.Press("tab")
	d.Toasted("Nothing is picked.")
	d.Send(page.Add{Sources: []api.Source{file(dir, "one", "a.jpg"), file(dir, "two", "b.jpg"), {URL: "https://example.com/c.jpg"}}})
	d.Sees("2 files, 20 B", "1 URL", "example.com", "/two 1 file, 10 B") // what was picked last
	d.Press("tab", "g")
	d.Sees("/one 1 file, 10 B", "example.com")
	d.Press("j", "j", "enter")
	d.under("b.jpg")
	if d.inTray() {
		t.Error("showing an item did not move the focus to the list")
	}
	d.Press("tab", "y")
	if got := taken[page.Copy](d); len(got) != 1 ||
		got[0] != (page.Copy{What: "path", Text: filepath.Join(dir, "two", "b.jpg")}) {
		t.Errorf("copied %+v", got)
	}
	d.Press("j", "j", "y")
	if got := taken[page.Copy](d); len(got) != 1 ||
		got[0] != (page.Copy{What: "URL", Text: "https://example.com/c.jpg"}) {
		t.Errorf("copied %+v", got)
	}
	d.Press("enter")
	d.Toasted("A URL is in no folder.")
	d.Press("d")
	equal(t, "tray", d.tray(), []string{"a.jpg", "b.jpg"})
	d.Press("g", "d", "k", "d") // a file, then the folder of the other
	equal(t, "tray", d.tray(), nil)
	d.Press("z")
	equal(t, "tray", d.tray(), []string{"b.jpg"})
	d.Press("tab", "esc")
	if d.inTray() || len(d.tray()) != 1 {
		t.Error("esc in the tray does not return to the files, or clears something")
	}
}

func TestSourcesOnceOnly(t *testing.T) {
	dir := folder(t, "a.jpg")
	d := start(t, Options{Folder: dir, Sources: []api.Source{file(dir, "a.jpg")}})
	d.Send(page.Add{Sources: []api.Source{file(dir, "a.jpg"), {URL: "https://x.example/a"}, {URL: "https://x.example/a"}}})
	d.Press("ctrl+a")
	equal(t, "tray", d.tray(), []string{"a.jpg", "a"})
}

func TestAddAURL(t *testing.T) {
	d := start(t, Options{Folder: folder(t, "a.jpg")})
	d.Press("a")
	for _, r := range "ftp://x/y" {
		d.Press(string(r))
	}
	d.Press("enter")
	d.Sees("Enter a complete http or https URL.")
	equal(t, "tray", d.tray(), nil)
	d.Press("ctrl+u")
	d.Send(tea.PasteMsg{Content: "https://example.com/b.jpg\n"})
	d.Press("enter")
	equal(t, "tray", d.tray(), []string{"b.jpg"})
	d.Press("a", "x", "esc")
	if d.m.Capturing() || len(d.tray()) != 1 {
		t.Error("esc does not close the field, or adds a file")
	}
}

func TestPaste(t *testing.T) {
	dir := folder(t, "my pics/a b.jpg", "c.jpg", "sub/d.jpg")
	d := start(t, Options{Folder: dir})
	d.Send(tea.PasteMsg{Content: "'" + dir + "/my pics/a b.jpg' " + dir + "/c.jpg https://example.com/e.jpg"})
	equal(t, "tray", d.tray(), []string{"a b.jpg", "c.jpg", "e.jpg"})
	d.Send(tea.PasteMsg{Content: "sub/d.jpg"})
	equal(t, "tray", d.tray(), []string{"a b.jpg", "c.jpg", "e.jpg", "d.jpg"})
	d.Send(tea.PasteMsg{Content: "not-there.jpg"})
	d.Toasted("does not exist")
	d.Send(tea.PasteMsg{Content: dir + "/nope\n" + dir + "/nada\nhttp://\n" + dir + "/sub"})
	d.Toasted("http")
	mediatest.Equal(t, len(d.tray()), 4, "tray: %q", d.tray())
	d.Send(tea.PasteMsg{Content: "\n"})
	d.Toasted("no path and no URL")
	// A single folder is opened.
	d.Send(tea.PasteMsg{Content: dir + "/sub"})
	equal(t, "rows", d.rows(), []string{"d.jpg"})
	// In the filter a paste is text.
	d.Press("/")
	d.Send(tea.PasteMsg{Content: "zz"})
	d.Sees("Filter zz")
}

func TestSortMenu(t *testing.T) {
	dir := folder(t, "a.txt", "b.jpg")
	must(t, os.WriteFile(filepath.Join(dir, "b.jpg"), make([]byte, 5000), 0o644))
	d := start(t, Options{Folder: dir})
	d.Press(",")
	d.Sees("Sort", "name (now)")
	if d.m.Overlays().Top() == nil {
		t.Error("the menu does not have the focus")
	}
	d.Press("s")
	equal(t, "rows", d.rows(), []string{"b.jpg", "a.txt"})
	d.Sees("by size")
	d.Press(",", "r")
	equal(t, "rows", d.rows(), []string{"a.txt", "b.jpg"})
	d.Press(",", "k")
	equal(t, "rows", d.rows(), []string{"b.jpg", "a.txt"})
	d.Press(",", "up", "up", "up", "enter")
	equal(t, "rows", d.rows(), []string{"a.txt", "b.jpg"})
	d.Press(",", "t", ",", "esc")
	d.Sees("by time")
}

func TestReload(t *testing.T) {
	dir := folder(t, "a", "c")
	d := start(t, Options{Folder: dir})
	d.Press("j")
	must(t, os.WriteFile(filepath.Join(dir, "b"), []byte("new"), 0o644))
	d.Press("r")
	equal(t, "rows", d.rows(), []string{"a", "b", "c"})
	d.under("c")
	must(t, os.Remove(filepath.Join(dir, "c")))
	d.Send(page.Shown{})
	d.under("b")
}

func TestStaleRepliesAreDropped(t *testing.T) {
	dir := folder(t, "one/a.jpg", "two/b.jpg")
	d := start(t, Options{Folder: dir})
	late := d.Late(func() { d.open(dir, "one") })
	d.open(dir, "two")
	late()
	d.under("b.jpg")
}

// TestManyEntries: a large folder is read and sorted outside Update, and only visible rows are inspected.
func TestManyEntries(t *testing.T) {
	dir := folder(t)
	const n = 5000
	for i := range n {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("IMG_%d.jpg", (i*7919)%n)))
		must(t, err)
		must(t, f.Close())
	}
	d := start(t, Options{Folder: folder(t, "a.jpg")})
	read := d.Late(func() { d.open(dir) })
	d.under("a.jpg")
	read()
	d.under("IMG_0.jpg")
	d.Sees("1 of 5,000")
	d.Press("/", "9", "9", "9")
	d.Sees(" 5 of 5,000")
	d.Press("esc")
	inspected := d.Late(func() { d.Press("G") })
	d.under("IMG_4999.jpg")
	uitest.Lacks(t, d.Row("IMG_4998.jpg"), "empty") // only entries on the screen are inspected
	inspected()
	uitest.Shows(t, d.Row("IMG_4998.jpg"), "empty")
}

func TestFilterTheTray(t *testing.T) {
	d := start(t, Options{Folder: folder(t, "a1.jpg", "b.jpg", "a2.jpg")})
	d.Press("ctrl+a", "tab", "/")
	if !d.m.Capturing() {
		t.Error("the filter of the tray does not take the keys")
	}
	d.Press("b", "d") // no name has both
	d.Press("enter")
	for _, a := range d.m.Actions() { // the hints ask all of them
		if a.Disabled != nil {
			_ = a.Disabled()
		}
	}
	d.Press("/", "backspace", "enter")
	equal(t, "tray", d.tray(), []string{"a1.jpg", "a2.jpg", "b.jpg"})
	d.Press("d")
	equal(t, "tray", d.tray(), []string{"a1.jpg", "a2.jpg"})
	d.Press("esc")
	if d.SeesNot("Filter b"); !d.inTray() {
		t.Error("the first esc leaves the tray")
	}
	d.Press("esc")
	if d.inTray() {
		t.Error("the second esc does not go back to the files")
	}
}
