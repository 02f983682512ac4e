// Package terminal protects the terminal around the screens: a parent process restores it
// after a crash or a kill. It also handles the signals that stop, continue and end the
// program.
package terminal

import (
	"io"
	"os"
)

// GuardOptions configures RunGuarded.
type GuardOptions struct {
	// Out is the terminal. Err receives the messages of the guard.
	Out *os.File
	Err io.Writer
	// Env are additional variables for the screens, as NAME=value.
	Env []string
	// FD is a file descriptor that the screens inherit; a value below 3 means none.
	FD int
	// Crashed saves the report of a crash and returns a message about it.
	Crashed func(report string) string
}

// SignalError reports that a signal ended the program or a prompt. It needs no message.
type SignalError struct {
	// Code is the shell's exit code for the signal, such as 130.
	Code int
}

func (e *SignalError) Error() string { return "ended by a signal" }

// interrupted is the exit code after ctrl+c.
const interrupted = 130
