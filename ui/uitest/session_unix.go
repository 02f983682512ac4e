//go:build unix

package uitest

import (
	"os/exec"
	"syscall"
)

// terminate asks a process to end.
const terminate = syscall.SIGTERM

// ownSession makes the terminal the process's own, so that it gets its signals.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
}
