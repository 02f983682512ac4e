package cli_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/uitest"
)

// nul separates the lines of a file with NUL: nul FROM TO
func nul(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: nul FROM TO")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]),
		[]byte(strings.ReplaceAll(ts.ReadFile(args[0]), "\n", "\x00")), 0o600))
}

// TestUploadFromTerminal: upload - says that it reads from the terminal, and ctrl+c ends it.
func TestUploadFromTerminal(t *testing.T) {
	binary := uitest.Build(t)
	for _, args := range [][]string{{"upload", "-"}, {"upload", "--files-from", "-"}, {"upload", "--manifest", "-", "--dry-run"}} {
		home := t.TempDir()
		term := uitest.StartBinary(t, binary, args, []string{"MEDIADESK_HOME=" + home}, 100, 20)
		term.WaitFor("reading from the terminal. End with ctrl+d; ctrl+c cancels.")
		term.Signal(os.Interrupt)
		<-term.Done()
		mediatest.Equal(t, term.ExitCode(), 130, "%v: exit code", args)
		if left, _ := filepath.Glob(filepath.Join(home, "*", "spool", "*")); len(left) > 0 {
			t.Errorf("%v left the files %v", args, left)
		}
	}
}

// TestUploadCopies: --copy puts the addresses on the clipboard of the terminal.
func TestUploadCopies(t *testing.T) {
	binary, dir := uitest.Build(t), t.TempDir()
	name := filepath.Join(dir, "a b.txt")
	must(t, os.WriteFile(name, []byte("text"), 0o600))
	for form, want := range map[string]string{"url": "http://", "markdown": "[a_b.txt](http://", "html": `<a href="http://`} {
		term := uitest.StartBinary(t, binary, []string{"upload", name, "--unique", "off", "--copy", form},
			[]string{"MEDIADESK_HOME=" + filepath.Join(dir, "home")}, 100, 20)
		<-term.Done()
		_, copied, _ := strings.Cut(term.Raw(), "\x1b]52;c;")
		copied, _, _ = strings.Cut(copied, "\x07")
		text, err := base64.StdEncoding.DecodeString(copied)
		if err != nil || !strings.HasPrefix(string(text), want) {
			t.Errorf("%s copies %q (%v)", form, text, err)
		}
		uitest.Shows(t, term.Screen(), "Copied 1 link to the clipboard.")
	}
}
