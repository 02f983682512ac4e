//go:build unix

package terminal

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/xpty"
)

// TestInterruptedAtAQuestion: the question for a key ends with the context, and the terminal shows
// typed text again.
func TestInterruptedAtAQuestion(t *testing.T) {
	pty, err := xpty.NewUnixPty(80, 24)
	if err != nil {
		t.Skipf("this machine has no pseudo-terminals: %v", err)
	}
	defer pty.Close()
	tty := pty.Slave()
	before, err := term.GetState(tty.Fd())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	text, err := Ask(ctx, tty, func() (string, error) {
		defer close(over)
		if _, err := term.MakeRaw(tty.Fd()); err != nil {
			t.Error(err)
		}
		cancel()
		buf := make([]byte, 1)
		n, err := tty.Read(buf)
		return string(buf[:n]), err
	})
	if ended := new(SignalError); text != "" || !errors.As(err, &ended) || ended.Code != 130 {
		t.Errorf("%q, %v", text, err)
	}
	after, err := term.GetState(tty.Fd())
	if err != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("the terminal is another one: %v", err)
	}
	if _, err := pty.Write([]byte("x\n")); err != nil { // pending input is to end with the test
		t.Fatal(err)
	}
	<-over
}

// TestAnsweredQuestion returns the typed answer.
func TestAnsweredQuestion(t *testing.T) {
	text, err := Ask(t.Context(), nil, func() (string, error) { return "yes", nil })
	if text != "yes" || err != nil {
		t.Errorf("%q, %v, want \"yes\"", text, err)
	}
}
