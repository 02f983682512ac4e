package queue

import (
	"cmp"
	"context"
	"slices"

	"mediadesk/api"
)

// Jobs run by priority, which the user sets, then in the order of queuing; retries come first. A
// large file does not take the last slot while much smaller ones wait.

// heavySize is the size in bytes of a large file.
const heavySize = 8 << 20

// lightBeside is how many times smaller a file must be to overtake a large one.
const lightBeside = 8

// enqueue queues a waiting job behind those of its priority.
func (q *Queue) enqueue(e *entry) {
	e.phase = ready
	// Usually it is the last.
	at := len(q.line)
	if at > 0 && q.line[at-1].job.Priority < e.job.Priority {
		at, _ = slices.BinarySearchFunc(q.line, e, func(other, e *entry) int {
			// Equal ones come before it.
			if c := cmp.Compare(e.job.Priority, other.job.Priority); c != 0 {
				return c
			}
			return -1
		})
	}
	q.line = slices.Insert(q.line, at, e)
}

// next returns the next job, or nil. It skips jobs that no longer wait.
func (q *Queue) next() *entry {
	for _, line := range []*[]*entry{&q.again, &q.line} {
		for len(*line) > 0 {
			e := (*line)[0]
			if e.phase == ready && !q.mustWait(e) {
				(*line)[0] = nil
				*line = (*line)[1:]
				return e
			}
			if e.phase == ready {
				// A small job overtakes it; it keeps its place.
				if small := q.smaller(e); small != nil {
					return small
				}
			}
			(*line)[0] = nil
			*line = (*line)[1:]
			if e.phase == ready {
				return e
			}
		}
	}
	return nil
}

// mustWait reports whether a large job would take the last slot from small ones.
func (q *Queue) mustWait(e *entry) bool {
	return q.pace.limit > 1 && e.job.Identity.Size >= heavySize && q.heavy >= q.pace.limit-1
}

// smaller removes and returns the first job that is much smaller than e.
func (q *Queue) smaller(e *entry) *entry {
	for i, other := range q.line {
		if other.phase == ready && other.job.Identity.Size <= e.job.Identity.Size/lightBeside {
			q.line = slices.Delete(q.line, i, i+1)
			return other
		}
	}
	return nil
}

// First moves a job before all other waiting jobs.
func (q *Queue) First(ctx context.Context, id int64) error {
	return q.move(ctx, id, func(lowest, highest int) int { return highest + 1 })
}

// Last moves a job behind all other waiting jobs.
func (q *Queue) Last(ctx context.Context, id int64) error {
	return q.move(ctx, id, func(lowest, highest int) int { return lowest - 1 })
}

// move changes the priority of a job, in the journal first.
func (q *Queue) move(ctx context.Context, id int64, to func(lowest, highest int) int) error {
	q.mu.Lock()
	e, err := q.find(id)
	if err == nil && e.job.State != api.Waiting && e.job.State != api.Offline {
		err = &StateError{ID: id, State: e.job.State, Action: "move"}
	}
	if err != nil {
		q.mu.Unlock()
		return err
	}
	lowest, highest := 0, 0
	for _, other := range q.order {
		if other != e && !other.settledPhase() {
			lowest, highest = min(lowest, other.job.Priority), max(highest, other.job.Priority)
		}
	}
	q.mu.Unlock()

	priority := to(lowest, highest)
	if err := q.o.Journal.SetPriority(ctx, id, priority); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	job := *e.job
	job.Priority = priority
	e.job = &job
	if e.phase == ready {
		same := func(other *entry) bool { return other == e }
		q.line, q.again = slices.DeleteFunc(q.line, same), slices.DeleteFunc(q.again, same)
		q.enqueue(e)
	}
	q.sortWaiting()
	q.dispatch()
	q.signal()
	return nil
}

// sortWaiting sorts waiting jobs for display in the order of sending.
func (q *Queue) sortWaiting() {
	var places []int
	var waiting []*entry
	for i, e := range q.order {
		if e.job.State == api.Waiting || e.job.State == api.Offline {
			places, waiting = append(places, i), append(waiting, e)
		}
	}
	slices.SortStableFunc(waiting, func(a, b *entry) int { return cmp.Compare(b.job.Priority, a.job.Priority) })
	for i, at := range places {
		q.order[at] = waiting[i]
	}
}
