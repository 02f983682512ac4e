package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
)

type result struct {
	job   job.Job
	delay time.Duration // before the next attempt

	// Of the attempt; zero if there was none.
	contact        contact
	began          time.Time
	sent           int64         // bytes; 0 if unanswered
	host           string        // host without a connection
	overload       bool          // the service wants fewer uploads at a time, or timed out
	requestedDelay time.Duration // the wait that the service requests; 0 if none
	queueWaits     bool          // that wait is for all uploads
	leaveOpen      bool          // do not retry in this run
}

func (q *Queue) attemptOrCheck(ctx context.Context, e *entry) result {
	q.mu.Lock()
	j, wish, goal := *e.job, e.wish, begin
	if e.failures > 0 {
		goal = repeat
	}
	q.mu.Unlock()
	processing := j.Attempts > 0 && j.Failure != nil && j.Failure.Status == http.StatusAccepted
	switch {
	case wish == wishSend:
		goal = force
	case wish == wishCheck, wish == wishNothing && processing:
		goal, j.State = claim, job.Unknown
		if processing {
			j.State = job.Processing
		}
	case wish == wishCancel:
		goal, j.State = claim, job.Canceled
	}
	return q.settle(ctx, e, j, goal)
}

// requestSize is the approximate size of a request without the file, in bytes.
const requestSize = 1 << 10

func (q *Queue) attempt(ctx context.Context, e *entry, j job.Job) result {
	unsent := func(f *job.Failure) result {
		j.State, j.Failure = job.Unsent, f
		return q.settle(ctx, e, j, claim)
	}
	if err := sameSource(&j); err != nil {
		return unsent(job.FailureOf(err))
	}
	upload, err := q.o.Prepare(ctx, j)
	if ctx.Err() != nil {
		return q.interrupted(ctx, e, j)
	}
	if notReady, ok := errors.AsType[*NotReadyError](err); ok {
		return q.prepareLater(e, j, notReady)
	}
	if err != nil {
		return unsent(job.FailureOf(err))
	}
	before := j
	if err := q.journalAttempt(ctx, &j); err != nil {
		j = before
		what := "not sent"
		if j.Evidence == job.MaybeStored {
			what = "not sent again"
		}
		return unsent(&job.Failure{Message: what + ", because the journal could not be written: " + err.Error(), Help: "Check whether the disk is full, then try again."})
	}
	progress, failures := q.showAttempt(e, j)
	began := j.Updated
	file, err := q.o.Sender.Upload(ctx, upload, progress)
	if sum := progress.Hash(); sum != "" {
		j.Hash = sum
	}
	if err == nil {
		r := stored(j, checkResult{file: file})
		r.contact, r.began, r.sent = answer, began, j.Identity.Size+requestSize
		return r
	}
	return q.failed(ctx, e, j, before.Evidence, err, failures)
}

// journalAttempt records in the journal that a job is about to be sent. What is not journaled must
// not be sent, since a repeat would not know about it. But a repeat under a name made here is
// harmless, and that name is journaled, so such an attempt does not wait for the journal while it
// works.
func (q *Queue) journalAttempt(ctx context.Context, j *job.Job) error {
	j.State, j.Failure, j.Updated = job.Sending, nil, time.Now()
	j.Started = cmp.Or(j.Started, j.Updated)
	j.Attempts++
	j.Evidence = job.MaybeStored // until more is known, even after a crash
	if j.HasUniqueName() && locked(q, func() bool { return q.journalErr == nil }) {
		q.o.Journal.NoteJob(*j)
		return nil
	}
	return q.o.Journal.UpdateJob(context.WithoutCancel(ctx), *j)
}

// showAttempt makes a running attempt visible in snapshots, and returns the number of consecutive
// attempts with this one.
func (q *Queue) showAttempt(e *entry, j job.Job) (progress *api.Progress, failures int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	progress = new(api.Progress)
	e.job, e.progress = &j, progress
	e.failures++ // reset by an outcome
	e.failing = cmp.Or(e.failing, j.Updated)
	q.signal()
	return progress, e.failures
}

// failed evaluates the error of an attempt. before is the evidence of earlier attempts.
func (q *Queue) failed(ctx context.Context, e *entry, j job.Job, before job.Evidence, err error,
	failures int,
) result {
	began := j.Updated
	a := assess(&j, err)
	j.Evidence = stronger(before, a.evidence)
	if a.evidence == job.MaybeStored {
		q.mu.Lock()
		if e.wish == wishSend {
			e.wish = wishNothing // that decision was about earlier attempts
		}
		q.mu.Unlock()
	}
	j.Failure = job.FailureOf(err)
	if before == job.MaybeStored && a.evidence != job.MaybeStored && !a.definite {
		j.Failure.Message += "; an earlier attempt may have been stored"
	}
	var r result
	switch {
	case !a.definite && ctx.Err() != nil:
		return q.interrupted(ctx, e, j)
	case !a.definite && maySend(&j, a.evidence) &&
		(!a.counted || failures < maxAttempts || j.Evidence == job.MaybeStored):
		r = retryLater(j, a, failures)
	case a.processing:
		j.State = job.Processing
		r = q.settle(ctx, e, j, claim)
	default:
		j.State = job.OutcomeOf(err)
		r = q.settle(ctx, e, j, claim)
	}
	r.contact, r.began, r.overload, r.host = a.contact, began, a.overload, a.host
	if a.contact == answer {
		r.sent = j.Identity.Size + requestSize
	}
	return r
}

// NotReadyError is returned by Options.Prepare if an upload cannot be prepared yet. The queue tries
// again, as often as it retries sending.
type NotReadyError struct {
	Err   error
	Delay time.Duration // minimum wait; 0 if unknown
}

func (e *NotReadyError) Error() string { return e.Err.Error() }

func (e *NotReadyError) Unwrap() error { return e.Err }

// finishMove finishes the move of a stored job. A kill before its end repeats the job, which then
// finds the stored file by its exact name.
func (q *Queue) finishMove(ctx context.Context, e *entry, j *job.Job) {
	if j.State != job.Stored || j.Move != job.MoveAfter {
		return
	}
	canceled := locked(q, func() bool { return e.wish == wishCancel })
	err := errors.New("the move was canceled")
	if !canceled && q.o.Moved != nil {
		err = q.o.Moved(ctx, j)
	}
	j.Move = job.MoveDone
	if err != nil {
		j.Move, j.MoveError = job.MoveFailed, err.Error()
	}
}

func (q *Queue) prepareLater(e *entry, j job.Job, reason *NotReadyError) result {
	q.mu.Lock()
	defer q.mu.Unlock()
	e.failing = cmp.Or(e.failing, time.Now())
	e.failures++
	j.State, j.Failure = job.Waiting, job.FailureOf(reason.Err)
	r := result{job: j, delay: max(backoff(e.failures-1, maxRetryDelay), reason.Delay)}
	r.leaveOpen = q.timeIsOver(e, &r, time.Now())
	return r
}

func retryLater(j job.Job, a assessment, failures int) result {
	j.State = job.Waiting
	maxDelay := maxRetryDelay
	if a.contact != answer {
		j.State, maxDelay = job.Offline, maxOfflineDelay
	}
	r := result{job: j, delay: max(backoff(failures-1, maxDelay), a.delay)}
	if a.requested {
		r.requestedDelay, r.queueWaits = a.delay, a.queueWaits
	}
	return r
}

// sameSource returns an *api.SourceError if the source of a job has changed since it was queued.
func sameSource(j *job.Job) error {
	source := j.Upload.Source
	if source.Path == "" || j.Identity == (api.Identity{}) {
		return nil
	}
	now, err := api.IdentifyFile(source.Path) // missing files are reported when sending
	if err != nil {
		return err
	}
	if !now.Same(j.Identity) {
		return &api.SourceError{Path: source.Path, Reason: "changed since it was queued", Help: "If it is sent again, it is sent as it is now."}
	}
	return nil
}

// interrupted returns the result on a job interrupted by a cancel or the end of the program.
func (q *Queue) interrupted(ctx context.Context, e *entry, j job.Job) result {
	if errors.Is(context.Cause(ctx), errCanceled) {
		j.State, j.Failure = job.Canceled, nil
		return q.settle(ctx, e, j, claim)
	}
	j.State = job.Waiting
	if j.Evidence != job.MaybeStored {
		j.Failure = nil
	}
	return result{job: j}
}

// journalOutcome journals a result. It retries for outcomes, which are costly to find out again.
func (q *Queue) journalOutcome(ctx context.Context, j job.Job) error {
	ctx = context.WithoutCancel(ctx)
	var err error
	for n := range 3 {
		if n > 0 {
			select {
			case <-time.After(backoff(n, maxRetryDelay)):
			case <-q.quit:
			}
		}
		if err = q.o.Journal.UpdateJob(ctx, j); err == nil {
			return nil
		}
	}
	return fmt.Errorf("the outcome of %s could not be written to the journal: %w", j.Upload.Source, err)
}
