//go:build unix

package extension

import (
	"os/exec"
	"syscall"
)

// alone gives a command its own process group, so that stopping it early also kills its children.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
