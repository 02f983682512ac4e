//go:build unix

package cli

import (
	"context"
	"os"
	"os/exec"
	"syscall"

	"mediadesk/ui/text"
)

func shellCommand(ctx context.Context, command string) *exec.Cmd {
	return exec.CommandContext(ctx, "sh", "-c", command)
}

func newGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endProcess terminates a process or its group, or kills it with force.
func endProcess(pid int, group, force bool) error {
	if group {
		pid = -pid
	}
	return syscall.Kill(pid, text.Either(force, syscall.SIGKILL, syscall.SIGTERM))
}

func endedBy(state *os.ProcessState) (int, bool) {
	status, ok := state.Sys().(syscall.WaitStatus)
	return int(status.Signal()), ok && status.Signaled()
}
