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

// Between two looks at a pending run: doubled from the first to the last.
const (
	firstLook = 2 * time.Second
	lastLook  = time.Minute
)

// awayTimes is how much longer the pauses are while nobody looks.
const awayTimes = 5

// glance is how often the journal is asked whether another program changed
// something. It costs microseconds.
const glance = time.Second

// check is when a run is looked at next.
type check struct {
	at      time.Time
	looked  time.Time     // when it was looked at last; zero: not yet
	err     error         // of the last look
	record  [32]byte      // hash of the record that was last seen; zero: none was
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

// LastCheck is when the poller looked at a pending run last, and why that
// failed; the zero time: it did not look yet.
func (w *Watch) LastCheck(runID int64) (time.Time, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.checks[runID]
	return c.looked, c.err
}

// Attend tells whether somebody looks at the program. While nobody does, the
// poller takes its time.
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
	w.rouse()
}

// apart is how much time a service and this computer have for a look on
// average: with hundreds of runs the pauses grow.
const apart = 500 * time.Millisecond

// pauseOf is how long after a look the next one is.
func (w *Watch) pauseOf(c check) time.Duration {
	pause := max(c.pause, time.Duration(len(w.checks))*apart)
	if w.away {
		return awayTimes * pause
	}
	return pause
}

// glimpse is what a glance at the journal saw.
type glimpse struct {
	changes int64
	mark    string
}

// minor is how long a change that is none of a run may wait to be told: a
// record that was read again, a post that came twice. The poller makes
// several of them a second while it looks at many files.
const minor = 15 * time.Second

// follow tells of changes by others and keeps what strangers posted, until ctx
// ends. It never waits for a service. seen is how the journal was when the
// watch began.
func (w *Watch) follow(ctx context.Context, seen glimpse) {
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
				w.rouse()
				w.signal()
			}
		}
		if now := w.o.Now(); owed && now.Sub(told) >= minor {
			told, owed = now, false
			w.signal()
		}
	}
}

// longRest is how long the poller rests at most: the clock may be set, and a
// computer that slept has no part of it in its timers.
const longRest = 10 * time.Second

// poll looks at pending runs until ctx ends.
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

// rest is how long there is nothing to look at.
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
		return w.tooOld(&run)
	})
	for i := range runs {
		w.expect(&runs[i], checks)
	}
	w.checks = checks
	return runs
}

// expect notes in checks when a run is looked at: as planned before, or for
// the first time. w.mu is held.
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

// tooOld reports whether nothing comes of a run any more: the honest state is
// "no news".
func (w *Watch) tooOld(run *api.Run) bool { return w.o.Now().Sub(run.Started) > HookLife }

// atOnce is how many files are asked for between two glances: hundreds of runs
// are no reason to press a service.
const atOnce = 4

// pollAll asks for the files of runs whose time has come, each file once, those
// first that have waited longest.
func (w *Watch) pollAll(ctx context.Context, pending []api.Run) {
	type file struct {
		runs []api.Run
		at   time.Time // when it is due; zero: it is not
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

// held reports whether the service asked to be left alone for now.
func (w *Watch) held() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.o.Now().Before(w.hold)
}

// due reports whether the time for a look at a run has come, and when that was.
func (w *Watch) due(runID int64) (time.Time, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, ok := w.checks[runID]
	return c.at, ok && !c.over() && !w.o.Now().Before(c.at)
}

// inspectFile reads the record of a file and applies to its pending runs what
// it shows.
func (w *Watch) inspectFile(ctx context.Context, runs []api.Run) {
	first := runs[0]
	file, err := w.o.Details(ctx, first.Profile, first.FileID)
	w.plan(runs, err)
	if err != nil || file == nil || file.FileID != first.FileID {
		return
	}
	if w.sameAsBefore(runs, file) {
		return // nothing to learn, and nothing to write down
	}
	if w.o.Journal.SaveFile(ctx, first.Profile, *file) != nil {
		w.forget(runs)
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

// sameAsBefore reports whether every run has seen this very record of its file,
// and notes that it has now.
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

// forget lets runs look at the same record once more.
func (w *Watch) forget(runs []api.Run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, run := range runs {
		c := w.checks[run.ID]
		c.record = [32]byte{}
		w.checks[run.ID] = c
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
