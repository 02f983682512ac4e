package extension

import (
	"os/exec"
	"syscall"
)

// alone has a command run without a window.
func alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true} }
