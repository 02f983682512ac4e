package extension

import (
	"os/exec"
	"syscall"
)

func alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true} }
