package queue

import (
	"cmp"
	"slices"
)

// Jobs run in the order of queuing. Queue.line holds exactly the jobs in phase ready, in this order.

func compareOrder(a, b *entry) int { return cmp.Compare(a.turn, b.turn) }

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
