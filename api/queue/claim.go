package queue

import (
	"context"

	"mediadesk/api/job"
)

// Resume continues journaled jobs that no running program has, and returns them. Nil ids means all
// jobs of the profile that Start would resume.
func (q *Queue) Resume(ctx context.Context, ids []int64) ([]job.Job, error) {
	if ids != nil {
		return q.claim(ctx, ids)
	}
	open, err := q.claim(ctx, nil)
	if err != nil {
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
		q.mu.Lock()
		defer q.mu.Unlock()
		return q.entries[id] == nil
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
