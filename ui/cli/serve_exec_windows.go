package cli

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// shellCommand is command in a shell. There is nothing to begin.
func shellCommand(ctx context.Context, command string) (cmd *exec.Cmd, begin func(), err error) {
	return exec.CommandContext(ctx, "cmd", "/c", command), func() {}, nil
}

// ownGroup has cmd run in a process group of its own.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// ownSession is ownGroup: ctrl+c does not reach cmd.
func ownSession(cmd *exec.Cmd) { ownGroup(cmd) }

// endProcess ends a process, with those that it started if it has a group.
func endProcess(pid int, group, _ bool) error {
	args := []string{"/F", "/PID", strconv.Itoa(pid)}
	if group {
		args = append(args, "/T")
	}
	return exec.Command("taskkill", args...).Run()
}

// endedBy reports no signal: this system has none.
func endedBy(*os.ProcessState) (int, bool) { return 0, false }
