package watch_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/watch"
)

// counted is a journal that counts how often its runs are read.
type counted struct {
	*journal.Journal
	readings atomic.Int64
}

func (c *counted) Runs(ctx context.Context, f api.RunFilter) ([]api.Run, error) {
	c.readings.Add(1)
	return c.Journal.Runs(ctx, f)
}

// TestRunsAreReadOnce: while nothing changes, callers get copies of the last result. After any change,
// also by another program, they get the new runs.
func TestRunsAreReadOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	open := func() *journal.Journal {
		j, err := journal.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { j.Close() })
		return j
	}
	files := &counted{Journal: open()}
	w := watch.New(watch.Options{Journal: files, Profile: "home"})
	runs := func() []api.Run {
		t.Helper()
		runs, err := w.Runs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return runs
	}
	now := time.Now()
	for i, j := range []*journal.Journal{files.Journal, open()} {
		kept, err := j.AddRuns(t.Context(), []api.Run{{
			Profile: "home", FileID: string(rune('a' + i)), Extension: api.RemoveBackground, Status: api.StatusPending, From: api.FromAnswer, Started: now, At: now,
		}})
		if err != nil {
			t.Fatal(err)
		}
		before := files.readings.Load()
		for range 3 {
			got := runs()
			if len(got) != i+1 || got[i].Status != api.StatusPending {
				t.Fatalf("%+v", got)
			}
			got[i].Status = "of its own"
		}
		if n := files.readings.Load() - before; n != 1 {
			t.Errorf("read %d times, want 1", n)
		}
		end := kept[0]
		end.Status, end.From = api.StatusSuccess, api.FromDetails
		if _, err := j.ApplyRun(t.Context(), end); err != nil {
			t.Fatal(err)
		}
		if got := runs(); got[i].Status != api.StatusSuccess {
			t.Errorf("after its end: %+v", got[i])
		}
	}
}
