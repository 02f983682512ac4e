package cli

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// shellCommand returns a shell command. begin does nothing.
func shellCommand(ctx context.Context, command string) (cmd *exec.Cmd, begin func(), err error) {
	return exec.CommandContext(ctx, "cmd", "/c", command), func() {}, nil
}

// ownGroup runs cmd in its own process group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// ownSession is ownGroup: ctrl+c does not reach cmd.
func ownSession(cmd *exec.Cmd) { ownGroup(cmd) }

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
