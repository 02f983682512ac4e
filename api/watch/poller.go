package watch

import (
	"context"
	"time"

	"mediadesk/api"
)

// Between two looks at a pending run: doubled from the first to the last.
const (
	firstLook = 2 * time.Second
	lastLook  = time.Minute
)

// glance is how often the journal is asked whether another program changed
// something. It costs microseconds.
const glance = time.Second

// check is when a run is looked at next.
type check struct {
	at    time.Time
	pause time.Duration // before the one after that
	never bool          // the service does not show this file
}

// NextCheck is when the poller looks at a pending run next; false: it does
// not, because there is nothing to look at.
func (w *Watch) NextCheck(runID int64) (time.Time, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, ok := w.checks[runID]
	return c.at, ok && !c.never
}

// poll looks at pending runs until ctx ends.
func (w *Watch) poll(ctx context.Context) {
	tick := time.NewTicker(glance)
	defer tick.Stop()
	seen, _ := w.o.Journal.Changes(ctx) // a journal that fails shows in every other call
	for pending := w.pending(ctx); ; {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
			pending = w.pending(ctx)
		case <-tick.C:
		}
		if now, err := w.o.Journal.Changes(ctx); err == nil && now != seen {
			seen = now
			pending = w.pending(ctx)
			w.signal()
		}
		w.lookAt(ctx, pending)
	}
}

// pending reads the runs whose end is not known and plans a look at each that
// is new.
func (w *Watch) pending(ctx context.Context) []api.Run {
	runs, err := w.o.Journal.Runs(ctx, api.RunFilter{Profile: w.o.Profile, Pending: true})
	if err != nil || w.o.Details == nil {
		return nil // asked again with the next change
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	checks := make(map[int64]check, len(runs))
	for _, run := range runs {
		c, ok := w.checks[run.ID]
		if !ok {
			c = check{at: w.o.Now().Add(firstLook), pause: 2 * firstLook}
		}
		checks[run.ID] = c
	}
	w.checks = checks
	return runs
}

// lookAt asks for the files of those runs whose time has come, each file once.
func (w *Watch) lookAt(ctx context.Context, pending []api.Run) {
	byFile := map[string][]api.Run{}
	var order []string
	for _, run := range pending {
		byFile[run.FileID] = append(byFile[run.FileID], run)
		if w.due(run.ID) {
			order = append(order, run.FileID)
		}
	}
	for _, id := range order {
		if runs := byFile[id]; len(runs) > 0 && ctx.Err() == nil {
			delete(byFile, id)
			w.lookAtFile(ctx, runs)
		}
	}
}

func (w *Watch) due(runID int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, ok := w.checks[runID]
	return ok && !c.never && !w.o.Now().Before(c.at)
}

// lookAtFile reads the record of a file and applies to its pending runs what
// it shows.
func (w *Watch) lookAtFile(ctx context.Context, runs []api.Run) {
	file, err := w.o.Details(ctx, runs[0].Profile, runs[0].FileID)
	w.plan(runs, err)
	if err != nil || file == nil || file.FileID != runs[0].FileID {
		return
	}
	if w.o.Journal.SaveFile(ctx, runs[0].Profile, *file) != nil {
		return // looked at again
	}
	for _, run := range runs {
		if !effect(&run, file) {
			continue
		}
		run.Status, run.From, run.At, run.Error = api.StatusSuccess, api.FromDetails, w.o.Now(), ""
		run.Answer = file // its history shows what was seen
		if changed, err := w.o.Journal.ApplyRun(ctx, run); err == nil && changed {
			w.signal()
		}
	}
}

// plan sets the next look at runs.
func (w *Watch) plan(runs []api.Run, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, run := range runs {
		c := w.checks[run.ID]
		if api.Unavailable(err) {
			c.never = true
		}
		c.at = w.o.Now().Add(c.pause)
		c.pause = min(2*c.pause, lastLook)
		w.checks[run.ID] = c
	}
}

// effect reports whether the record shows that the extension has done its
// work since the answer. That it failed no record ever shows.
func effect(run *api.Run, now *api.File) bool {
	then := run.Answer
	if then == nil {
		return false // without the state before, nothing can be told
	}
	switch {
	case api.IsTagging(run.Extension):
		return newTags(then.AITags.Or(nil), now.AITags.Or(nil), run.Extension)
	case run.Extension == api.RemoveBackground:
		if then.VersionInfo != nil && now.VersionInfo != nil && then.VersionInfo.ID != "" && now.VersionInfo.ID != "" {
			if then.VersionInfo.ID != now.VersionInfo.ID {
				return true
			}
		}
		return !then.HasAlpha.Or(true) && now.HasAlpha.Or(false)
	case run.Extension == api.AutoDescription:
		return now.Description != "" && now.Description != then.Description
	}
	return false
}

// newTags reports whether now holds a tag of the extension that then did not.
func newTags(then, now []api.AITag, extension string) bool {
	had := map[string]bool{}
	for _, tag := range then {
		if tag.Source == extension {
			had[tag.Name] = true
		}
	}
	for _, tag := range now {
		if tag.Source == extension && !had[tag.Name] {
			return true
		}
	}
	return false
}
