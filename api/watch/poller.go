package watch

import (
	"bytes"
	"context"
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

// glance is the interval for detecting changes of the journal by other programs. A check costs
// microseconds.
const glance = time.Second

// check is the schedule of a file with pending runs.
type check struct {
	run     int64     // the newest pending run; another one begins the schedule again
	until   time.Time // no result is expected after that
	at      time.Time
	looked  time.Time     // time of the last check; zero before the first
	err     error         // error of the last check
	pause   time.Duration // pause before the check; doubles with each
	missing int           // number of checks in which the service did not have the file
}

// maxMissing is the number of checks without the file before polling for it stops. Right after an
// upload, the service may not have it yet.
const maxMissing = 3

func (c check) over(now time.Time) bool { return c.missing >= maxMissing || now.After(c.until) }

// NextCheck returns the time of the next check of a file with pending runs, and false if none is planned.
func (w *Watch) NextCheck(fileID string) (time.Time, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, ok := w.checks[fileID]
	return c.at, ok && !c.over(w.o.Now())
}

// LastCheck returns the time of the last check of a file with pending runs, zero if there was none, and
// its error.
func (w *Watch) LastCheck(fileID string) (time.Time, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.checks[fileID]
	return c.looked, c.err
}

type observation struct {
	changes int64
	mark    string
}

// minor is the maximum delay for reporting changes that affect no run, such as a record that was read
// again or a repeated webhook. The poller makes several a second while it checks many files.
const minor = 15 * time.Second

// follow reports changes by other programs until ctx ends. It never waits for a service. seen is the state of the journal at the start.
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

func (w *Watch) poll(ctx context.Context) {
	rest := time.NewTimer(0)
	defer rest.Stop()
	w.expect(ctx)
	for {
		rest.Reset(w.rest())
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
			w.expect(ctx)
			w.readStale(ctx)
		case <-rest.C:
		}
		for range atOnce {
			if id := w.due(); id != "" && ctx.Err() == nil {
				w.inspectFile(ctx, id)
			}
		}
	}
}

// atOnce is the maximum number of requests between two glances, to limit the load of the service.
const atOnce = 4

func (w *Watch) rest() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, rest := w.o.Now(), longRest
	for _, c := range w.checks {
		if !c.over(now) {
			rest = min(rest, c.at.Sub(now))
		}
	}
	return max(min(max(rest, w.hold.Sub(now)), longRest), glance)
}

// expect plans checks of the files with runs that have no final status.
func (w *Watch) expect(ctx context.Context) {
	runs, err := w.o.Journal.Runs(ctx, api.RunFilter{Profile: w.o.Profile, Pending: true})
	if err != nil || w.o.Details == nil {
		return // retried with the next change
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	checks := make(map[string]check, len(runs))
	for _, run := range slices.Backward(runs) { // the newest first
		if _, known := checks[run.FileID]; known {
			continue
		}
		c := w.checks[run.FileID]
		if c.run < run.ID {
			c = check{run: run.ID, until: run.Started.Add(HookLife), at: w.o.Now().Add(firstLook), pause: firstLook}
		}
		checks[run.FileID] = c
	}
	w.checks = checks
}

// due returns the file that is overdue the longest; empty if none is, or the service asked to wait.
func (w *Watch) due() (fileID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.o.Now()
	for id, c := range w.checks {
		if !now.Before(w.hold) && !now.Before(c.at) && !c.over(now) && (fileID == "" || c.at.Before(w.checks[fileID].at)) {
			fileID = id
		}
	}
	return fileID
}

// inspectFile reads the record of a file and applies it to the file's pending runs.
func (w *Watch) inspectFile(ctx context.Context, fileID string) {
	file, err := w.o.Details(ctx, w.o.Profile, fileID)
	w.plan(fileID, err)
	if err != nil || file == nil || file.FileID != fileID {
		return
	}
	seen, _, err := w.o.Journal.File(ctx, w.o.Profile, fileID)
	if err != nil || !bytes.Equal(seen.File.Raw, file.Raw) && w.o.Journal.SaveFile(ctx, w.o.Profile, *file) != nil {
		return // checked again later
	}
	runs, err := w.o.Journal.Runs(ctx, api.RunFilter{Profile: w.o.Profile, FileID: fileID, Pending: true, Answers: true})
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
	stale := w.stale
	w.stale = nil
	w.mu.Unlock()
	slices.Sort(stale)
	for _, id := range slices.Compact(stale) {
		file, err := w.o.Details(ctx, w.o.Profile, id)
		if err == nil && file != nil && file.FileID == id && w.o.Journal.SaveFile(ctx, w.o.Profile, *file) == nil {
			w.signal()
		}
	}
}

func (w *Watch) plan(fileID string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.o.Now()
	var answer *api.ServiceError
	if errors.As(err, &answer) && (answer.Status == http.StatusTooManyRequests || answer.Status == http.StatusServiceUnavailable) {
		w.hold = now.Add(max(answer.Wait, firstLook))
	}
	c := w.checks[fileID]
	if c.missing++; !api.Unavailable(err) {
		c.missing = 0
	}
	c.pause = min(2*c.pause, lastLook)
	c.looked, c.err, c.at = now, err, now.Add(c.pause)
	w.checks[fileID] = c
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
		text := now.Other.Text(api.FieldDescription)
		return text != "" && text != then.Other.Text(api.FieldDescription)
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
