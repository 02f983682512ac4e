package cli

import (
	"context"
	"errors"
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
	interrupt context.CancelFunc
}

func (j *cutJournal) Claim(ctx context.Context, profile string, ids []int64) ([]job.Job, error) {
	j.interrupt()
	return j.Journal.Claim(ctx, profile, ids)
}

// TestInterruptedWhileCollecting: after an interrupt before the queued uploads are claimed, the command
// says that nothing was sent.
func TestInterruptedWhileCollecting(t *testing.T) {
	j, err := journal.Open(t.Context(), filepath.Join(t.TempDir(), "journal.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	added, err := j.AddJobs(t.Context(), make([]job.Job, 2))
	if err == nil {
		err = j.Release(t.Context(), []int64{added[0].ID, added[1].ID})
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	// The queue is not started, so nothing is sent.
	q := queue.New(queue.Options{Journal: &cutJournal{j, interrupt}})
	defer q.Close(t.Context())
	ids, err := resume(ctx, &Program{quiet: true}, &session.Session{Journal: j, Queue: q})
	var exit *exitError
	if len(ids) != 0 || !errors.As(err, &exit) || exit.code != exitUnknown || errors.Is(err, context.Canceled) {
		t.Errorf("%d jobs, error %v", len(ids), err)
	}
}
