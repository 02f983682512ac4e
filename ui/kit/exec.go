package kit

import (
	"io"
	"os"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"
)

// exchange is how long the terminal is given away at least. The goroutine of
// Bubble Tea that draws ends on its own time when the terminal is given away,
// and stops the clock of whatever draws then: taken back sooner, the terminal
// would stay dark.
const exchange = 150 * time.Millisecond

// Exec gives the terminal away while command runs; done turns its end into a
// message.
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

// process has the terminal for what it was not given already.
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

// wraps reports whether a stream is a file with something around it. A program gets the
// file then: it would get a pipe in the place of the terminal.
func wraps(stream any, f *os.File) bool {
	s, ok := stream.(interface{ Fd() uintptr })
	return ok && s.Fd() == f.Fd()
}

func (p process) SetStderr(w io.Writer) {
	if p.Stderr == nil {
		p.Stderr = w
	}
}
