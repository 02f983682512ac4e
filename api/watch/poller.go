package watch

import (
	"context"
	"slices"
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
	at      time.Time
	pause   time.Duration // before the one after that
	missing int           // how often the service did not show the file
}

// maxMissing is how often a service may not show a file before it is not
// asked for it any more: right after an upload it may not know it yet.
const maxMissing = 3

func (c check) over() bool { return c.missing >= maxMissing }

// NextCheck is when the poller looks at a pending run next; false: it does
// not, because there is nothing to look at.
func (w *Watch) NextCheck(runID int64) (time.Time, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, ok := w.checks[runID]
	return c.at, ok && !c.over()
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
			w.readStale(ctx)
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
	runs = slices.DeleteFunc(runs, func(run api.Run) bool {
		// By now nothing comes any more: the honest state is "no news".
		return w.o.Now().Sub(run.Started) > HookLife
	})
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
	return ok && !c.over() && !w.o.Now().Before(c.at)
}

// lookAtFile reads the record of a file and applies to its pending runs what
// it shows.
func (w *Watch) lookAtFile(ctx context.Context, runs []api.Run) {
	first := runs[0]
	file, err := w.o.Details(ctx, first.Profile, first.FileID)
	w.plan(runs, err)
	if err != nil || file == nil || file.FileID != first.FileID {
		return
	}
	if w.o.Journal.SaveFile(ctx, first.Profile, *file) != nil {
		return // looked at again
	}
	runs, err = w.o.Journal.Runs(ctx, api.RunFilter{Profile: first.Profile, FileID: first.FileID, Pending: true, Answers: true})
	if err != nil {
		return
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

// refresh has the record of a file read again: the end of a run has changed
// it.
func (w *Watch) refresh(fileID string) {
	if w.o.Details != nil {
		w.mu.Lock()
		w.stale = append(w.stale, fileID)
		w.mu.Unlock()
	}
	w.rouse()
}

// readStale reads what refresh asked for, once: a record that cannot be read
// is only older than it could be.
func (w *Watch) readStale(ctx context.Context) {
	w.mu.Lock()
	stale := slices.Compact(w.stale)
	w.stale = nil
	w.mu.Unlock()
	for _, id := range stale {
		file, err := w.o.Details(ctx, w.o.Profile, id)
		if err == nil && file != nil && file.FileID == id && w.o.Journal.SaveFile(ctx, w.o.Profile, *file) == nil {
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
		c.missing++
		if !api.Unavailable(err) {
			c.missing = 0
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
