//go:build !unix

package terminal

import "io"

// Signals handles stop and continue signals, which this system does not have.
type Signals struct{}

// Watch does nothing on this system.
func (s *Signals) Watch(stop, resumed func()) {}

// Close does nothing on this system.
func (s *Signals) Close() {}

// NoSuspend says why the program cannot be suspended; empty if it can.
func NoSuspend() string { return "This system cannot suspend a program." }

// Suspend is not used on this system.
type Suspend struct {
	Signals  *Signals
	Stopping func()
}

// Run does nothing on this system.
func (Suspend) Run() error { return nil }

// SetStdin and the others implement tea.ExecCommand.
func (Suspend) SetStdin(io.Reader)  {}
func (Suspend) SetStdout(io.Writer) {}
func (Suspend) SetStderr(io.Writer) {}
