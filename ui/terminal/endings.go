package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// NotifyContext returns a context that the first interrupt or SIGTERM cancels, with a
// *SignalError as its cause. A second signal ends the program at once.
func NotifyContext(parent context.Context) (ctx context.Context, stop func()) {
	return notify(parent, 0, os.Interrupt, syscall.SIGTERM)
}

// echoTime is how long signals after the first are dropped: a signal to the process group
// reaches the screens both directly and through their guard.
const echoTime = time.Second

// Endings calls quit at the first signal that ends a program. Use it for Bubble Tea
// programs with tea.WithoutSignalHandler: Bubble Tea's own handler blocks forever if the
// program ends while it delivers a signal.
//
// hangUp acts like a SIGHUP. stop stops the handling; it returns a *SignalError if a
// signal arrived, otherwise nil.
func Endings(quit func()) (hangUp func(), stop func() error) {
	parent, end := context.WithCancelCause(context.Background())
	ctx, cancel := notify(parent, echoTime, endingSignals...)
	noQuit := context.AfterFunc(ctx, quit)
	return func() { end(&SignalError{signalCode(syscall.SIGHUP)}) }, func() error {
		noQuit()
		cancel()
		end(nil)
		if problem, ok := errors.AsType[*SignalError](context.Cause(ctx)); ok {
			return problem
		}
		return nil
	}
}

// notify returns a context that the first of the signals cancels. It drops signals for the
// duration echo; after that, the next one ends the program at once, except for a SIGHUP,
// which only says that the terminal is gone.
func notify(parent context.Context, echo time.Duration, signals ...os.Signal) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	came, stopped := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(came, signals...)
	var done sync.WaitGroup
	done.Go(func() {
		defer signal.Stop(came)
		select {
		case s := <-came:
			cancel(&SignalError{signalCode(s)})
		case <-ctx.Done():
		}
		if echo > 0 {
			signal.Ignore(syscall.SIGHUP)
			select {
			case <-stopped:
			case <-time.After(echo):
			}
		}
	})
	return ctx, sync.OnceFunc(func() {
		cancel(nil)
		close(stopped)
		done.Wait()
	})
}

// Input is the terminal as a program's input. It calls Ended at the end of input, when
// the terminal is gone: without a controlling terminal, no SIGHUP arrives.
type Input struct {
	*os.File
	Ended func()
}

// Read reads from the terminal.
func (i Input) Read(b []byte) (int, error) {
	n, err := i.File.Read(b)
	if n == 0 && err != nil {
		i.Ended()
		err = io.EOF
	}
	return n, err
}
