package watch

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
)

// The interval between two polls of a file with pending runs doubles from the first to the last.
const (
	firstPollInterval = 2 * time.Second
	maxPollInterval   = time.Minute
)

// followInterval is the interval for detecting changes by other programs. It costs microseconds.
const followInterval = time.Second

type schedule struct {
	run      int64     // the newest pending run; another one begins the schedule again
	until    time.Time // no result is expected after that
	at       time.Time
	err      error         // error of the last poll
	interval time.Duration // before the poll; doubles with each
	missing  int           // number of polls answered by 404, 405 or 501
}

// maxMissing is the number of polls without the file before polling for it stops. Right after an
// upload, the service may not have it yet.
const maxMissing = 3

func (s schedule) over(now time.Time) bool { return s.missing >= maxMissing || now.After(s.until) }

// NextPoll returns the time of the next poll of a file with pending runs, false if none is planned,
// and the error of the last poll.
func (w *Watch) NextPoll(fileID string) (at time.Time, planned bool, last error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, ok := w.schedules[fileID]
	return s.at, ok && !s.over(w.o.Now()), s.err
}

// follow reports changes of the journal, also by other programs, until ctx ends. It never waits for a
// service. mark is that of the journal at the start.
func (w *Watch) follow(ctx context.Context, mark int64) {
	tick := time.NewTicker(followInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if now, err := w.o.Journal.Changes(ctx); err == nil && now != mark {
			mark = now
			nudge(w.wake)
			nudge(w.changes)
		}
	}
}

// maxPollDelay is the longest wait of the poller, because the clock may change, and timers do not
// count the time while a computer is suspended.
const maxPollDelay = 10 * time.Second

func (w *Watch) poll(ctx context.Context) {
	w.plan(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
			w.plan(ctx)
		case <-time.After(w.sleep()):
		}
		w.readStale(ctx)
		for range maxPolls {
			if id := w.due(); id != "" && ctx.Err() == nil {
				w.pollFile(ctx, id)
			}
		}
	}
}

// maxPolls is the maximum number of requests between two sleeps, to limit the load of the service.
const maxPolls = 4

func (w *Watch) sleep() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, delay := w.o.Now(), maxPollDelay
	for _, s := range w.schedules {
		if !s.over(now) {
			delay = min(delay, s.at.Sub(now))
		}
	}
	return max(min(max(delay, w.hold.Sub(now)), maxPollDelay), followInterval)
}

func (w *Watch) plan(ctx context.Context) {
	runs, err := w.o.Journal.Runs(ctx, job.RunFilter{Profile: w.o.Profile, Pending: true})
	if err != nil || w.o.Details == nil {
		return // retried with the next change
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	schedules := make(map[string]schedule, len(runs))
	for _, run := range slices.Backward(runs) { // the newest first
		if _, known := schedules[run.FileID]; known {
			continue
		}
		s := w.schedules[run.FileID]
		if s.run < run.ID {
			s = schedule{
				run: run.ID, until: run.Started.Add(HookTTL), at: w.o.Now().Add(firstPollInterval),
				interval: firstPollInterval,
			}
		}
		schedules[run.FileID] = s
	}
	w.schedules = schedules
}

// due returns the file that is overdue the longest; empty if none is, or the service requested a
// wait.
func (w *Watch) due() (fileID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.o.Now()
	for id, s := range w.schedules {
		due := !now.Before(w.hold) && !now.Before(s.at) && !s.over(now)
		if due && (fileID == "" || s.at.Before(w.schedules[fileID].at)) {
			fileID = id
		}
	}
	return fileID
}

func (w *Watch) pollFile(ctx context.Context, fileID string) {
	file, err := w.o.Details(ctx, fileID)
	w.polled(fileID, err)
	if err != nil || file == nil || file.FileID != fileID {
		return
	}
	seen, _, err := w.o.Journal.File(ctx, w.o.Profile, fileID)
	if err != nil || !bytes.Equal(seen.File.Raw, file.Raw) &&
		w.o.Journal.SaveFile(ctx, w.o.Profile, *file) != nil {
		return // polled again later
	}
	runs, err := w.o.Journal.Runs(ctx, job.RunFilter{
		Profile: w.o.Profile, FileID: fileID, Pending: true, Answers: true,
	})
	if err != nil {
		return
	}
	for _, run := range runs {
		if !effect(&run, file) {
			continue
		}
		run.Status, run.From, run.At, run.Error = api.StatusSuccess, job.FromDetails, w.o.Now(), ""
		run.Answer = file // the history shows the record
		if changed, err := w.o.Journal.ApplyRun(ctx, run); err == nil && changed {
			nudge(w.changes)
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
	nudge(w.wake)
}

// readStale reads the records requested by refresh, once: if one cannot be read, it just stays
// older.
func (w *Watch) readStale(ctx context.Context) {
	w.mu.Lock()
	var stale []string
	if !w.hold.After(w.o.Now()) {
		stale, w.stale = w.stale, nil
	}
	w.mu.Unlock()
	slices.Sort(stale)
	for _, id := range slices.Compact(stale) {
		file, err := w.o.Details(ctx, id)
		if err == nil && file != nil && file.FileID == id &&
			w.o.Journal.SaveFile(ctx, w.o.Profile, *file) == nil {
			nudge(w.changes)
		}
	}
}

func (w *Watch) polled(fileID string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.o.Now()
	refusal, _ := errors.AsType[*api.ServiceError](err)
	busy := []int{http.StatusTooManyRequests, http.StatusServiceUnavailable}
	if refusal != nil && slices.Contains(busy, refusal.Status) {
		w.hold = now.Add(max(refusal.RetryDelay, firstPollInterval))
	}
	s := w.schedules[fileID]
	if s.missing++; !api.Unavailable(err) {
		s.missing = 0
	}
	s.interval = min(2*s.interval, maxPollInterval)
	s.err, s.at = err, now.Add(s.interval)
	w.schedules[fileID] = s
}

// Observable reports whether polls can show that a run has succeeded: they compare the record of
// the file with the one in the answer. A record never shows a failure.
func Observable(run *job.Run) bool {
	return run.Answered && (rule.IsTagging(run.Extension) || run.Extension == rule.RemoveBackground ||
		run.Extension == rule.AutoDescription || run.Extension == rule.AITasks && run.Requested != nil)
}

// effect reports whether the record shows that the extension has succeeded since the answer.
func effect(run *job.Run, now *api.File) bool {
	then := run.Answer
	switch {
	case !Observable(run):
		return false
	case rule.IsTagging(run.Extension):
		return slices.ContainsFunc(now.AITags.Or(nil), func(tag api.AITag) bool {
			return tag.Source == run.Extension && !slices.ContainsFunc(then.AITags.Or(nil),
				func(had api.AITag) bool { return had.Source == tag.Source && had.Name == tag.Name })
		})
	case run.Extension == rule.RemoveBackground:
		made := then.VersionID() != "" && now.VersionID() != "" && then.VersionID() != now.VersionID()
		return made || !then.HasAlpha.Or(true) && now.HasAlpha.Or(false)
	case run.Extension == rule.AutoDescription:
		text := now.Other.Text(rule.FieldDescription)
		return text != "" && text != then.Other.Text(rule.FieldDescription)
	}
	return rule.TasksShow(run.Requested, then, now)
}
