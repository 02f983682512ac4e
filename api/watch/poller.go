package watch

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"slices"
	"time"

	"mediadesk/api"
)

// The pause between two checks of a pending run doubles from the first to the last.
const (
	firstLook = 2 * time.Second
	lastLook  = time.Minute
)

// awayTimes is the factor for the pauses while the user is away.
const awayTimes = 5

// glance is the interval for detecting changes of the journal by other programs. A check costs
// microseconds.
const glance = time.Second

// check is the schedule of a run.
type check struct {
	at      time.Time
	looked  time.Time     // time of the last check; zero before the first
	err     error         // error of the last check
	record  [32]byte      // hash of the last record; zero if none
	pause   time.Duration // pause before the check after the next
	missing int           // number of checks in which the service did not have the file
}

// maxMissing is the number of checks without the file before polling for it stops. Right after an
// upload, the service may not have it yet.
const maxMissing = 3

func (c check) over() bool { return c.missing >= maxMissing }

// NextCheck returns the time of the next check of a pending run, and false if none is planned.
func (w *Watch) NextCheck(runID int64) (time.Time, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, ok := w.checks[runID]
	return c.at, ok && !c.over()
}

// LastCheck returns the time of the last check of a pending run, zero if there was none, and its error.
func (w *Watch) LastCheck(runID int64) (time.Time, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.checks[runID]
	return c.looked, c.err
}

// Attend tells the poller whether the user is present. While they are away, it polls less often.
func (w *Watch) Attend(looking bool) {
	w.mu.Lock()
	if w.away == !looking {
		w.mu.Unlock()
		return
	}
	w.away = !looking
	now := w.o.Now()
	for id, c := range w.checks {
		if c.looked.IsZero() {
			continue
		}
		c.at = c.looked.Add(w.pauseOf(c))
		if c.at.Before(now) {
			c.at = now
		}
		w.checks[id] = c
	}
	w.mu.Unlock()
	w.wakeUp()
}

// apart is the minimum average time between checks: with hundreds of runs, the pauses grow.
const apart = 500 * time.Millisecond

// pauseOf returns the pause after a check.
func (w *Watch) pauseOf(c check) time.Duration {
	pause := max(c.pause, time.Duration(len(w.checks))*apart)
	if w.away {
		return awayTimes * pause
	}
	return pause
}

// observation is a state of the journal.
type observation struct {
	changes int64
	mark    string
}

// minor is the maximum delay for reporting changes that affect no run, such as a record that was read
// again or a repeated webhook. The poller makes several a second while it checks many files.
const minor = 15 * time.Second

// follow reports changes by other programs and saves unmatched webhooks until ctx ends. It never waits
// for a service. seen is the state of the journal at the start.
func (w *Watch) follow(ctx context.Context, seen observation) {
	tick := time.NewTicker(glance)
	defer tick.Stop()
	told, owed := w.o.Now(), false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		w.keepUnmatched(ctx)
		if changes, err := w.o.Journal.Changes(ctx); err == nil && changes != seen.changes {
			seen.changes, owed = changes, true
			if mark, err := w.o.Journal.RunMark(ctx); err == nil && mark != seen.mark {
				seen.mark, told, owed = mark, w.o.Now(), false
				w.wakeUp()
				w.signal()
			}
		}
		if now := w.o.Now(); owed && now.Sub(told) >= minor {
			told, owed = now, false
			w.signal()
		}
	}
}

// longRest is the maximum sleep of the poller, because the clock may change, and timers do not count
// the time while a computer is suspended.
const longRest = 10 * time.Second

// poll checks pending runs until ctx ends.
func (w *Watch) poll(ctx context.Context) {
	rest := time.NewTimer(0)
	defer rest.Stop()
	pending := w.pending(ctx)
	for {
		rest.Reset(w.rest())
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
			pending = w.pending(ctx)
			w.readStale(ctx)
		case <-rest.C:
		}
		w.pollAll(ctx, pending)
	}
}

// rest returns the time until the next check.
func (w *Watch) rest() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, rest := w.o.Now(), longRest
	for _, c := range w.checks {
		if !c.over() {
			rest = min(rest, c.at.Sub(now))
		}
	}
	return max(min(max(rest, w.hold.Sub(now)), longRest), glance)
}

// pending reads the runs without a final status and plans a check of each new one.
func (w *Watch) pending(ctx context.Context) []api.Run {
	runs, err := w.o.Journal.Runs(ctx, api.RunFilter{Profile: w.o.Profile, Pending: true})
	if err != nil || w.o.Details == nil {
		return nil // retried with the next change
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	checks := make(map[int64]check, len(runs))
	runs = slices.DeleteFunc(runs, func(run api.Run) bool { return w.tooOld(&run) })
	for i := range runs {
		w.expect(&runs[i], checks)
	}
	w.checks = checks
	return runs
}

// expect copies the planned check of a run to checks, or plans the first. w.mu must be held.
func (w *Watch) expect(run *api.Run, checks map[int64]check) {
	if w.o.Details == nil {
		return
	}
	c, ok := w.checks[run.ID]
	if !ok {
		c = check{at: w.o.Now().Add(firstLook), pause: 2 * firstLook}
	}
	checks[run.ID] = c
}

// tooOld reports whether no result of a run is expected anymore.
func (w *Watch) tooOld(run *api.Run) bool { return w.o.Now().Sub(run.Started) > HookLife }

// atOnce is the maximum number of requests between two glances, to limit the load of the service.
const atOnce = 4

// pollAll requests the files of due runs, each file once, the longest overdue first.
func (w *Watch) pollAll(ctx context.Context, pending []api.Run) {
	type file struct {
		runs []api.Run
		at   time.Time // when it is due; zero if it is not
	}
	files := map[string]*file{}
	var due []*file
	for _, run := range pending {
		if w.tooOld(&run) {
			w.mu.Lock()
			delete(w.checks, run.ID)
			w.mu.Unlock()
			continue
		}
		f := files[run.FileID]
		if f == nil {
			f = &file{}
			files[run.FileID] = f
		}
		f.runs = append(f.runs, run)
		if at, ok := w.due(run.ID); ok {
			if f.at.IsZero() {
				due = append(due, f)
				f.at = at
			}
			if at.Before(f.at) {
				f.at = at
			}
		}
	}
	slices.SortStableFunc(due, func(a, b *file) int { return a.at.Compare(b.at) })
	for _, f := range due[:min(len(due), atOnce)] {
		if ctx.Err() != nil || w.held() {
			return
		}
		w.inspectFile(ctx, f.runs)
	}
}

// held reports whether the service asked to wait.
func (w *Watch) held() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.o.Now().Before(w.hold)
}

// due reports whether a run is due, and since when.
func (w *Watch) due(runID int64) (time.Time, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, ok := w.checks[runID]
	return c.at, ok && !c.over() && !w.o.Now().Before(c.at)
}

// inspectFile reads the record of a file and applies it to the file's pending runs.
func (w *Watch) inspectFile(ctx context.Context, runs []api.Run) {
	first := runs[0]
	file, err := w.o.Details(ctx, first.Profile, first.FileID)
	w.plan(runs, err)
	if err != nil || file == nil || file.FileID != first.FileID {
		return
	}
	if w.sameAsBefore(runs, file) {
		return // nothing new to save
	}
	if w.o.Journal.SaveFile(ctx, first.Profile, *file) != nil {
		w.forget(runs)
		return // checked again later
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
		run.Answer = file // the history shows the record
		if changed, err := w.o.Journal.ApplyRun(ctx, run); err == nil && changed {
			w.signal()
		}
	}
}

// sameAsBefore reports whether every run has already seen this record, and saves its hash.
func (w *Watch) sameAsBefore(runs []api.Run, file *api.File) bool {
	sum := sha256.Sum256(file.Raw)
	w.mu.Lock()
	defer w.mu.Unlock()
	same := len(file.Raw) > 0
	for _, run := range runs {
		c := w.checks[run.ID]
		same = same && c.record == sum
		c.record = sum
		w.checks[run.ID] = c
	}
	return same
}

// forget makes runs process the same record again.
func (w *Watch) forget(runs []api.Run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, run := range runs {
		c := w.checks[run.ID]
		c.record = [32]byte{}
		w.checks[run.ID] = c
	}
}

// refresh requests that the record of a file is read again, because a run has changed the file.
func (w *Watch) refresh(fileID string) {
	if w.o.Details != nil {
		w.mu.Lock()
		w.stale = append(w.stale, fileID)
		w.mu.Unlock()
	}
	w.wakeUp()
}

// readStale reads the records requested by refresh, once: if one cannot be read, it just stays older.
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

// plan plans the next check of runs.
func (w *Watch) plan(runs []api.Run, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var answer *api.ServiceError
	if errors.As(err, &answer) && (answer.Status == http.StatusTooManyRequests || answer.Status == http.StatusServiceUnavailable) {
		w.hold = w.o.Now().Add(max(answer.Wait, firstLook))
	}
	for _, run := range runs {
		c := w.checks[run.ID]
		c.missing++
		if !api.Unavailable(err) {
			c.missing = 0
		}
		if !c.looked.IsZero() {
			c.pause = min(2*c.pause, lastLook)
		}
		c.looked, c.err = w.o.Now(), err
		c.at = c.looked.Add(w.pauseOf(c))
		w.checks[run.ID] = c
	}
}

// effect reports whether the record shows that the extension has succeeded since the answer. A record
// never shows a failure.
func effect(run *api.Run, now *api.File) bool {
	then := run.Answer
	if then == nil {
		return false // unknown without the previous state
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
	case run.Extension == api.AITasks:
		return run.Asked != nil && api.TasksShow(run.Asked, then, now)
	}
	return false
}

// newTags reports whether now contains a tag of the extension that then does not.
func newTags(then, now []api.AITag, extension string) bool {
	return slices.ContainsFunc(now, func(tag api.AITag) bool {
		return tag.Source == extension && !slices.ContainsFunc(then, func(had api.AITag) bool { return had.Source == extension && had.Name == tag.Name })
	})
}
