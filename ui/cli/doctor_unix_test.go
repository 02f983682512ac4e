//go:build unix

package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/xpty"

	"mediadesk/ui/uitest"
)

// TestDoctorOnATerminal runs doctor on the virtual terminal, which answers for itself.
func TestDoctorOnATerminal(t *testing.T) {
	home := t.TempDir()
	ask := func() string {
		term := uitest.StartBinary(t, uitest.Build(t), []string{"doctor"}, []string{"MEDIADESK_HOME=" + home, "XDG_RUNTIME_DIR=" + home, "PATH=" + home}, 160, 120)
		term.Wait()
		if term.ExitCode() != 0 {
			t.Errorf("exit code %d, want 0", term.ExitCode())
		}
		return term.Screen()
	}
	expectOutput(
		t, ask,
		"size                 160x120", "colors               16 million", "background           dark",
		"not installed; it would show SVG", "0 problems",
	)
}

// TestDoctorMeasures: doctor reports the widths that the terminal measured, not the expected ones.
func TestDoctorMeasures(t *testing.T) {
	const attributes = "\x1b[?62;22c"
	reports := func(widths ...int) string {
		var b strings.Builder
		for _, w := range widths {
			fmt.Fprintf(&b, "\x1b[1;%dR", w+1)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, answer string // answer to the first questions
		want         []string
	}{
		{
			"as drawn", reports(3, 8, 4, 2, 2, 2, 3, 2) + "\x1b]11;rgb:ffff/ffff/eeee\x1b\\" + attributes,
			[]string{"background           light", "widths               Latin, CJK, emoji, emoji family, flag, combining, Hindi, ambiguous are as wide as expected"},
		},
		{
			"an old terminal", reports(3, 8, 4, 6, 4, 2, 6, 4) + attributes,
			[]string{
				"not known: dark is assumed", "warning  width: emoji family  👨\\u{200d}👩\\u{200d}👧 has 6 columns in this terminal; mediadesk expects 2",
				"warning  width: flag          🇳🇱 has 4 columns in this terminal; mediadesk expects 2", "can be misaligned",
				"note     width: ambiguous     ●→ has 4 columns: this terminal is set up for East Asian text",
			},
		},
		{"reports missing", reports(3, 8, 4) + attributes, []string{"note     width: Latin         not known; abc is drawn as 3 columns", "width: CJK           not known"}},
		{"silent", "", []string{"width: Latin         not known", "not known: dark is assumed", "no answer to the last question"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			expectOutput(t, func() string { return runDoctor(t, c.answer, attributes) }, append(c.want, "0 problems")...)
		})
	}
}

// expectOutput checks that doctor prints all texts. It repeats the run if answers are late: doctor waits
// half a second for a terminal, which a busy computer can miss.
func expectOutput(t *testing.T, ask func() string, want ...string) {
	t.Helper()
	var said, missing string
	for range 10 {
		said, missing = ask(), ""
		for _, w := range want {
			if !strings.Contains(said, w) {
				missing = w
			}
		}
		if missing == "" {
			return
		}
	}
	t.Errorf("no %q in\n%s", missing, said)
}

// runDoctor runs doctor on a terminal that gives the answers first to its first questions and
// later to all others. It returns the output.
func runDoctor(t *testing.T, first, later string) string {
	t.Helper()
	pty, err := xpty.NewUnixPty(120, 80)
	if err != nil {
		if os.Getenv("MEDIADESK_TEST_REQUIRE") == "all" {
			t.Fatal(err)
		}
		t.Skipf("this machine has no pseudo-terminals: %v", err)
	}
	defer pty.Close()
	home := t.TempDir()
	cmd := exec.Command(uitest.Build(t), "doctor")
	cmd.Env = []string{"MEDIADESK_HOME=" + home, "XDG_RUNTIME_DIR=" + home, "PATH=" + home, "TERM=xterm-256color", "LANG=C.UTF-8"}
	if err := pty.Start(cmd); err != nil {
		t.Fatal(err)
	}
	if err := pty.Slave().Close(); err != nil { // so that reading ends when the program does
		t.Fatal(err)
	}
	var written bytes.Buffer
	asked := 0
	buf := make([]byte, 4096)
	for {
		n, err := pty.Read(buf)
		written.Write(buf[:n])
		for ; asked < bytes.Count(written.Bytes(), []byte(ansi.RequestPrimaryDeviceAttributes)); asked++ {
			answer := first
			if asked > 0 && first != "" {
				answer = later
			}
			_, _ = io.WriteString(pty, answer) // the program may have ended without waiting
		}
		if err != nil { // Linux reports the end of a terminal's program as an error
			break
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("doctor ended with %v", err)
	}
	return strings.ReplaceAll(ansi.Strip(written.String()), "\r\n", "\n")
}
