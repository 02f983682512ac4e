package config

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestHardenProcess runs in a child process, because hardening cannot be undone.
func TestHardenProcess(t *testing.T) {
	const variable = "MEDIADESK_TEST_HARDEN"
	if os.Getenv(variable) == "" {
		self, err := os.Executable()
		must(t, err)
		cmd := exec.Command(self, "-test.run=^TestHardenProcess$", "-test.v")
		cmd.Env = append(os.Environ(), variable+"=1")
		if out, err := cmd.CombinedOutput(); err != nil ||
			!strings.Contains(string(out), "--- PASS: TestHardenProcess") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	must(t, HardenProcess())
	if dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err != nil || dumpable != 0 {
		t.Errorf("still dumpable: %d, %v, want 0", dumpable, err)
	}
	var core unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &core); err != nil || core.Cur != 0 || core.Max != 0 {
		t.Errorf("core files are still written: %+v, %v", core, err)
	}
	// The program and its child programs still work.
	must(t, exec.Command("true").Run())
}
