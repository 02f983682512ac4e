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
	job, insist, cancelled, adopted, lookOnly := *e.job, e.insist, e.cancelled, e.adopted, e.lookOnly
	// A program that was killed may have sent what its journal still has as
	// waiting (see attempt).
	e.doubtful = e.doubtful || adopted && ownName(&job)
	q.mu.Unlock()

	switch {
	case cancelled:
		return q.settle(ctx, job, api.Cancelled)
	case lookOnly, job.Unclear && !repeatable(&job) && !insist:
		return q.settle(ctx, job, api.Unknown)
	case job.Unclear && ownName(&job) && (adopted || job.Identity.Size >= lookFirst):
		// Looking is cheaper than sending it all again.
		if found := q.look(ctx, &job); found.file != nil {
			return stored(job, found.file)
		}
	}
	return q.attempt(ctx, e, job)
}

// lookFirst is the size in bytes from which the service is asked what became of
// an unclear attempt before the next one.
const lookFirst = 1 << 20

// attempt sends a job once.
func (q *Queue) attempt(ctx context.Context, e *entry, job api.Job) verdict {
	if err := sameSource(&job); err != nil {
		job.Failure = api.FailureOf(err)
		return q.settle(ctx, job, api.Unsent)
	}
	upload, err := q.prepare(ctx, job)
	if ctx.Err() != nil {
		return q.broken(ctx, job)
	}
	if err != nil {
		job.Failure = api.FailureOf(err)
		return q.settle(ctx, job, api.Unsent)
	}

	before := job.Unclear
	job.State, job.Failure, job.Updated = api.Sending, nil, time.Now()
	if job.Started.IsZero() {
		job.Started = job.Updated
	}
	job.Attempts++
	job.Unclear = true // until it is known better; also after a kill
	noted := func() {}
	if ownName(&job) && q.journalWorks() {
		// The name is in the journal: sending it again can do no harm, so
		// there is nothing to wait for.
		noted = q.noteSoon(job)
	} else if err := q.o.Journal.UpdateJob(context.WithoutCancel(ctx), job); err != nil {
		// What is not in the journal is not sent: a repeat would not know.
		job.Unclear = before
		job.Attempts--
		job.Failure = &api.Failure{Message: "not sent, because the journal could not be written: " + err.Error(), Help: "Look whether the disk is full, then try again."}
		return q.settle(ctx, job, api.Unsent)
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
		return stored(job, file)
	}
	a := assess(err)
	q.mu.Lock()
	if a.arrived {
		e.insist = false // that decision was about the attempts before
	}
	fresh := !before && !e.doubtful
	// Nobody else has a name of ours: one that is taken at the first attempt
	// was sent twice on the way.
	a.exists = a.exists && (!fresh || ownName(&job) && saysTaken(api.FailureOf(err)))
	e.doubtful = e.doubtful || a.doubtful
	a.doubtful = e.doubtful
	q.mu.Unlock()
	job.Failure = api.FailureOf(err)
	if before && !a.arrived && !a.definite {
		job.Failure.Message += "; an attempt before may have been stored"
	}
	job.Unclear = before || a.arrived
	a.fresh = fresh
	return q.judge(ctx, job, a, tries, api.OutcomeOf(err))
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

// judge says what follows from an attempt that failed, the tries-th since a
// person asked for it. outcome is what can be claimed of this attempt alone.
func (q *Queue) judge(ctx context.Context, job api.Job, a assessment, tries int, outcome api.State) verdict {
	switch {
	case a.definite && a.exists:
		return q.settleExists(ctx, job, a.fresh)
	case a.definite:
		return q.settle(ctx, job, outcome)
	case ctx.Err() != nil:
		return q.broken(ctx, job)
	case tries < maxTries && (!a.arrived || repeatable(&job)):
		job.State = api.Waiting
		v := verdict{job: job, wait: max(backoff(tries-1), a.wait)}
		if a.invited {
			v.quiet = a.wait
		}
		return v
	case a.doubtful && !job.Unclear && !mayBeSent(&job) && job.Naming == api.NameHere:
		// A look costs little, and nobody else makes this name.
		if found := q.look(ctx, &job); found.file != nil {
			return stored(job, found.file)
		}
	}
	return q.settle(ctx, job, outcome)
}

// broken is the verdict on a job whose attempt was broken off from within.
func (q *Queue) broken(ctx context.Context, job api.Job) verdict {
	if errors.Is(context.Cause(ctx), errCancelled) {
		job.Failure = nil
		return q.settle(ctx, job, api.Cancelled)
	}
	job.State = api.Waiting
	if !job.Unclear {
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
