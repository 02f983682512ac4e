package command

import (
	"os"
	"os/signal"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
)

// Endings ends a program in good order at a signal. The program is made with
// tea.WithoutSignalHandler: Bubble Tea's own waits for ever where the program
// ends while it is handing a signal over.
//
// The function that it returns ends the watching, and gives the error that
// carries the exit code where a signal came: nil where none did.
func Endings(program *tea.Program) (ended func() error) {
	came := make(chan os.Signal, 4)
	signal.Notify(came, endingSignals...)
	var first atomic.Pointer[os.Signal]
	done := make(chan struct{})
	go func() {
		select {
		case s := <-came:
			first.Store(&s)
			program.Quit()
		case <-done:
		}
	}()
	return func() error {
		close(done)
		signal.Stop(came)
		if s := first.Load(); s != nil {
			return &exitError{code: signalCode(*s)}
		}
		return nil
	}
}
