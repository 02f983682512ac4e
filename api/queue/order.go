package queue

import (
	"cmp"
	"context"
	"slices"

	"mediadesk/api/job"
)

// Jobs run by priority, which the user sets, then in the order of queuing. Queue.line holds exactly
// the jobs in phase ready, in this order.

func compareOrder(a, b *entry) int {
	return cmp.Or(cmp.Compare(b.job.Priority, a.job.Priority), cmp.Compare(a.turn, b.turn))
}

func (q *Queue) enqueue(e *entry) {
	e.phase = ready
	at := len(q.line) // usually it is the last
	if at > 0 && compareOrder(q.line[at-1], e) > 0 {
		at, _ = slices.BinarySearchFunc(q.line, e, compareOrder)
	}
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

func (q *Queue) next() *entry {
	if len(q.line) == 0 {
		return nil
	}
	e := q.line[0]
	q.line[0] = nil
	q.line = q.line[1:]
	return e
}

// First moves a job before all other waiting jobs.
func (q *Queue) First(ctx context.Context, id int64) error { return q.move(ctx, id, 1) }

// Last moves a job behind all other waiting jobs.
func (q *Queue) Last(ctx context.Context, id int64) error { return q.move(ctx, id, -1) }

// move gives a job a priority above (by is 1) or below (-1) those of the others, in the journal
// first.
func (q *Queue) move(ctx context.Context, id int64, by int) error {
	q.mu.Lock()
	e, err := q.find(id)
	if err == nil && e.job.State != job.Waiting && e.job.State != job.Offline {
		err = &StateError{ID: id, State: e.job.State, Action: "move"}
	}
	if err != nil {
		q.mu.Unlock()
		return err
	}
	priority := 0
	for _, other := range q.order {
		if other != e && !other.settledPhase() && other.job.Priority*by > priority*by {
			priority = other.job.Priority
		}
	}
	q.mu.Unlock()

	priority += by
	if err := q.o.Journal.SetPriority(ctx, id, priority); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	isReady := e.phase == ready
	if isReady {
		q.withdraw(e)
	}
	j := *e.job
	j.Priority = priority
	e.job = &j
	if isReady {
		q.enqueue(e)
	}
	q.sortWaiting()
	q.dispatch()
	q.signal()
	return nil
}

func (q *Queue) sortWaiting() {
	var places []int
	var waiting []*entry
	for i, e := range q.order {
		if e.job.State == job.Waiting || e.job.State == job.Offline {
			places, waiting = append(places, i), append(waiting, e)
		}
	}
	slices.SortFunc(waiting, compareOrder)
	for i, at := range places {
		q.order[at] = waiting[i]
	}
}
