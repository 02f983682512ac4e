//go:build !unix

package terminal

import "os"

// RunGuarded does nothing on this system: its consoles reset the modes of a program.
func RunGuarded(GuardOptions) (code int, ran bool) { return 0, false }

// Guarded is the connection of the screens to their guard.
type Guarded struct{}

// JoinGuard returns nil: there is no guard on this system.
func JoinGuard() *Guarded { return nil }

// Restored does nothing on this system.
func (g *Guarded) Restored() {}

// Stopping returns nil.
func (g *Guarded) Stopping() func() { return nil }

// endingSignals are the signals that end the screens in an orderly way.
var endingSignals = []os.Signal{os.Interrupt}

// signalCode returns the exit code for a program that a signal ended.
func signalCode(os.Signal) int { return 1 }
