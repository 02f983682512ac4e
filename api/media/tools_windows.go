package media

import (
	"os/exec"
	"syscall"
)

// belowNormal is the class of processes that let others go first.
const belowNormal = 0x4000

// alone has a program run behind the others, without a window.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: belowNormal}
}

// limitNote is empty: there is no limit.
const limitNote = ""

// restrain has nothing left to do.
func restrain(int) {}
