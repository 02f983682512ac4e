//go:build unix

package cli

import (
	"context"
	"os"
	"os/exec"
	"syscall"
)

// shellCommand is command in a shell, which waits for begin. If this process ends
// before, the command does not begin. Call begin in any case.
func shellCommand(ctx context.Context, command string) (cmd *exec.Cmd, begin func(), err error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd = exec.CommandContext(ctx, "sh", "-c", `read -r begin <&3 && exec sh -c "$1" 3<&-`, "sh", command)
	cmd.ExtraFiles = []*os.File{reader} // file descriptor 3
	return cmd, func() {
		reader.Close()
		_, _ = writer.WriteString("begin\n") // it may have ended
		writer.Close()
	}, nil
}

// ownGroup has cmd run in a process group of its own.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// ownSession has cmd run in a session of its own.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// endProcess asks a process or its group to end, or forces it.
func endProcess(pid int, group, force bool) error {
	if group {
		pid = -pid
	}
	signal := syscall.SIGTERM
	if force {
		signal = syscall.SIGKILL
	}
	return syscall.Kill(pid, signal)
}

// endedBy returns the number of the signal that ended a process.
func endedBy(state *os.ProcessState) (int, bool) {
	status, ok := state.Sys().(syscall.WaitStatus)
	return int(status.Signal()), ok && status.Signaled()
}
