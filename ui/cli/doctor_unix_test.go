//go:build unix

package cli_test

import (
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/uitest"
)

// TestDoctorOnATerminal runs doctor on the virtual terminal.
func TestDoctorOnATerminal(t *testing.T) {
	home := t.TempDir()
	term := uitest.StartBinary(t, uitest.Build(t), []string{"doctor"},
		[]string{"MEDIADESK_HOME=" + home, "XDG_RUNTIME_DIR=" + home, "PATH=" + home}, 160, 120)
	term.Wait()
	mediatest.Equal(t, term.ExitCode(), 0, "exit code")
	uitest.Shows(t, term.Screen(), "size 160x120", "colors 16 million", "not installed; it would show SVG", "0 problems")
}
