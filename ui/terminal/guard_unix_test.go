//go:build unix

package terminal

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/xpty"
)

// TestGuardLeavesWhatHangs: screens that have restored the terminal and do not end are killed. A child
// program that goes on does not delay the guard.
func TestGuardLeavesWhatHangs(t *testing.T) {
	for _, c := range []struct {
		name, script string
		code         int
		says         string
	}{
		{"hangs", "printf r >&3; exec cat <&4 >&2", 137, "killed"},
		{"leaves a child", "printf r >&3; cat <&4 >&2 & exit 7", 7, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			pty, err := xpty.NewUnixPty(80, 24)
			if err != nil {
				t.Skipf("this machine has no pseudo-terminals: %v", err)
			}
			defer pty.Close()
			before, err := term.GetState(pty.Slave().Fd())
			if err != nil {
				t.Fatal(err)
			}
			var said strings.Builder
			g := newGuardian(GuardOptions{Out: pty.Slave(), Err: &said}, before)
			g.patience = 100 * time.Millisecond
			pipe := func() (r, w *os.File) {
				r, w, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _, _ = r.Close(), w.Close() })
				return r, w
			}
			var mark, errors *os.File
			g.mark, mark = pipe()
			g.errors, errors = pipe()
			never, _ := pipe() // children end with the test
			g.reading.Go(func() { _, _ = io.Copy(&g.said, g.errors) })
			g.child, err = os.StartProcess("/bin/sh", []string{"sh", "-c", c.script}, &os.ProcAttr{
				Files: []*os.File{nil, nil, errors, mark, never},
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range []*os.File{mark, errors} {
				_ = f.Close()
			}
			if code := g.wait(); code != c.code || !strings.Contains(said.String(), c.says) {
				t.Errorf("exit code %d, output %q", code, said.String())
			}
		})
	}
}
