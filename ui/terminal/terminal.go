// Package terminal looks after the terminal around the screens: it guards them
// from another process, so that a crash or a kill leaves the terminal as it was,
// and handles the signals that stop, continue and end the program.
package terminal

import (
	"io"
	"os"
)

// GuardOptions say how RunGuarded runs the screens.
type GuardOptions struct {
	// Out is the terminal, and Err is where the guard says what happened.
	Out *os.File
	Err io.Writer
	// Env are variables, as NAME=value, that the screens get beside those of this
	// process.
	Env []string
	// FD is a file descriptor that the screens inherit; below 3: none.
	FD int
	// Crashed keeps the report of a crash and returns what to say about it.
	Crashed func(report string) string
}

// SignalError says that a signal ended the program, or a question to the user.
// There is nothing more to say about it.
type SignalError struct {
	// Code is the exit code that a shell gives to such an end, such as 130.
	Code int
}

func (e *SignalError) Error() string { return "ended by a signal" }

// interrupted is the code of a program that ctrl+c ended.
const interrupted = 130
