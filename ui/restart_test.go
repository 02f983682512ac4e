//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/ui/uitest"
)

// TestPlacesOutliveTheProgram: the next run of the built program offers the folders that were
// bookmarked or shown, and opens them.
func TestPlacesOutliveTheProgram(t *testing.T) {
	home, folders := t.TempDir(), t.TempDir()
	in := func(name string) string { return filepath.Join(folders, name) }
	for _, name := range []string{"marked", "visited", "first"} {
		if err := os.Mkdir(in(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(in(name), "in "+name+".jpg"), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"MEDIADESK_HOME=" + home, "HOME=" + home, "TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}
	run := func(folder string) *uitest.Term {
		t.Helper()
		term := uitest.StartBinary(t, uitest.Build(t), []string{"--profile", "local", in(folder)}, env, 120, 36)
		term.WaitFor("in " + folder + ".jpg")
		term.WaitFor("Tray: nothing picked yet")
		return term
	}
	leave := func(term *uitest.Term) {
		t.Helper()
		term.Press("q")
		term.Wait()
		if code := term.ExitCode(); code != 0 {
			t.Fatalf("got exit code %d, want 0:\n%s", code, term.Screen())
		}
	}
	// rowOf returns the line that names a folder in the list of places.
	rowOf := func(screen, folder string) string {
		for line := range strings.Lines(screen) {
			if strings.Contains(line, folder+" ") && (strings.Contains(line, "bookmark") || strings.Contains(line, "recent")) {
				return line
			}
		}
		return ""
	}

	term := run("visited")
	leave(term)
	term = run("marked")
	term.Press("B")
	term.WaitFor("is a bookmark now")
	leave(term)

	term = run("first")
	term.Press("b")
	term.WaitUntil(func(screen string) bool {
		return strings.Contains(rowOf(screen, in("marked")), "bookmark") && strings.Contains(rowOf(screen, in("visited")), "recent")
	})
	term.Press("enter")
	term.WaitFor("in marked.jpg")
	leave(term)
}
