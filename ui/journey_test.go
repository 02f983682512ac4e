package ui_test

import (
	"os"
	"path/filepath"
	"testing"

	"mediadesk/assets"
	"mediadesk/ui/uitest"
)

func TestMain(m *testing.M) { uitest.VerifyTestMain(m) }

// workplace is a home folder and a folder of pictures for the built program.
type workplace struct {
	t              *testing.T
	home, pictures string
}

const odd = "день 1 — naïve (final).txt"

func newWorkplace(t *testing.T) *workplace {
	t.Helper()
	d := &workplace{t: t, home: t.TempDir(), pictures: t.TempDir()}
	if err := assets.WriteSamples(d.pictures); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.pictures, odd), []byte("notes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return d
}

// start runs the program in the folder of pictures.
func (d *workplace) start(w, h int, args ...string) *uitest.Term {
	d.t.Helper()
	return d.startWith(nil, w, h, args...)
}

// startWith is start with more of an environment.
func (d *workplace) startWith(env []string, w, h int, args ...string) *uitest.Term {
	d.t.Helper()
	return uitest.StartBinary(d.t, uitest.Build(d.t), args, append(d.env(), env...), w, h)
}

func (d *workplace) env() []string {
	return []string{"MEDIADESK_HOME=" + d.home, "HOME=" + d.home, "PATH=" + os.Getenv("PATH"), "PWD=" + d.pictures}
}

// openHarbour opens the details of the photograph from the library.
func openHarbour(term *uitest.Term) {
	term.Press("4")
	term.WaitFor("Kind")
	term.WaitFor("harbour_")
	term.Press("/")
	term.Type("harbour")
	term.Press("enter")
	term.WaitFor("1 of 1 found")
	term.WaitFor("enter → open")
	term.Press("enter")
	term.WaitFor("As seen")
}

// TestMainJob is the whole job on a virtual terminal: first choice, pick, describe, send, watch,
// edit, leave, start again and find everything.
func TestMainJob(t *testing.T) {
	d := newWorkplace(t)
	term := d.start(120, 36, d.pictures)
	term.WaitFor("Try it here")
	if entries, _ := os.ReadDir(d.home); len(entries) > 0 {
		t.Errorf("%d files were written before the first choice, want none", len(entries))
	}
	term.Press("enter")

	// Pick: a photograph, a drawing with alpha, an animation, a text.
	term.WaitFor("harbour.jpg")
	term.WaitFor("logo.png")
	term.WaitFor("shown turned right") // the photograph's metadata
	for range 5 {
		term.Press("space")
	}
	term.WaitFor("Tray: 5 files")
	term.Press("u")

	// Describe.
	term.WaitFor("Stored as")
	term.Type("sea,boat,")
	term.WaitFor("8/500")
	term.Press("tab", "tab", "space", "down", "down", "down", "space")
	term.WaitFor("minConfidence")
	term.Press("ctrl+s")
	term.WaitFor("s Send 5 files to /") // in the line of hints: the dialog takes keys now
	term.Press("s")
	term.WaitFor("5 of 5 stored")

	// Watch.
	term.Press("3")
	term.WaitFor("0 pending")
	term.WaitFor("webhook ")

	// Edit the details.
	openHarbour(term)
	term.Press("e")
	term.Type("dusk,")
	term.Press("esc", "c")
	term.Type("100,150,400,300")
	term.WaitFor("Crop: 400 x 300")
	term.Press("ctrl+s")
	term.WaitFor("s Save")
	term.Press("s")
	term.WaitFor("Saved ")

	// Leave, start again, find everything.
	term.Press("esc") // out of the numbers of the region
	term.WaitFor("e edit tags")
	term.Press("esc")
	term.WaitFor("State")
	term.Press("1")
	term.WaitFor("Tray")
	term.Press("q")
	term.Wait()
	if code := term.ExitCode(); code != 0 {
		t.Fatalf("exit code %d, want 0", code)
	}
	term = d.start(120, 36)
	term.WaitFor("1 Pick")
	term.Press("4")
	term.WaitFor("State")
	term.WaitFor("harbour_")
	for _, name := range []string{"logo_", "mug_", "orbit_", "день_1"} {
		term.WaitFor(name)
	}
	openHarbour(term)
	term.WaitFor("dusk")
	term.WaitFor("100,150,400,300")
	term.Press("2")
	term.WaitFor("earlier upload")
	term.WaitFor("harbour_")
	term.Press("3")
	term.WaitFor("remove-bg")
	term.Press("1")
	term.WaitFor("Tray")
	term.Press("q")
	term.Wait()
}
