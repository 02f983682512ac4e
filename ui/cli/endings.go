package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"time"

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

// silence is how long leaving may take before it says what it waits for.
const silence = 300 * time.Millisecond

// FinishSending lets uploads that are under way come to their answers, for as
// long as patience or until ctrl+c. Where that takes a while, out is told: the
// screens are gone by then, and nobody should wonder what happens next.
func FinishSending(ctx context.Context, patience time.Duration, out io.Writer, finish func(context.Context) error) error {
	ctx, enough := context.WithTimeout(ctx, patience)
	defer enough()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	say := time.AfterFunc(silence, func() {
		fmt.Fprintf(out, "Waiting up to %d seconds for the answers to uploads that are under way; the others go on next time. ctrl+c leaves now.\n", int(patience.Seconds())) //nolint:errcheck // there is nobody else to tell
	})
	defer say.Stop()
	return finish(ctx)
}

// closeGrace is how long the parts of a desk may take when their time is over:
// those that wait for it to be over need a moment then.
const closeGrace = 3 * time.Second

// errHangs is what CloseInReverse gives up with.
var errHangs = errors.New("something did not close in time and was left; what was under way waits in the journal")

// CloseInReverse closes the parts of a desk, the last one first. Whatever hangs
// is left shortly after ctx ended: nobody should have to kill a program that
// they left, and what is durable is durable already.
func CloseInReverse(ctx context.Context, parts []func(context.Context) error) error {
	closed := make(chan error, 1)
	go func() {
		var errs []error
		for i := len(parts) - 1; i >= 0; i-- {
			errs = append(errs, parts[i](ctx))
		}
		closed <- errors.Join(errs...)
	}()
	select {
	case err := <-closed:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-closed:
		return err
	case <-time.After(closeGrace):
		return errHangs
	}
}
