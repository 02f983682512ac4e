package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/queue"
	"mediadesk/api/session"
)

// cutJournal interrupts the command when it claims jobs for the n-th time.
type cutJournal struct {
	*journal.Journal
	n         int
	interrupt context.CancelFunc
}

func (j *cutJournal) Claim(ctx context.Context, profile string, ids []int64) ([]job.Job, error) {
	if j.n--; j.n == 0 {
		j.interrupt()
	}
	return j.Journal.Claim(ctx, profile, ids)
}

// TestInterruptedWhileCollecting: queued uploads are claimed in portions. After an interrupt before
// the first portion the command says that nothing was sent. After one between two portions it
// reports the state.
func TestInterruptedWhileCollecting(t *testing.T) {
	for n, want := range map[int]int{1: 0, 2: journal.MaxClaim} {
		t.Run(fmt.Sprint("portion ", n), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.db")
			before, err := journal.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := before.AddJobs(t.Context(), make([]job.Job, journal.MaxClaim+1)); err != nil {
				t.Fatal(err)
			}
			if err := before.Close(); err != nil {
				t.Fatal(err)
			}

			j, err := journal.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			// The queue is not started, so nothing is sent.
			q := queue.New(queue.Options{Journal: &cutJournal{j, n, interrupt}})
			defer q.Close(t.Context())
			ids, err := resume(ctx, &Program{quiet: true}, &session.Session{Journal: j, Queue: q})
			if len(ids) != want {
				t.Errorf("%d jobs, want %d", len(ids), want)
			}
			var exit *exitError
			if want > 0 {
				if err != nil {
					t.Errorf("error %v", err)
				}
			} else if !errors.As(err, &exit) || exit.code != exitUnknown || errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		})
	}
}
