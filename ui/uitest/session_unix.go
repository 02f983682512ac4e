//go:build unix

package uitest

import (
	"os/exec"
	"syscall"
)

const terminate = syscall.SIGTERM

// newSession gives a process its own session with the terminal, so that it receives the
// terminal's signals.
func newSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
}
