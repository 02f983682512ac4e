//go:build unix

package extension

import (
	"os/exec"
	"syscall"
)

// alone puts a command into a group of its own, so that what it starts ends
// with it.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
