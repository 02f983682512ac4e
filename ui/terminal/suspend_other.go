//go:build !unix

package terminal

// NoSuspend says why the program cannot be suspended; empty if it can.
func NoSuspend() string { return "This system cannot suspend a program." }

// Suspend does nothing.
func Suspend() error { return nil }
