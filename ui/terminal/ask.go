package terminal

import (
	"context"
	"io"
	"os"

	"github.com/charmbracelet/x/term"
)

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
		return "", &SignalError{interrupted}
	}
}
