package queue

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"mediadesk/api"
)

// verdict is a worker's result for a job: an outcome, or a wait.
type verdict struct {
	job  api.Job
	wait time.Duration // before the next attempt

	// Of the attempt; zero if there was none.
	contact  contact
	began    time.Time
	sent     int64         // bytes; 0 if unanswered
	host     string        // host without a connection
	overload bool          // the service wants fewer uploads at a time, or timed out
	asked    time.Duration // the service asks to wait this long; 0 if it does not
	quiet    bool          // that wait is for all uploads
	giveUp   bool          // do not retry in this run
}

// attemptOrCheck does the next step of a job: an attempt, or a check of an earlier one.
func (q *Queue) attemptOrCheck(ctx context.Context, e *entry) verdict {
	q.mu.Lock()
	job, wish, goal := *e.job, e.wish, begin
	if e.failures > 0 {
		goal = repeat
	}
	q.mu.Unlock()
	processing := job.Attempts > 0 && job.Failure != nil && job.Failure.Status == http.StatusAccepted
	switch {
	case wish == wishSend:
		goal = force
	case wish == wishCheck, wish == wishNothing && processing:
		goal, job.State = claim, api.Unknown
		if processing {
			job.State = api.Processing
		}
	case wish == wishCancel:
		goal, job.State = claim, api.Cancelled
	}
	return q.settle(ctx, e, job, goal)
}

// checkFirst is the size in bytes from which an unclear attempt is checked before it is repeated.
const checkFirst = 1 << 20

// requestSize is the approximate size of a request without the file, in bytes.
const requestSize = 1 << 10

// attempt sends a job once.
func (q *Queue) attempt(ctx context.Context, e *entry, job api.Job) verdict {
	unsent := func(f *api.Failure) verdict {
		job.State, job.Failure = api.Unsent, f
		return q.settle(ctx, e, job, claim)
	}
	if err := sameSource(&job); err != nil {
		return unsent(api.FailureOf(err))
	}
	upload, err := q.prepare(ctx, e, job)
	if ctx.Err() != nil {
		return q.interrupted(ctx, e, job)
	}
	if notReady, ok := errors.AsType[*NotReadyError](err); ok {
		return q.prepareLater(e, job, notReady)
	}
	if err != nil {
		return unsent(api.FailureOf(err))
	}

	before := job.Evidence
	job.State, job.Failure, job.Updated = api.Sending, nil, time.Now()
	if job.Started.IsZero() {
		job.Started = job.Updated
	}
	job.Attempts++
	job.Evidence = api.MaybeStored // until more is known, even after a crash
	noted := func() {}
	if job.OwnName() && q.journalWorks() {
		// The name is journaled, so a repeat is harmless and need not wait for the journal.
		noted = q.noteSoon(job)
	} else if err := q.o.Journal.UpdateJob(context.WithoutCancel(ctx), job); err != nil {
		// Do not send what is not journaled, since a repeat would not know about it.
		job.Evidence = before
		job.Attempts--
		what := "not sent"
		if before == api.MaybeStored {
			what = "not sent again"
		}
		return unsent(&api.Failure{Message: what + ", because the journal could not be written: " + err.Error(), Help: "Check whether the disk is full, then try again."})
	}
	progress := new(api.Progress)
	began := time.Now()
	q.mu.Lock()
	shown := job
	shown.Priority = e.job.Priority // it may have been changed meanwhile
	e.job, e.progress, e.meter = &shown, progress, meter{began: began}
	e.failures++ // reset by an outcome
	if e.failing.IsZero() {
		e.failing = began
	}
	failures := e.failures
	q.signal()
	q.mu.Unlock()

	file, err := q.o.Sender.Upload(ctx, upload, progress)
	noted()
	if sum := progress.Hash(); sum != "" {
		job.Hash = sum
	}
	if err == nil {
		v := stored(job, finding{file: file})
		v.contact, v.began, v.sent = answer, began, job.Identity.Size+requestSize
		return v
	}
	a := assess(&job, err)
	job.Evidence = stronger(before, a.evidence)
	if a.evidence == api.MaybeStored {
		q.mu.Lock()
		if e.wish == wishSend {
			e.wish = wishNothing // that decision was about earlier attempts
		}
		q.mu.Unlock()
	}
	job.Failure = api.FailureOf(err)
	if before == api.MaybeStored && a.evidence != api.MaybeStored && !a.definite {
		job.Failure.Message += "; an earlier attempt may have been stored"
	}
	var v verdict
	switch {
	case !a.definite && ctx.Err() != nil:
		return q.interrupted(ctx, e, job)
	case !a.definite && maySend(&job, a.evidence) && (!a.counted || failures < maxAttempts || job.Evidence == api.MaybeStored):
		v = retryLater(job, a, failures)
	case a.processing:
		job.State = api.Processing
		v = q.settle(ctx, e, job, claim)
	default:
		job.State = api.OutcomeOf(err)
		v = q.settle(ctx, e, job, claim)
	}
	v.contact, v.began, v.overload, v.host = a.contact, began, a.overload, a.host
	if a.contact == answer {
		v.sent = job.Identity.Size + requestSize
	}
	return v
}

// NotReadyError is returned by Options.Prepare if an upload cannot be prepared yet. The queue tries
// again, as often as it retries sending.
type NotReadyError struct {
	Err  error
	Wait time.Duration // minimum wait; 0 if unknown
}

func (e *NotReadyError) Error() string { return e.Err.Error() }

func (e *NotReadyError) Unwrap() error { return e.Err }

// finishMove finishes the move of a stored job. Until then the job stays open in the journal, with
// the record of the stored file, so that the next program continues after a kill.
func (q *Queue) finishMove(ctx context.Context, e *entry, v verdict) verdict {
	job := v.job
	if job.State != api.Stored || job.Move != api.MoveAfter {
		return v
	}
	q.mu.Lock()
	canceled := e.wish == wishCancel
	q.mu.Unlock()
	if canceled || q.o.Moved == nil {
		v.job.Move, v.job.Kept = api.MoveKept, "the move was canceled"
		return v
	}
	open := job
	open.State, open.Failure = api.Waiting, nil
	err := q.o.Journal.UpdateJob(context.WithoutCancel(ctx), open)
	if err == nil {
		err = q.o.Moved(ctx, &job)
	}
	if err == nil {
		v.job = job
		return v
	}
	v.job = open
	if ctx.Err() == nil {
		notReady, ok := errors.AsType[*NotReadyError](err)
		if !ok {
			notReady = &NotReadyError{Err: err}
		}
		later := q.prepareLater(e, open, notReady)
		v.job, v.wait, v.giveUp = later.job, later.wait, later.giveUp
	}
	return v
}

func (q *Queue) prepareLater(e *entry, job api.Job, reason *NotReadyError) verdict {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e.failing.IsZero() {
		e.failing = time.Now()
	}
	e.failures++
	job.State, job.Failure = api.Waiting, api.FailureOf(reason.Err)
	v := verdict{job: job, wait: max(backoff(e.failures-1, maxBackoff), reason.Wait)}
	v.giveUp = q.giveUp(e, &v, time.Now())
	return v
}

func retryLater(job api.Job, a assessment, failures int) verdict {
	job.State = api.Waiting
	longest := maxBackoff
	if a.contact != answer {
		job.State, longest = api.Offline, maxOffline
	}
	v := verdict{job: job, wait: max(backoff(failures-1, longest), a.wait)}
	if a.invited {
		v.asked, v.quiet = a.wait, a.quiet
	}
	return v
}

// noteAfter delays the note that an attempt is running. Most small files are stored sooner, and two
// writes cost more than one.
const noteAfter = 50 * time.Millisecond

// noteSoon journals that a job is being sent, unless the attempt ends sooner. Call stop at its end,
// before writing anything else.
func (q *Queue) noteSoon(job api.Job) (stop func()) {
	var mu sync.Mutex
	over := false
	timer := time.AfterFunc(noteAfter, func() {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			q.o.Journal.NoteJob(job)
		}
	})
	return func() {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		over = true
	}
}

func (q *Queue) journalWorks() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.trouble == nil
}

func (q *Queue) prepare(ctx context.Context, e *entry, job api.Job) (*api.Upload, error) {
	if q.o.Prepare == nil {
		return &job.Upload, nil
	}
	fetching := func(fetched *atomic.Int64) {
		q.mu.Lock()
		defer q.mu.Unlock()
		e.fetched, e.meter = fetched, meter{began: time.Now()}
		q.signal()
	}
	fetched := new(atomic.Int64)
	if job.Upload.Source.Origin != (api.Origin{}) {
		fetching(fetched)
		defer fetching(nil)
	}
	u, err := q.o.Prepare(ctx, job, func(n int64) { fetched.Add(n) })
	if err == nil && u == nil {
		return &job.Upload, nil
	}
	return u, err
}

// sameSource returns an *api.SourceError if the source of a job has changed since it was queued.
func sameSource(job *api.Job) error {
	source := job.Upload.Source
	if source.Path == "" || job.Identity == (api.Identity{}) {
		return nil
	}
	now, err := api.IdentifyFile(source.Path) // missing files are reported when sending
	if err != nil {
		return err
	}
	if !now.Same(job.Identity) {
		return &api.SourceError{Path: source.Path, Reason: "changed since it was queued", Help: "Pick it again to send it as it is now."}
	}
	return nil
}

// interrupted returns the verdict on a job interrupted by a pause, a cancel or the end of the
// program.
func (q *Queue) interrupted(ctx context.Context, e *entry, job api.Job) verdict {
	if errors.Is(context.Cause(ctx), errCancelled) {
		job.State, job.Failure = api.Cancelled, nil
		return q.settle(ctx, e, job, claim)
	}
	job.State = api.Waiting
	if job.Evidence != api.MaybeStored {
		job.Failure = nil
	}
	return verdict{job: job}
}

// keep journals a verdict. It retries for outcomes, which are costly to find out again.
func (q *Queue) keep(ctx context.Context, job api.Job) error {
	ctx = context.WithoutCancel(ctx)
	var err error
	for n := range 3 {
		if n > 0 {
			select {
			case <-time.After(backoff(n, maxBackoff)):
			case <-q.quit:
			}
		}
		if err = q.o.Journal.UpdateJob(ctx, job); err == nil {
			return nil
		}
	}
	return fmt.Errorf("the outcome of %s could not be written to the journal: %w", job.Upload.Source, err)
}
