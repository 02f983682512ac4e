package extension

import (
	"os/exec"
	"syscall"
)

// alone hides the window of a command. Stopping it leaves its children running.
func alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true} }
