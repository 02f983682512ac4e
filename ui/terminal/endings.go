package terminal

import (
	"os"
	"os/signal"
	"sync/atomic"
)

// Endings calls quit at the first signal that ends a program. Bubble Tea programs
// need it together with tea.WithoutSignalHandler: Bubble Tea's own handler waits
// for ever if the program ends while it delivers a signal.
//
// The function that it returns ends the watching. Its error is a *SignalError if a
// signal came, else nil.
func Endings(quit func()) (ended func() error) {
	came := make(chan os.Signal, 4)
	signal.Notify(came, endingSignals...)
	var first atomic.Pointer[os.Signal]
	done := make(chan struct{})
	go func() {
		select {
		case s := <-came:
			first.Store(&s)
			quit()
		case <-done:
		}
	}()
	return func() error {
		close(done)
		signal.Stop(came)
		if s := first.Load(); s != nil {
			return &SignalError{signalCode(*s)}
		}
		return nil
	}
}
