//go:build unix

package media

import (
	"os/exec"
	"syscall"
)

// niceness of a program that makes a preview: everything else goes first.
const niceness = 10

// alone puts a program into a group of its own, so that what it starts ends with
// it.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// restrain limits the resources of a running process group. Failures are ignored.
func restrain(pid int) {
	_ = syscall.Setpriority(syscall.PRIO_PGRP, pid, niceness)
	limit(pid)
}
