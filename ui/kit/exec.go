package kit

import (
	"io"
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
	}
}

func (p process) SetStdout(w io.Writer) {
	if p.Stdout == nil {
		p.Stdout = w
	}
}

func (p process) SetStderr(w io.Writer) {
	if p.Stderr == nil {
		p.Stderr = w
	}
}
