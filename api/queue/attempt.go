package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mediadesk/api"
)

// verdict is what a worker has to say about a job: an outcome, or that it
// waits again.
type verdict struct {
	job   api.Job
	wait  time.Duration // before the next attempt
	quiet time.Duration // the service wants no upload at all for so long
}

// try does what is to be done next about a job: an attempt, or finding out
// what became of an earlier one.
func (q *Queue) try(ctx context.Context, e *entry) verdict {
	q.mu.Lock()
	job, wish, what := *e.job, e.wish, begin
	if e.tries > 0 {
		what = repeat
	}
	q.mu.Unlock()
	switch wish {
	case wishSend:
		what = force
	case wishLook:
		what, job.State = claim, api.Unknown
	case wishCancel:
		what, job.State = claim, api.Cancelled
	}
	return q.settle(ctx, e, job, what)
}

// lookFirst is the size in bytes from which the service is asked what became of
// an unclear attempt before the next one.
const lookFirst = 1 << 20

// attempt sends a job once.
func (q *Queue) attempt(ctx context.Context, e *entry, job api.Job) verdict {
	unsent := func(f *api.Failure) verdict {
		job.State, job.Failure = api.Unsent, f
		return q.settle(ctx, e, job, claim)
	}
	if err := sameSource(&job); err != nil {
		return unsent(api.FailureOf(err))
	}
	upload, err := q.prepare(ctx, job)
	if ctx.Err() != nil {
		return q.broken(ctx, e, job)
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
	job.Evidence = api.MaybeStored // until it is known better; also after a kill
	noted := func() {}
	if job.OwnName() && q.journalWorks() {
		// The name is in the journal: sending it again can do no harm, so
		// there is nothing to wait for.
		noted = q.noteSoon(job)
	} else if err := q.o.Journal.UpdateJob(context.WithoutCancel(ctx), job); err != nil {
		// What is not in the journal is not sent: a repeat would not know.
		job.Evidence = before
		job.Attempts--
		what := "not sent"
		if before == api.MaybeStored {
			what = "an earlier attempt may have been stored; not sent again"
		}
		return unsent(&api.Failure{Message: what + ", because the journal could not be written: " + err.Error(), Help: "Check whether the disk is full, then try again."})
	}
	progress := new(api.Progress)
	q.mu.Lock()
	shown := job
	e.job, e.progress, e.meter = &shown, progress, meter{began: time.Now()}
	e.tries++
	tries := e.tries
	q.signal()
	q.mu.Unlock()

	file, err := q.o.Sender.Upload(ctx, upload, progress)
	noted()
	if sum := progress.Hash(); sum != "" {
		job.Hash = sum
	}
	if err == nil {
		return stored(job, finding{file: file})
	}
	a := assess(&job, err)
	job.Evidence = stronger(before, a.evidence)
	if a.evidence == api.MaybeStored {
		q.mu.Lock()
		if e.wish == wishSend {
			e.wish = wishNothing // that decision was about the attempts before
		}
		q.mu.Unlock()
	}
	job.Failure = api.FailureOf(err)
	if before == api.MaybeStored && a.evidence != api.MaybeStored && !a.definite {
		job.Failure.Message += "; an attempt before may have been stored"
	}
	switch {
	case !a.definite && ctx.Err() != nil:
		return q.broken(ctx, e, job)
	case !a.definite && tries < maxTries && maySend(&job, a.evidence):
		job.State = api.Waiting
		v := verdict{job: job, wait: max(backoff(tries-1), a.wait)}
		if a.invited {
			v.quiet = a.wait
		}
		return v
	}
	job.State = api.OutcomeOf(err)
	return q.settle(ctx, e, job, claim)
}

// noteAfter is how long an attempt lasts before those who watch learn of it: most
// small files are stored sooner, and two changes cost more than one.
const noteAfter = 50 * time.Millisecond

// noteSoon writes into the journal that a job is being sent, unless the attempt
// ends sooner. To be called at its end: what is written then comes after.
func (q *Queue) noteSoon(job api.Job) (ended func()) {
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

// journalWorks reports whether nothing went wrong with the journal so far.
func (q *Queue) journalWorks() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.trouble == nil
}

func (q *Queue) prepare(ctx context.Context, job api.Job) (*api.Upload, error) {
	if q.o.Prepare == nil {
		return &job.Upload, nil
	}
	u, err := q.o.Prepare(ctx, job)
	if err == nil && u == nil {
		return &job.Upload, nil
	}
	return u, err
}

// sameSource says what is wrong with the source of a job, if it is not what
// was handed over. The error is an *api.SourceError.
func sameSource(job *api.Job) error {
	source := job.Upload.Source
	if source.URL != "" || job.Identity == (api.Identity{}) {
		return nil
	}
	now, err := api.LookAt(source.Path) // sending opens it
	if err != nil {
		return err
	}
	if !now.Same(job.Identity) {
		return &api.SourceError{Path: source.Path, Reason: "is not the file any more that was handed over: it changed since then", Help: "Pick it again to send it as it is now."}
	}
	return nil
}

// broken is the verdict on a job whose attempt was broken off from within.
func (q *Queue) broken(ctx context.Context, e *entry, job api.Job) verdict {
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

// keep journals a verdict. An outcome is worth some patience: what is lost
// here would have to be found out again.
func (q *Queue) keep(ctx context.Context, job api.Job) error {
	ctx = context.WithoutCancel(ctx)
	var err error
	for n := range 3 {
		if n > 0 {
			select {
			case <-time.After(backoff(n)):
			case <-q.quit:
			}
		}
		if err = q.o.Journal.UpdateJob(ctx, job); err == nil {
			return nil
		}
	}
	return fmt.Errorf("what became of %s could not be kept: %w", job.Upload.Source, err)
}
