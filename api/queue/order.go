package queue

import (
	"cmp"
	"context"
	"slices"

	"mediadesk/api"
)

// Who goes next. Jobs go in the order of their priority, which a person sets by
// hand, and among equals in the order in which they were handed over; what was
// tried already goes before what was not. A large file does not take the last
// place while much smaller ones wait: those would wait for as long as it takes.

// heavySize is the size in bytes from which a file is large.
const heavySize = 8 << 20

// lightBeside is how many times smaller a file must be to go before a large
// one.
const lightBeside = 8

// enqueue puts a waiting job in line, behind those of its priority.
func (q *Queue) enqueue(e *entry) {
	e.phase = ready
	// Nearly always it is the last.
	at := len(q.line)
	if at > 0 && q.line[at-1].job.Priority < e.job.Priority {
		at, _ = slices.BinarySearchFunc(q.line, e, func(other, e *entry) int {
			// Equal ones stand before it.
			if c := cmp.Compare(e.job.Priority, other.job.Priority); c != 0 {
				return c
			}
			return -1
		})
	}
	q.line = slices.Insert(q.line, at, e)
}

// next takes the job that goes next; nil: there is none. Those that left the
// line meanwhile are passed over.
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
				// A small one goes before it; it keeps its place.
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

// mustWait reports whether a large job would take the last place from small
// ones.
func (q *Queue) mustWait(e *entry) bool {
	return q.pace.limit > 1 && e.job.Identity.Size >= heavySize && q.heavy >= q.pace.limit-1
}

// smaller takes the first job out of line that is much smaller than e.
func (q *Queue) smaller(e *entry) *entry {
	for i, other := range q.line {
		if other.phase == ready && other.job.Identity.Size <= e.job.Identity.Size/lightBeside {
			q.line = slices.Delete(q.line, i, i+1)
			return other
		}
	}
	return nil
}

// First lets a job go before all others that wait.
func (q *Queue) First(ctx context.Context, id int64) error {
	return q.move(ctx, id, func(lowest, highest int) int { return highest + 1 })
}

// Last lets a job go after all others that wait.
func (q *Queue) Last(ctx context.Context, id int64) error {
	return q.move(ctx, id, func(lowest, highest int) int { return lowest - 1 })
}

// move gives a job another priority, in the journal first.
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

// sortWaiting puts those that wait in the order in which they go, as they are
// shown.
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
