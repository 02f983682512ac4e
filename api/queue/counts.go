package queue

import "time"

// Counts holds the numbers of open and failed jobs.
type Counts struct {
	Open   int // without an outcome
	Failed int // see [api.Job.Failed]
}

// Counts counts the open jobs and those that failed after since. It copies no jobs, so it is cheap
// even for 100,000.
func (q *Queue) Counts(since time.Time) Counts {
	q.mu.Lock()
	defer q.mu.Unlock()
	var c Counts
	for _, e := range q.order {
		switch {
		case !e.job.State.Final():
			c.Open++
		case e.job.Failed() && e.job.Updated.After(since):
			c.Failed++
		}
	}
	return c
}
