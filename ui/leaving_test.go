//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"testing"

	"mediadesk/ui/uitest"
)

// TestLeavingSaysWhatItWaitsFor: if an answer is missing, leaving says what it waits for, and
// ctrl+c ends the wait.
func TestLeavingSaysWhatItWaitsFor(t *testing.T) {
	binary := uitest.Build(t)
	d := newWorkplace(t)
	s := startService(t, binary, t.TempDir(), "--fault", "delay=1h")
	file := filepath.Join(t.TempDir(), "file.txt")
	if err := os.WriteFile(file, []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(d.env(), "MEDIADESK_PRIVATE_KEY="+testKey)
	term := uitest.StartBinary(t, binary, []string{file, "--upload-url", s.address, "--base-url", s.address, "--delivery-url", s.address}, env, 120, 36)
	term.WaitFor("Tray: 1 file")
	term.Press("u")
	term.WaitFor("Upload file.txt")
	term.Press("ctrl+s")
	term.WaitFor("waiting for the answer")
	term.Press("q")
	term.WaitFor("l Leave and continue later") // in the line of hints: the dialog takes keys now
	term.Press("l")
	term.WaitFor("ctrl+c leaves now")
	term.Press("ctrl+c")
	term.Wait()
}
