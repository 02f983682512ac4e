package session

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"mediadesk/api/media/mediatest"
)

func TestCloseInReverse(t *testing.T) {
	var order []int
	part := func(n int, err error) func(context.Context) error {
		return func(context.Context) error { order = append(order, n); return err }
	}
	second := errors.New("the second")
	err := (&Session{closers: []func(context.Context) error{
		part(1, nil), part(2, second), part(3, nil),
	}}).Close(t.Context())
	if !errors.Is(err, second) || !slices.Equal(order, []int{3, 2, 1}) {
		t.Errorf("%v in the order %v", err, order)
	}
}

// TestCloseLeavesWhatHangs: a part that finishes within its time is waited for, and one that hangs is not.
func TestCloseLeavesWhatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		patient := func(ctx context.Context) error { <-ctx.Done(); return nil }
		ctx, cancel := context.WithTimeout(t.Context(), CloseTimeout)
		defer cancel()
		must(t, (&Session{closers: []func(context.Context) error{patient}}).Close(ctx))

		release := make(chan struct{})
		defer close(release)
		hangs := func(context.Context) error { <-release; return nil }
		began := time.Now()
		ctx, cancel = context.WithTimeout(t.Context(), CloseTimeout)
		defer cancel()
		s := &Session{closers: []func(context.Context) error{hangs}}
		if err := s.Close(ctx); !errors.Is(err, errHangs) {
			t.Error(err)
		}
		mediatest.Equal(t, time.Since(began), CloseTimeout+abandonTimeout, "Close returned after")
	})
}
