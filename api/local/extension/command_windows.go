package extension

import (
	"os/exec"
	"syscall"
)

// alone runs a command without a window.
func alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true} }
