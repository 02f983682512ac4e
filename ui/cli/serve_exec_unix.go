//go:build unix

package cli

import (
	"context"
	"os"
	"os/exec"
	"syscall"
)

// shellCommand returns a shell command that starts when begin is called, and not if this process
// ends before. Always call begin.
func shellCommand(ctx context.Context, command string) (cmd *exec.Cmd, begin func(), err error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd = exec.CommandContext(ctx, "sh", "-c", `read -r begin <&3 && exec sh -c "$1" 3<&-`, "sh", command)
	cmd.ExtraFiles = []*os.File{reader}
	return cmd, func() {
		reader.Close()
		_, _ = writer.WriteString("begin\n") // it may have ended
		writer.Close()
	}, nil
}

// ownGroup runs cmd in its own process group.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// ownSession runs cmd in its own session.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// endProcess terminates a process or its group, or kills it with force.
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

// endedBy returns the signal that ended a process.
func endedBy(state *os.ProcessState) (int, bool) {
	status, ok := state.Sys().(syscall.WaitStatus)
	return int(status.Signal()), ok && status.Signaled()
}
