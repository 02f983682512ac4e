package queue

import (
	"context"
	"time"

	"mediadesk/api"
)

// Delays before the first check after status 202, and between two checks.
const (
	firstLook = 10 * time.Second
	maxLook   = 5 * time.Minute
)

// searchLater schedules a check for a job that the service is processing. The caller holds the
// lock.
func (q *Queue) searchLater(e *entry) {
	wait := maxLook
	if e.looks < 5 {
		wait = firstLook << e.looks
	}
	e.looks++
	e.timer = time.AfterFunc(wait, func() { q.search(e) })
}

// search checks for the file of a job that the service is processing.
func (q *Queue) search(e *entry) {
	q.mu.Lock()
	if q.closed || q.entries[e.job.ID] != e || e.job.State != api.Processing {
		q.mu.Unlock()
		return
	}
	q.work.Add(1)
	job := *e.job
	q.mu.Unlock()
	defer q.work.Done()
	switch found := q.check(q.context(), &job); found.result {
	case isThere:
		_ = q.Decide(q.context(), stored(job, found).job) // errors are in Snapshot.Err
	case cannotCheck:
	default:
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.entries[job.ID] == e && e.job.State == api.Processing {
			q.searchLater(e)
		}
	}
}

// Decide gives a job that the service was processing the outcome in job.
func (q *Queue) Decide(ctx context.Context, job api.Job) error {
	job.Updated = time.Now()
	err := q.keep(ctx, job)
	q.mu.Lock()
	if err != nil {
		q.trouble = err
	} else if e := q.entries[job.ID]; e != nil && e.job.State == api.Processing {
		e.job = &job
	}
	last := q.batches[job.Batch] == 0
	q.signal()
	q.mu.Unlock()
	if err != nil {
		return err
	}
	if q.o.Ended != nil {
		q.o.Ended(context.WithoutCancel(ctx), job)
	}
	if job.Batch != "" && last && q.o.BatchDone != nil {
		q.o.BatchDone(context.WithoutCancel(ctx), job.Batch)
	}
	return nil
}
