package terminal

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/charmbracelet/x/term"
)

// NotifyContext returns a context that the first interrupt or SIGTERM cancels, with a
// *SignalError as its cause. A second signal ends the program at once.
func NotifyContext(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := notify(parent, os.Interrupt, syscall.SIGTERM)
	return ctx, func() { cancel(nil) }
}

// ScreensContext returns a context that SIGHUP, SIGQUIT and SIGABRT cancel, too. hangUp acts
// like a SIGHUP. Use it for Bubble Tea programs with tea.WithoutSignalHandler: Bubble Tea's
// own handler blocks forever if the program ends while it delivers a signal.
func ScreensContext(parent context.Context) (ctx context.Context, hangUp func()) {
	ctx, cancel := notify(parent, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT)
	// A shell and the system may both report that the terminal is gone.
	context.AfterFunc(ctx, func() { signal.Ignore(syscall.SIGHUP) })
	return ctx, func() { cancel(signaled(syscall.SIGHUP)) }
}

// notify returns a context that the first of the signals cancels.
func notify(parent context.Context, signals ...os.Signal) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	came := make(chan os.Signal, 1)
	signal.Notify(came, signals...)
	go func() {
		defer signal.Stop(came)
		select {
		case s := <-came:
			cancel(signaled(s.(syscall.Signal))) // there is no other kind
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// signaled returns the error with a shell's exit code for a program that a signal ended.
func signaled(s syscall.Signal) error { return &SignalError{128 + int(s)} }

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

// Ask returns the result of ask, or a *SignalError as soon as ctx ends, so that the user
// need not press enter after ctrl+c. It restores the terminal modes that ask changed, such
// as echo; the goroutine of ask keeps running.
func Ask(ctx context.Context, in io.Reader, ask func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	restore := func() {}
	if tty, ok := in.(*os.File); ok {
		if before, err := term.GetState(tty.Fd()); err == nil {
			restore = func() { _ = term.Restore(tty.Fd(), before) }
		}
	}
	given := make(chan answer, 1)
	go func() {
		text, err := ask()
		given <- answer{text, err}
	}()
	select {
	case a := <-given:
		return a.text, a.err
	case <-ctx.Done():
		restore()
		return "", signaled(syscall.SIGINT)
	}
}
