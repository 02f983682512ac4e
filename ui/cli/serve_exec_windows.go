package cli

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

func shellCommand(ctx context.Context, command string) *exec.Cmd {
	return exec.CommandContext(ctx, "cmd", "/c", command)
}

func newGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// endProcess ends a process, with its children if it has a group.
func endProcess(pid int, group, _ bool) error {
	args := []string{"/F", "/PID", strconv.Itoa(pid)}
	if group {
		args = append(args, "/T")
	}
	return exec.Command("taskkill", args...).Run()
}

// endedBy always returns false: Windows has no signals.
func endedBy(*os.ProcessState) (int, bool) { return 0, false }
