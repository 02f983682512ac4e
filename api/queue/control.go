package queue

import (
	"context"
	"errors"
	"slices"

	"mediadesk/api"
)

// What ends an attempt from within.
var (
	errPaused    = errors.New("paused")
	errCancelled = errors.New("cancelled")
)

// find returns a job of the queue; its caller holds the lock.
func (q *Queue) find(id int64) (*entry, error) {
	if q.closed {
		return nil, ErrClosed
	}
	e := q.entries[id]
	if e == nil {
		return nil, ErrNoJob
	}
	return e, nil
}

// about does something about a job that has no outcome. act is what it is called
// where it has one.
func (q *Queue) about(id int64, act string, do func(*entry)) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	e, err := q.find(id)
	if err != nil {
		return err
	}
	if e.phase == done {
		return &StateError{ID: id, State: e.job.State, Act: act}
	}
	do(e)
	q.dispatch()
	q.signal()
	return nil
}

// aboutAll does something about every job that has no outcome.
func (q *Queue) aboutAll(do func(*entry)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range q.order {
		if e.phase != done && !q.closed {
			do(e)
		}
	}
	q.dispatch()
	q.signal()
}

// Pause keeps a job from going on. An attempt under way is broken off, unless
// everything has gone out: then its answer is waited for.
func (q *Queue) Pause(id int64) error { return q.about(id, "pause", q.pause) }

// PauseAll pauses every job that has no outcome.
func (q *Queue) PauseAll() { q.aboutAll(q.pause) }

func (q *Queue) pause(e *entry) {
	e.paused = true
	switch {
	case e.phase != working:
		e.leave()
	case e.progress == nil || !e.progress.Complete():
		e.stop(errPaused)
	}
}

// Continue lets a paused job go on.
func (q *Queue) Continue(id int64) error { return q.about(id, "continue", q.unpause) }

// ContinueAll lets every paused job go on.
func (q *Queue) ContinueAll() { q.aboutAll(q.unpause) }

func (q *Queue) unpause(e *entry) {
	if !e.paused {
		return
	}
	e.paused = false
	if e.phase == idle {
		q.enqueue(e)
	}
}

// Cancel takes a job back. What may have arrived already is not called
// cancelled: the service is asked where it lists files, and the outcome is
// what is found, else unknown.
func (q *Queue) Cancel(id int64) error { return q.about(id, "cancel", q.cancel) }

func (q *Queue) cancel(e *entry) {
	switch {
	case e.wish == wishCancel:
	case e.phase == working:
		e.wish = wishCancel
		e.stop(errCancelled)
	default:
		e.wish = wishCancel
		e.leave()
		q.launch(e) // the journal is written by a worker, whatever else runs
	}
}

// Retry puts a job that failed in line again, behind the others. Of an
// outcome that is unknown where a repeat could store twice, it is the person's
// decision: nothing is asked here.
func (q *Queue) Retry(id int64) error {
	failed := func(s api.State) bool { return s != api.Stored }
	return q.reopen(id, "retry", failed, func(e *entry) {
		e.wish = wishSend
		i := slices.Index(q.order, e)
		q.order = append(slices.Delete(q.order, i, i+1), e)
	})
}

// Look asks the service once more what became of a job whose outcome is
// unknown. Nothing is sent.
func (q *Queue) Look(id int64) error {
	unknown := func(s api.State) bool { return s == api.Unknown }
	return q.reopen(id, "look for", unknown, func(e *entry) {
		e.wish, e.job.Evidence = wishLook, api.MaybeStored
	})
}

// reopen puts a job in line again whose outcome is one that may be changed. as
// says what is different this time.
func (q *Queue) reopen(id int64, act string, may func(api.State) bool, as func(*entry)) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	e, err := q.find(id)
	if err != nil {
		return err
	}
	if e.phase != done || !may(e.job.State) {
		return &StateError{ID: id, State: e.job.State, Act: act}
	}
	job := *e.job
	job.State = api.Waiting
	*e = entry{job: &job, final: make(chan struct{})}
	as(e)
	q.began(e)
	q.enqueue(e)
	q.dispatch()
	q.signal()
	return nil
}

// Remove takes a job that has an outcome off the list. The journal keeps it.
func (q *Queue) Remove(id int64) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.entries[id]
	if e == nil {
		return ErrNoJob
	}
	if e.phase != done {
		return &StateError{ID: id, State: e.job.State, Act: "remove"}
	}
	delete(q.entries, id)
	i := slices.Index(q.order, e)
	q.order = slices.Delete(q.order, i, i+1)
	q.signal()
	return nil
}

// Wait waits until jobs have their outcome, and returns them as they are then;
// ids nil means all that are in the queue now. With an error (of ctx, or
// ErrClosed) it returns them as they are.
func (q *Queue) Wait(ctx context.Context, ids []int64) ([]api.Job, error) {
	q.mu.Lock()
	var entries []*entry
	var finals []chan struct{}
	if ids == nil {
		entries = slices.Clone(q.order)
	}
	for _, id := range ids {
		e := q.entries[id]
		if e == nil {
			q.mu.Unlock()
			return nil, ErrNoJob
		}
		entries = append(entries, e)
	}
	for _, e := range entries {
		finals = append(finals, e.final)
	}
	q.mu.Unlock()

	var err error
	for _, final := range finals {
		select {
		case <-final:
			continue
		default:
		}
		select {
		case <-final:
			continue
		case <-ctx.Done():
			err = ctx.Err()
		case <-q.quit:
			err = ErrClosed
		}
		break
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	jobs := make([]api.Job, len(entries))
	for i, e := range entries {
		jobs[i] = *e.job
	}
	return jobs, err
}

// Busy reports whether a job is under way or about to be. Paused jobs are not.
func (q *Queue) Busy() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.ContainsFunc(q.order, func(e *entry) bool {
		return e.phase == ready || e.phase == delayed || e.phase == working
	})
}
