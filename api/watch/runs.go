package watch

import (
	"context"
	"slices"
	"sync"

	"mediadesk/api"
)

// reading is the last reading of the runs. Several screens ask at each change:
// they share it.
type reading struct {
	mu   sync.Mutex
	read bool
	runs []api.Run
	// changes are those of the journal before it was read: what was written
	// meanwhile is read again.
	changes int64
}

// Runs returns the runs of the profile, the newest last: at most 1,000, and
// all that are pending. What they point to is shared: do not change it.
func (w *Watch) Runs(ctx context.Context) ([]api.Run, error) {
	r := &w.reading
	r.mu.Lock()
	defer r.mu.Unlock()
	changes, err := w.o.Journal.Changes(ctx)
	if err != nil {
		return nil, err
	}
	if !r.read || changes != r.changes {
		runs, err := w.readRuns(ctx)
		if err != nil {
			return nil, err
		}
		r.runs, r.read, r.changes = runs, true, changes
	}
	return slices.Clone(r.runs), nil
}

func (w *Watch) readRuns(ctx context.Context) ([]api.Run, error) {
	const most = 1000
	runs, err := w.o.Journal.Runs(ctx, api.RunFilter{Profile: w.o.Profile, Limit: most})
	if err != nil || len(runs) < most {
		return runs, err
	}
	pending, err := w.o.Journal.Runs(ctx, api.RunFilter{Profile: w.o.Profile, Pending: true})
	if err != nil {
		return nil, err
	}
	var older []api.Run
	for _, run := range pending {
		if run.ID < runs[0].ID {
			older = append(older, run)
		}
	}
	return append(older, runs...), nil
}
