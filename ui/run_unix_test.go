//go:build unix

package ui

import (
	"bytes"
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
)

// TestFinishSending: at the end the program says what it waits for, and ctrl+c ends the wait.
func TestFinishSending(t *testing.T) {
	said := make(lineWriter, 1)
	err := finishSending(t.Context(), time.Hour, said, func(ctx context.Context) error {
		if line := <-said; !bytes.Contains(line, []byte("3600 seconds")) {
			t.Errorf("got the line %q", line)
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			t.Error(err)
		}
		<-ctx.Done()
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	failed := errors.New("failed")
	if err := finishSending(t.Context(), time.Hour, said, func(context.Context) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if len(said) > 0 {
		t.Errorf("a short wait was announced: %q", <-said)
	}
}

// lineWriter sends each written line to a channel.
type lineWriter chan []byte

func (w lineWriter) Write(p []byte) (int, error) {
	w <- bytes.Clone(p)
	return len(p), nil
}
