//go:build !unix

package terminal

import "os"

// RunGuarded does nothing on this system: its consoles forget a program's modes.
func RunGuarded(GuardOptions) (code int, ran bool) { return 0, false }

// Guarded is the screens' end of the guard.
type Guarded struct{}

// JoinGuard gives nil: nobody guards the terminal on this system.
func JoinGuard() *Guarded { return nil }

// Restored tells the guard that the terminal was given back.
func (g *Guarded) Restored() {}

// Stopping gives nil: there is nobody to tell.
func (g *Guarded) Stopping() func() { return nil }

// endingSignals end the screens in good order.
var endingSignals = []os.Signal{os.Interrupt}

// signalCode is the exit code of a program that a signal ended.
func signalCode(os.Signal) int { return 1 }
