//go:build unix

package cli_test

import (
	"strings"
	"testing"

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
