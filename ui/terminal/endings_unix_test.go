//go:build unix

package terminal

import (
	"errors"
	"syscall"
	"testing"
)

// TestEndingsTwice: a signal that reaches the process group and is passed on by the guard ends the
// program cleanly. Otherwise the second one would end this test.
func TestEndingsTwice(t *testing.T) {
	quit := make(chan struct{})
	_, stop := Endings(func() { close(quit) })
	for range 3 {
		if err := syscall.Kill(syscall.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		<-quit
	}
	if signal, ok := errors.AsType[*SignalError](stop()); !ok || signal.Code != 129 {
		t.Errorf("ended by %v, want the code of a hang-up", signal)
	}
}

// TestHangUp: the end of the input ends the program like the signal, and a later signal changes nothing.
func TestHangUp(t *testing.T) {
	quit := make(chan struct{})
	hangUp, stop := Endings(func() { close(quit) })
	hangUp()
	<-quit
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if signal, ok := errors.AsType[*SignalError](stop()); !ok || signal.Code != 129 {
		t.Errorf("ended by %v, want the code of a hang-up", signal)
	}
}
