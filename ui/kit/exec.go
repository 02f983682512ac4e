package kit

import (
	"io"
	"os"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"
)

// exchange is the minimum time for which the terminal is released. Bubble Tea's
// renderer goroutine stops asynchronously on release, and stops the ticker of whatever
// renders then: if the terminal is restored sooner, it stays blank.
const exchange = 150 * time.Millisecond

// Exec releases the terminal while command runs. done turns its result into a message.
func Exec(command tea.ExecCommand, done tea.ExecCallback) tea.Cmd {
	return tea.Exec(unhurried{command}, done)
}

// ExecProcess is Exec for another program.
func ExecProcess(command *exec.Cmd, done tea.ExecCallback) tea.Cmd {
	return Exec(process{command}, done)
}

type unhurried struct{ tea.ExecCommand }

func (u unhurried) Run() error {
	taken := time.NewTimer(exchange)
	defer taken.Stop()
	err := u.ExecCommand.Run()
	<-taken.C
	return err
}

// process uses the terminal for the streams that are not set.
type process struct{ *exec.Cmd }

func (p process) SetStdin(r io.Reader) {
	if p.Stdin == nil {
		p.Stdin = r
		if wraps(r, os.Stdin) {
			p.Stdin = os.Stdin
		}
	}
}

func (p process) SetStdout(w io.Writer) {
	if p.Stdout == nil {
		p.Stdout = w
		if wraps(w, os.Stdout) {
			p.Stdout = os.Stdout
		}
	}
}

// wraps reports whether stream is a wrapper around the file f. A program then gets f
// itself, because it would get a pipe instead of the terminal.
func wraps(stream any, f *os.File) bool {
	s, ok := stream.(interface{ Fd() uintptr })
	return ok && s.Fd() == f.Fd()
}

func (p process) SetStderr(w io.Writer) {
	if p.Stderr == nil {
		p.Stderr = w
	}
}
