package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// NotifyContext returns a context that the first interrupt or SIGTERM cancels, with a
// *SignalError as its cause; a second one ends the program at once.
func NotifyContext(parent context.Context) (ctx context.Context, stop func()) {
	return notify(parent, os.Interrupt, syscall.SIGTERM)
}

// Endings calls quit at the first signal that ends a program. Bubble Tea programs
// need it together with tea.WithoutSignalHandler: Bubble Tea's own handler waits
// for ever if the program ends while it delivers a signal.
//
// hangUp is as if a SIGHUP had come. The function stop stops all that; its error is a
// *SignalError if a signal came, else nil.
func Endings(quit func()) (hangUp func(), stop func() error) {
	parent, end := context.WithCancelCause(context.Background())
	ctx, cancel := notify(parent, endingSignals...)
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

// notify returns a context that the first of the signals cancels.
func notify(parent context.Context, signals ...os.Signal) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	came := make(chan os.Signal, 1)
	signal.Notify(came, signals...)
	var done sync.WaitGroup
	done.Go(func() {
		defer signal.Stop(came)
		select {
		case s := <-came:
			cancel(&SignalError{signalCode(s)})
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		cancel(nil)
		done.Wait()
	}
}

// Input is the terminal as a program's input. It calls Ended when there is nothing more to
// read: the terminal is gone. Without a controlling terminal no SIGHUP tells that.
type Input struct {
	*os.File
	Ended func()
}

// Read reads what was typed.
func (i Input) Read(b []byte) (int, error) {
	n, err := i.File.Read(b)
	if n == 0 && err != nil {
		i.Ended()
		err = io.EOF
	}
	return n, err
}
