package queue

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
)

var errCanceled = errors.New("canceled")

// settledPhase reports whether nothing more happens to a job in this run.
func (e *entry) settledPhase() bool { return e.phase == done || e.phase == left }

// Cancel cancels a job. If it may have been stored already, it is checked where possible; the
// outcome is then what was found, or unknown.
func (q *Queue) Cancel(id int64) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.entries[id]
	switch {
	case q.closed:
		return ErrClosed
	case e == nil:
		return ErrNoJob
	case e.settledPhase():
		return &StateError{ID: id, State: e.job.State, Action: "cancel"}
	case e.wish == wishCancel:
		return nil
	}
	e.wish = wishCancel
	if e.phase == working {
		e.stop(errCanceled)
	} else {
		q.withdraw(e)
		q.launch(e) // a worker writes the journal
	}
	q.dispatch()
	q.signal()
	return nil
}

// Retry queues jobs again, behind the others, unless they are stored. Jobs of earlier runs are
// included. They are in the journal when it returns them. It does not check whether a repeat could
// store a file twice; that is the user's decision. A source that was never sent may have changed. A
// job waiting for its next attempt gets it at once, and no other does.
func (q *Queue) Retry(ctx context.Context, ids []int64) ([]job.Job, error) {
	if q.retryNow(ids) {
		return nil, nil
	}
	return q.reopen(ctx, "retry", ids, entry{wish: wishSend}, func(j *job.Job) bool {
		asItIsNow(j)
		return j.State != job.Stored
	})
}

// retryNow starts jobs now that wait for their next attempt. It reports whether all of ids do.
func (q *Queue) retryNow(ids []int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := 0
	for _, id := range ids {
		e := q.entries[id]
		if e == nil || e.settledPhase() || e.phase != delayed && e.job.State != job.Offline {
			continue
		}
		waiting++
		if e.phase == delayed && !q.closed {
			q.undelay(e)
		}
	}
	if waiting > 0 {
		q.endHold()
	}
	return waiting > 0 && waiting == len(ids)
}

// RetryFailed queues all failed jobs of the profile again that cannot be stored twice, including
// those of earlier runs. They are in the journal when it returns them. ambiguous counts the jobs
// left out because they could be stored twice.
func (q *Queue) RetryFailed(ctx context.Context) (jobs []job.Job, ambiguous int, err error) {
	jobs, err = q.reopen(ctx, "retry", nil, entry{}, func(j *job.Job) bool {
		if j.Failed() && !j.MayRepeat() {
			ambiguous++
		}
		asItIsNow(j)
		return j.Failed() && j.MayRepeat()
	})
	return jobs, ambiguous, err
}

// asItIsNow replaces the identity of a source that was never sent: the user asks for it as it is now.
func asItIsNow(j *job.Job) {
	if j.Attempts == 0 && j.Identity != (api.Identity{}) && j.Upload.Source.Path != "" {
		if now, err := api.Identify(j.Upload.Source.Path); err == nil {
			j.Identity = now
		}
	}
}

// Check asks the service again about a job that is unknown or being processed. It sends nothing.
func (q *Queue) Check(ctx context.Context, id int64) error {
	_, err := q.reopen(ctx, "check", []int64{id}, entry{wish: wishCheck}, func(j *job.Job) bool {
		return j.State == job.Unknown || j.State == job.Processing
	})
	return err
}

// reopen reopens jobs, first in the journal. For a single id it returns why that is not possible.
func (q *Queue) reopen(ctx context.Context, action string, ids []int64, as entry,
	may func(*job.Job) bool,
) ([]job.Job, error) {
	if locked(q, func() bool { return q.closed }) {
		return nil, ErrClosed
	}
	jobs, err := q.o.Journal.Reopen(ctx, q.o.Profile, ids, may)
	if err != nil {
		return nil, err
	}
	if len(jobs) == 0 && len(ids) == 1 {
		q.mu.Lock()
		defer q.mu.Unlock()
		if e := q.entries[ids[0]]; e != nil {
			return nil, &StateError{ID: ids[0], State: e.job.State, Action: action}
		}
		return nil, ErrNoJob
	}
	return jobs, q.accept(ctx, jobs, as)
}

// Remove removes a job with an outcome from the list and journals that it was dismissed.
func (q *Queue) Remove(id int64) error {
	q.mu.Lock()
	e := q.entries[id]
	if e == nil {
		q.mu.Unlock()
		return ErrNoJob
	}
	j := *e.job
	if e.phase != done {
		q.mu.Unlock()
		return &StateError{ID: id, State: j.State, Action: "remove"}
	}
	delete(q.entries, id)
	q.order = slices.DeleteFunc(q.order, func(other *entry) bool { return other == e })
	q.signal()
	q.mu.Unlock()
	if j.Failed() {
		q.Dismiss(j, true)
	}
	return nil
}

// Dismiss journals that the user dismissed a failed job, or restored it. It does not wait for the
// journal.
func (q *Queue) Dismiss(j job.Job, dismissed bool) {
	j.Dismissed = dismissed
	q.o.Journal.NoteJob(j)
}

// Wait waits until jobs have an outcome or are left open (Options.RetryTimeout), and returns them.
// Nil ids means all jobs in the queue now. If ctx ends or the queue closes, it returns them as they
// are with the error.
func (q *Queue) Wait(ctx context.Context, ids []int64) ([]job.Job, error) {
	q.mu.Lock()
	var entries []*entry
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
	q.mu.Unlock()

	var err error
	for _, e := range entries {
		select {
		case <-e.settled:
			continue
		default:
		}
		select {
		case <-e.settled:
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
	return rule.Mapped(entries, func(e *entry) job.Job { return *e.job }), err
}

// Busy reports whether a job is running or due.
func (q *Queue) Busy() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.ContainsFunc(q.order, func(e *entry) bool {
		return e.phase == ready || e.phase == delayed || e.phase == working
	})
}

// Resume continues journaled jobs that no running program has, and returns them. Nil ids means all
// jobs of the profile that Start would resume.
func (q *Queue) Resume(ctx context.Context, ids []int64) ([]job.Job, error) {
	open, err := q.claim(ctx, ids)
	if err != nil || ids != nil {
		return open, err
	}
	failed, err := q.resumeFailed(ctx)
	return append(open, failed...), err
}

func (q *Queue) claim(ctx context.Context, ids []int64) ([]job.Job, error) {
	jobs, err := q.o.Journal.Claim(ctx, q.o.Profile, ids)
	if err != nil {
		return nil, err
	}
	return jobs, q.accept(ctx, jobs, entry{})
}

// resumeFailed reopens failed jobs that another attempt may improve, and checks those that the
// service was processing. Outcomes of this run stay.
func (q *Queue) resumeFailed(ctx context.Context) ([]job.Job, error) {
	earlier := func(id int64) bool {
		return locked(q, func() bool { return q.entries[id] == nil })
	}
	jobs, err := q.o.Journal.Reopen(ctx, q.o.Profile, nil,
		func(j *job.Job) bool { return j.MayResume() && earlier(j.ID) })
	if err != nil {
		return nil, err
	}
	if err := q.accept(ctx, jobs, entry{}); err != nil {
		return nil, err
	}
	processing, err := q.o.Journal.Reopen(ctx, q.o.Profile, nil,
		func(j *job.Job) bool { return j.State == job.Processing && !j.Dismissed && earlier(j.ID) })
	if err != nil {
		return jobs, err
	}
	return append(jobs, processing...), q.accept(ctx, processing, entry{wish: wishCheck})
}

// Jobs run in the order of queuing. Queue.line holds exactly the jobs in phase ready, in this order.

func compareOrder(a, b *entry) int { return cmp.Compare(a.turn, b.turn) }

func (q *Queue) enqueue(e *entry) {
	e.phase = ready
	at, _ := slices.BinarySearchFunc(q.line, e, compareOrder)
	q.line = slices.Insert(q.line, at, e)
}

func (q *Queue) withdraw(e *entry) {
	if e.timer != nil {
		e.timer.Stop()
		e.timer = nil
	}
	if e.phase == ready {
		at, _ := slices.BinarySearchFunc(q.line, e, compareOrder)
		q.line = slices.Delete(q.line, at, at+1)
	}
	e.phase = idle
}
