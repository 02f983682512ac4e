package ui_test

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"mediadesk/ui/uitest"
)

// TestShots makes the pictures of the README from the running program, where
// MEDIADESK_SHOTS is set.
func TestShots(t *testing.T) {
	if os.Getenv("MEDIADESK_SHOTS") == "" {
		t.Skip("pictures are made with MEDIADESK_SHOTS=1")
	}
	d := newDesk(t)
	d.pictures = filepath.Join("/tmp", "pictures")
	if err := os.CopyFS(d.pictures, os.DirFS("../assets/sample")); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	defer os.RemoveAll(d.pictures)
	shoot := func(term *uitest.Term, name string) {
		t.Helper()
		// The line of hints is drawn last: once it is back, the screen is whole.
		term.Press("f1")
		term.WaitFor("type to search")
		term.Press("esc")
		term.WaitFor("? help")
		im, err := term.Shot()
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(filepath.Join("../assets", name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := png.Encode(f, im); err != nil {
			t.Fatal(err)
		}
	}
	term := d.start(120, 36, d.pictures)
	term.WaitFor("Try it here")
	term.Press("enter")
	term.WaitFor("shown turned right")
	term.Press("space", "down", "space", "g")
	term.WaitFor("Tray: 2 files")
	term.WaitFor("shown turned right")
	term.WaitGone("Loading…")
	shoot(term, "picker")
	term.Press("u")
	term.WaitFor("Stored as")
	term.Press("tab")
	term.Type("sea,boat,dusk,")
	term.Press("tab", "tab", "down", "space")
	term.WaitFor("Tags 13/500")
	shoot(term, "upload")
	term.Press("ctrl+s")
	term.WaitFor("s Send 2 files")
	term.Press("s")
	term.WaitFor("2 of 2 stored")
	term.Press("4")
	term.WaitFor("Marks")
	term.WaitFor("harbour_")
	term.Press("enter")
	term.WaitFor("As seen just now")
	term.Press("c")
	term.Type("330,670,260,300")
	term.WaitFor("Crop: 300 x 260")
	shoot(term, "details")
	term.Press("esc", "esc")
	term.WaitFor("Leave")
}
