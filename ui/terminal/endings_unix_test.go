//go:build unix

package terminal

import (
	"errors"
	"syscall"
	"testing"
)

// TestEndingsTwice: what a terminal that goes away sends to the whole process group,
// and the guard hands on once more, ends the program in good order. The second one
// would end this test otherwise.
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

// TestHangUp: the end of the input ends the program as the signal does, and the signal
// that comes after it changes nothing.
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
