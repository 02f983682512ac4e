package kit

import (
	"io"
	"os"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"
)

// minReleaseDelay is the minimum time for which the terminal is released. Bubble Tea's
// renderer goroutine stops asynchronously on release, and stops the ticker of whatever
// renders then: if the terminal is restored sooner, it stays blank.
const minReleaseDelay = 150 * time.Millisecond

// ExecProcess releases the terminal while command runs. done turns its result into a message.
func ExecProcess(command *exec.Cmd, done tea.ExecCallback) tea.Cmd {
	return tea.Exec(process{command}, done)
}

// process uses the terminal itself where Bubble Tea wraps it: a wrapper would become a pipe.
type process struct{ *exec.Cmd }

func (p process) Run() error {
	released := time.NewTimer(minReleaseDelay)
	defer released.Stop()
	err := p.Cmd.Run()
	<-released.C
	return err
}

func (p process) SetStdin(r io.Reader) {
	if p.Stdin = r; wraps(r, os.Stdin) {
		p.Stdin = os.Stdin
	}
}

func (p process) SetStdout(w io.Writer) {
	if p.Stdout = w; wraps(w, os.Stdout) {
		p.Stdout = os.Stdout
	}
}

func (p process) SetStderr(w io.Writer) { p.Stderr = w }

func wraps(stream any, f *os.File) bool {
	s, ok := stream.(interface{ Fd() uintptr })
	return ok && s.Fd() == f.Fd()
}
