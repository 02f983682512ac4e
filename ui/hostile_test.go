//go:build unix

package ui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/uitest"
)

func requireNoForbidden(t *testing.T, term *uitest.Term) {
	t.Helper()
	if found := uitest.Forbidden(term.Raw()); found != nil {
		t.Errorf("the terminal got %d forbidden sequences: %q", len(found), found[:min(len(found), 10)])
	}
	if strings.Contains(term.Title(), "owned") {
		t.Error("the title of the window was set")
	}
}

// waitForAll waits until a part of each hostile text is on the screen.
func waitForAll(term *uitest.Term, skip ...string) {
	term.WaitUntil(func(screen string) bool {
		for i, h := range uitest.Hostile() {
			if !strings.Contains(screen, fmt.Sprintf("h%02d", i+1)) &&
				!strings.Contains(strings.Join(skip, ","), h.Class) {
				return false
			}
		}
		return true
	})
}

// TestHostileNames shows file names of 40 kinds in the picker, its tray, the form and what it
// copies, and the uploads. The 41st kind has a NUL, which a file name cannot have.
func TestHostileNames(t *testing.T) {
	mediatest.OnlyWithEverything(t)
	t.Parallel()
	d := newWorkplace(t)
	folder := t.TempDir()
	count := 0
	for _, h := range uitest.Hostile() {
		if strings.Contains(h.Text, "\x00") {
			continue
		}
		if err := os.WriteFile(filepath.Join(folder, h.Text), []byte("text of "+h.Class), 0o600); err != nil {
			t.Skipf("this file system does not take such names: %v", err)
		}
		count++
	}
	term := d.start(200, 90, folder)
	term.WaitFor("Try it here")
	term.Press("enter")
	waitForAll(term, "NUL")
	for range count {
		term.Press("down")
	}
	term.Press("ctrl+a")
	term.WaitFor(fmt.Sprintf("To upload: %d files", count))
	term.Press("tab", "tab")
	term.Press("u")
	term.WaitFor("Will be stored as")
	for range 5 {
		term.Press("pgdown")
	}
	term.Press("ctrl+s")
	term.WaitFor("enter send")
	term.Press("s")
	term.WaitFor(fmt.Sprintf("%d of %d stored", count, count))
	term.Press("4")
	term.WaitFor("Tags")
	waitForAll(term, "NUL")
	requireNoForbidden(t, term)
}

// TestHostileAnswers shows records, tags, posts and errors of a service, of 41 kinds, on every
// screen that has them.
func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	d := newWorkplace(t)
	service := uitest.StartHostileServer(t)
	var files []string
	for i := range 2 * len(uitest.Hostile()) {
		name := filepath.Join(t.TempDir(), fmt.Sprintf("f%02d.txt", i))
		must(t, os.WriteFile(name, []byte(fmt.Sprint(i)), 0o600))
		files = append(files, name)
	}
	args := append([]string{"--upload-url", service.URL, "--delivery-url", service.URL}, files...)
	term := d.startWith([]string{"MEDIADESK_PRIVATE_KEY=" + testKey}, 200, 50, args...)
	term.WaitFor("To upload: 82 files")

	// The reason of a refusal.
	term.Press("u")
	term.WaitFor("Will be stored as")
	term.Press("ctrl+l", "r") // remove-bg
	term.WaitFor("Extensions    remove background")
	follow(term, "ctrl+s", "enter send ", "s", "41 of 82 stored")
	term.WaitFor("✗ refused")
	const steps = 82
	for range steps {
		term.Press("down")
	}

	// Posts: how each run ended, and the history of each run.
	if n := service.Posted(); n == 0 {
		t.Error("no post was made")
	}
	term.Press("3")
	term.WaitFor("remove background")
	for range steps / 8 {
		follow(term, "enter", "esc close")
		term.Press("down", "pgdown", "esc")
		term.WaitGone("esc close")
		term.Press("down")
	}

	// Records and tags: the library as list and as contact sheet, and the details.
	term.Press("4")
	term.WaitFor("Tags")
	waitForAll(term)
	for range steps / 2 {
		term.Press("down")
	}
	term.Press("ctrl+a")
	follow(term, "y", "esc close")
	term.Press("esc")
	term.WaitGone("esc close")
	term.Press("e")
	term.WaitFor("tab next field")
	term.Press("esc")
	term.WaitFor("c edit region")
	for range steps / 2 {
		term.Press("n")
	}
	term.Press("f1")
	term.WaitFor("type to search")
	term.Press("esc")
	requireNoForbidden(t, term)
}
