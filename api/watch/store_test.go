package watch

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/media/mediatest"
)

func TestMain(m *testing.M) {
	mediatest.TempInMemory()
	mediatest.WaitTogether()
	goleak.VerifyTestMain(m)
}

// newJournal returns an empty journal that is closed when the test ends.
func newJournal(t testing.TB) *journal.Journal {
	t.Helper()
	j, err := journal.Open(t.Context(), filepath.Join(t.TempDir(), "journal.db"))
	must(t, err)
	t.Cleanup(func() { must(t, j.Close()) })
	return j
}

// theRun returns the first run of a journal.
func theRun(t testing.TB, j *journal.Journal) job.Run {
	t.Helper()
	runs, err := j.Runs(context.WithoutCancel(t.Context()), job.RunFilter{})
	if err != nil || len(runs) == 0 {
		t.Fatalf("no run: %v", err)
	}
	return runs[0]
}

// lastSeen returns the record of a file; false if it was never seen.
func lastSeen(t testing.TB, j *journal.Journal, id string) (api.File, bool) {
	t.Helper()
	seen, ok, err := j.File(t.Context(), "home", id)
	must(t, err)
	return seen.File, ok
}

// start returns a running watch that is closed when the test ends.
func start(t testing.TB, o Options) *Watch {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	o.Profile = "home"
	w := New(o)
	must(t, w.Start(t.Context()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := w.Close(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
	return w
}

func record(t testing.TB, text string) *api.File {
	t.Helper()
	f := new(api.File)
	must(t, f.UnmarshalJSON([]byte(text)))
	return f
}

var must = mediatest.Must
