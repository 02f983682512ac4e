//go:build unix

package media

import (
	"os/exec"
	"syscall"
)

// niceness is the nice value of converters.
const niceness = 10

// alone runs a program in its own process group, so that its children are killed with it.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// restrain lowers the priority of a running program and limits its memory where possible.
func restrain(pid int) {
	_ = syscall.Setpriority(syscall.PRIO_PGRP, pid, niceness)
	limit(pid)
}
