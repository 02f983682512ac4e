//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mediadesk/api/journal"
	"mediadesk/api/media/mediatest"
	"mediadesk/ui/uitest"
)

func (d *workplace) waitKept(text string) {
	d.t.Helper()
	paths := uitest.Paths(d.home)
	j, err := journal.Open(d.t.Context(), paths.Journal())
	if err != nil {
		d.t.Fatal(err)
	}
	defer j.Close()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	end := time.After(uitest.Deadline)
	for {
		kept, _, err := j.Draft(d.t.Context(), "local")
		if err != nil {
			d.t.Fatal(err)
		}
		if strings.Contains(string(kept), text) {
			return
		}
		select {
		case <-look.C:
		case <-end:
			d.t.Fatalf("%q is not in the saved form: %s", text, kept)
		}
	}
}

// TestFormComesBack: the form's input survives a kill and a normal exit, the editor changes the
// options of all files as one text, and sent files do not come back.
func TestFormComesBack(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	d := newWorkplace(t)
	editor := filepath.Join(t.TempDir(), "an editor")
	script := "#!/bin/sh\nsed -i.bak \"$EDIT\" \"$1\" && rm -f \"$1.bak\"\n"
	must(t, os.WriteFile(editor, []byte(script), 0o700))
	env := func(edit string) []string {
		return []string{"EDITOR='" + editor + "'", "EDIT=" + edit}
	}
	again := func(edit string) *uitest.Term {
		t.Helper()
		term := d.startWith(env(edit), 120, 36, d.pictures)
		term.WaitFor("Back from last time: 2 files")
		term.WaitFor("To upload: 2 files")
		term.Press("u")
		term.WaitFor("Description")
		return term
	}

	term := d.start(120, 36, d.pictures)
	term.WaitFor("Try it here")
	term.Press("enter")
	term.WaitFor("harbour.jpg")
	term.Press("space", "space")
	term.WaitFor("To upload: 2 files")
	term.Press("u")
	term.WaitFor("Will be stored as")
	term.Paste("写真,مرحبا,e\u0301t")
	term.WaitFor("写真")
	term.Press("ctrl+l", "r")
	term.WaitFor("Extensions    remove background")
	d.waitKept("remove-bg")
	term.Signal(os.Kill)
	term.Wait()

	// After a kill the form is as it was. The text of the editor changes both files.
	term = again(`s/"private":null/"private":true/; s/"description":null/"description":"by the editor"/`)
	term.WaitFor("写真")
	term.WaitFor("Extensions    remove background")
	term.Press("ctrl+o")
	term.WaitFor("Changed 2 files in the editor")
	term.WaitFor("by the editor")
	term.Press("ctrl+c", "ctrl+c")
	term.Wait()

	// After a normal exit the form is as it was, and an error in the editor's text names its line.
	term = again(`s/"private":/"privat":/`)
	term.WaitFor("by the editor")
	term.Press("ctrl+o")
	term.WaitFor(`unknown member "privat"`)
	term.WaitFor("enter edit again") // in the line of hints: the dialog takes keys now
	follow(term, "esc", "by the editor", "ctrl+s", "enter send ")
	term.Press("s")
	term.WaitUntil(func(screen string) bool { return strings.Count(screen, "stored") >= 2 })
	term.Press("ctrl+c", "ctrl+c")
	term.Wait()

	// After sending nothing comes back.
	term = d.start(120, 36, d.pictures)
	term.WaitFor("harbour.jpg")
	term.WaitFor("Nothing picked yet")
	uitest.Lacks(t, term.Screen(), "Back from last time") // a form that was sent does not come back
}
