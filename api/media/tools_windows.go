package media

import (
	"os/exec"
	"syscall"
)

// belowNormal is BELOW_NORMAL_PRIORITY_CLASS.
const belowNormal = 0x4000

// alone runs a program with lower priority and without a window.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: belowNormal}
}

// limitNote is empty because the memory is not limited.
const limitNote = ""

// restrain does nothing.
func restrain(int) {}
