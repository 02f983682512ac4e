package queue

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"mediadesk/api"
)

// result is a worker's result for a job: an outcome, or a wait.
type result struct {
	job  api.Job
	wait time.Duration // before the next attempt

	// Of the attempt; zero if there was none.
	contact    contact
	began      time.Time
	sent       int64         // bytes; 0 if unanswered
	host       string        // host without a connection
	overload   bool          // the service wants fewer uploads at a time, or timed out
	requested  time.Duration // the wait that the service requests; 0 if none
	queueWaits bool          // that wait is for all uploads
	leaveOpen  bool          // do not retry in this run
}

// attemptOrCheck does the next step of a job: an attempt, or a check of an earlier one.
func (q *Queue) attemptOrCheck(ctx context.Context, e *entry) result {
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
func (q *Queue) attempt(ctx context.Context, e *entry, job api.Job) result {
	unsent := func(f *api.Failure) result {
		job.State, job.Failure = api.Unsent, f
		return q.settle(ctx, e, job, claim)
	}
	if err := sameSource(&job); err != nil {
		return unsent(api.FailureOf(err))
	}
	upload, err := q.prepare(ctx, job)
	if ctx.Err() != nil {
		return q.interrupted(ctx, e, job)
	}
	if notReady, ok := errors.AsType[*NotReadyError](err); ok {
		return q.prepareLater(e, job, notReady)
	}
	if err != nil {
		return unsent(api.FailureOf(err))
	}
	before := job
	if err := q.journalAttempt(ctx, &job); err != nil {
		job = before
		what := "not sent"
		if job.Evidence == api.MaybeStored {
			what = "not sent again"
		}
		return unsent(&api.Failure{Message: what + ", because the journal could not be written: " + err.Error(), Help: "Check whether the disk is full, then try again."})
	}
	progress, failures := q.showAttempt(e, job)
	began := job.Updated
	file, err := q.o.Sender.Upload(ctx, upload, progress)
	if sum := progress.Hash(); sum != "" {
		job.Hash = sum
	}
	if err == nil {
		r := stored(job, checkResult{file: file})
		r.contact, r.began, r.sent = answer, began, job.Identity.Size+requestSize
		return r
	}
	return q.failed(ctx, e, job, before.Evidence, err, failures)
}

// journalAttempt records in the journal that a job is about to be sent. What is not journaled must not
// be sent, since a repeat would not know about it. But a repeat under a name made here is harmless, and
// that name is journaled, so such an attempt does not wait for the journal while it works.
func (q *Queue) journalAttempt(ctx context.Context, job *api.Job) error {
	job.State, job.Failure, job.Updated = api.Sending, nil, time.Now()
	if job.Started.IsZero() {
		job.Started = job.Updated
	}
	job.Attempts++
	job.Evidence = api.MaybeStored // until more is known, even after a crash
	q.mu.Lock()
	works := q.journalErr == nil
	q.mu.Unlock()
	if job.OwnName() && works {
		q.o.Journal.NoteJob(*job)
		return nil
	}
	return q.o.Journal.UpdateJob(context.WithoutCancel(ctx), *job)
}

// showAttempt makes a running attempt visible in snapshots, and returns the number of consecutive
// attempts with this one.
func (q *Queue) showAttempt(e *entry, job api.Job) (progress *api.Progress, failures int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	job.Priority = e.job.Priority // it may have been changed meanwhile
	progress = new(api.Progress)
	e.job, e.progress, e.meter = &job, progress, meter{began: job.Updated}
	e.failures++ // reset by an outcome
	if e.failing.IsZero() {
		e.failing = job.Updated
	}
	q.signal()
	return progress, e.failures
}

// failed evaluates the error of an attempt. before is the evidence of earlier attempts.
func (q *Queue) failed(ctx context.Context, e *entry, job api.Job, before api.Evidence, err error, failures int) result {
	began := job.Updated
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
	var r result
	switch {
	case !a.definite && ctx.Err() != nil:
		return q.interrupted(ctx, e, job)
	case !a.definite && maySend(&job, a.evidence) && (!a.counted || failures < maxAttempts || job.Evidence == api.MaybeStored):
		r = retryLater(job, a, failures)
	case a.processing:
		job.State = api.Processing
		r = q.settle(ctx, e, job, claim)
	default:
		job.State = api.OutcomeOf(err)
		r = q.settle(ctx, e, job, claim)
	}
	r.contact, r.began, r.overload, r.host = a.contact, began, a.overload, a.host
	if a.contact == answer {
		r.sent = job.Identity.Size + requestSize
	}
	return r
}

// NotReadyError is returned by Options.Prepare if an upload cannot be prepared yet. The queue tries
// again, as often as it retries sending.
type NotReadyError struct {
	Err  error
	Wait time.Duration // minimum wait; 0 if unknown
}

func (e *NotReadyError) Error() string { return e.Err.Error() }

func (e *NotReadyError) Unwrap() error { return e.Err }

// finishMove finishes the move of a stored job. A kill before its end repeats the job, which then finds
// the stored file by its exact name.
func (q *Queue) finishMove(ctx context.Context, e *entry, job *api.Job) {
	if job.State != api.Stored || job.Move != api.MoveAfter {
		return
	}
	q.mu.Lock()
	canceled := e.wish == wishCancel
	q.mu.Unlock()
	if canceled || q.o.Moved == nil {
		job.Move, job.Kept = api.MoveKept, "the move was canceled"
		return
	}
	q.o.Moved(ctx, job)
}

func (q *Queue) prepareLater(e *entry, job api.Job, reason *NotReadyError) result {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e.failing.IsZero() {
		e.failing = time.Now()
	}
	e.failures++
	job.State, job.Failure = api.Waiting, api.FailureOf(reason.Err)
	r := result{job: job, wait: max(backoff(e.failures-1, maxBackoff), reason.Wait)}
	r.leaveOpen = q.timeIsOver(e, &r, time.Now())
	return r
}

func retryLater(job api.Job, a assessment, failures int) result {
	job.State = api.Waiting
	longest := maxBackoff
	if a.contact != answer {
		job.State, longest = api.Offline, maxOfflineBackoff
	}
	r := result{job: job, wait: max(backoff(failures-1, longest), a.wait)}
	if a.requested {
		r.requested, r.queueWaits = a.wait, a.queueWaits
	}
	return r
}

func (q *Queue) prepare(ctx context.Context, job api.Job) (*api.Upload, error) {
	if q.o.Prepare == nil {
		return &job.Upload, nil
	}
	return q.o.Prepare(ctx, job)
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

// interrupted returns the result on a job interrupted by a pause, a cancel or the end of the
// program.
func (q *Queue) interrupted(ctx context.Context, e *entry, job api.Job) result {
	if errors.Is(context.Cause(ctx), errCanceled) {
		job.State, job.Failure = api.Cancelled, nil
		return q.settle(ctx, e, job, claim)
	}
	job.State = api.Waiting
	if job.Evidence != api.MaybeStored {
		job.Failure = nil
	}
	return result{job: job}
}

// keep journals a result. It retries for outcomes, which are costly to find out again.
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
