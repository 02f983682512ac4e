//go:build unix

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/xpty"

	"mediadesk/ui/uitest"
)

// BenchmarkStart measures the time from starting the built program to its first frame on a terminal,
// in a new home and in one with settings, with and without the process that guards the terminal.
func BenchmarkStart(b *testing.B) {
	binary := uitest.Build(b)
	for _, c := range []struct{ name, settings, word string }{
		{"first", "", "Try"},
		{"usual", "theme = \"dark\"\n", "Pick"},
	} {
		home := b.TempDir()
		if c.settings != "" {
			if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(c.settings), 0o600); err != nil {
				b.Fatal(err)
			}
		}
		env := []string{"MEDIADESK_HOME=" + home, "HOME=" + home, "TERM=xterm-256color", "XDG_RUNTIME_DIR=" + home}
		b.Run(c.name+"/guarded", func(b *testing.B) {
			for b.Loop() {
				startUntil(b, binary, env, c.word)
			}
		})
		b.Run(c.name+"/alone", func(b *testing.B) {
			for b.Loop() {
				startUntil(b, binary, append(env, "MEDIADESK_GUARD=off"), c.word)
			}
		})
	}
}

// startUntil starts the program, reads until it draws the word, and kills it. Ending it is not part
// of the time.
func startUntil(b *testing.B, binary string, env []string, word string) {
	b.Helper()
	pty, err := xpty.NewUnixPty(120, 36)
	if err != nil {
		b.Skipf("this machine has no pseudo-terminals: %v", err)
	}
	cmd := exec.Command(binary, env[0][strings.Index(env[0], "=")+1:])
	cmd.Env = env
	if err := pty.Start(cmd); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill() // the process that it guards ends with it
		b.StopTimer()
		_ = cmd.Wait() // it returns an error, because the process was killed
		_ = pty.Close()
		b.StartTimer()
	}()
	var drawn strings.Builder
	buf := make([]byte, 4096)
	for !strings.Contains(drawn.String(), word) {
		n, err := pty.Read(buf)
		if err != nil {
			b.Fatalf("%v after %q", err, drawn.String())
		}
		drawn.Write(buf[:n])
	}
}
