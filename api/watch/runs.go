package watch

import (
	"context"
	"slices"
	"sync"

	"mediadesk/api"
)

// reading caches the runs for the screens, several of which read them after each change.
type reading struct {
	mu   sync.Mutex
	read bool
	runs []api.Run
	// changes is the state of the journal before reading, so that concurrent changes are read again.
	changes int64
}

// Runs returns the runs of the profile, newest last: at most 1,000, plus all pending ones. Do not modify
// what they point to, because it is shared.
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
