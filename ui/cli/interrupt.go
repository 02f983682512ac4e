package cli

import (
	"context"
	"io"
	"os"

	"github.com/charmbracelet/x/term"
)

// untilInterrupted gives what ask gives, or errInterrupted as soon as ctx ends:
// whoever presses ctrl+c at a question does not have to press enter, too. What
// ask had the terminal do, such as not to show what is typed, is taken back;
// ask itself goes on to wait, and the program has nothing left to ask.
func untilInterrupted(ctx context.Context, in io.Reader, ask func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	back := func() {}
	if tty, ok := in.(*os.File); ok {
		if before, err := term.GetState(tty.Fd()); err == nil {
			back = func() { _ = term.Restore(tty.Fd(), before) }
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
		back()
		return "", errInterrupted
	}
}

// errInterrupted ends a command at whose question ctrl+c was pressed.
var errInterrupted = &exitError{code: exitInterrupted}
