package queue

import (
	"slices"
	"time"

	"mediadesk/api/job"
)

// Offline mode: without a connection one job at a time tries, with back-off, and the others wait.
// With Options.RetryFor, the queue gives up after that time and leaves its jobs to the next
// program.

// firstAnswerTimeout limits Options.RetryFor for a service that never answered in this run, since
// its address is probably wrong.
const firstAnswerTimeout = 10 * time.Second

// Offline describes a lost connection.
type Offline struct {
	Host  string    // of the service
	Since time.Time // of the first failed attempt; zero while online
	Next  time.Time // of the next attempt
}

type network struct {
	Offline
	answered bool      // the service answered in this run
	silent   time.Time // start of the first attempt since the last answer; zero if none failed
	failures int       // consecutive attempts without a connection
	probe    *entry    // the job that tries to connect
	failure  *job.Failure
}

func (q *Queue) learn(e *entry, r *result, now time.Time) {
	n := &q.network
	if n.probe == e {
		n.probe = nil
	}
	q.pace.note(r, len(q.line) > 0, now)
	if r.queueWaits {
		q.holdFor(r.requested, now)
	}
	switch r.contact {
	case noAttempt:
		return
	case answer:
		if !n.Since.IsZero() {
			for _, other := range q.order {
				if other.phase == ready && other.job.State == job.Offline {
					waiting := *other.job
					waiting.State = job.Waiting
					other.job = &waiting
				}
			}
		}
		*n = network{answered: true}
	case noAnswer, noConnection:
		if n.silent.IsZero() {
			n.silent = r.began
		}
		n.failure = r.job.Failure
	}
	if r.job.State.Final() {
		return
	}
	r.leaveOpen = q.timeIsOver(e, r, now)
	if r.contact != noConnection {
		return
	}
	if n.Since.IsZero() {
		n.Since, n.Host = now, r.host
	}
	// Parallel attempts failed for the same reason.
	if !r.began.Before(n.Next) {
		n.failures++
		wait := backoff(n.failures-1, maxOfflineBackoff)
		if remaining := q.timeout() - now.Sub(n.silent); q.o.RetryFor > 0 && remaining > 0 {
			wait = min(wait, remaining) // the last attempt begins within the limit
		}
		n.Next = now.Add(wait)
		q.holdFor(wait, now)
	}
	r.wait = 0 // the queue itself waits
	if r.leaveOpen {
		for _, other := range slices.Backward(q.order) {
			if other.phase == ready || other.phase == delayed {
				waiting := *other.job
				waiting.State, waiting.Failure = job.Offline, n.failure
				other.job = &waiting
				q.leave(other)
			}
		}
	}
}

// timeout is the time limit for attempts without an answer; 0 for none.
func (q *Queue) timeout() time.Duration {
	if q.o.RetryFor > 0 && !q.network.answered {
		return min(firstAnswerTimeout, q.o.RetryFor)
	}
	return q.o.RetryFor
}

// timeIsOver reports whether the time of a job or of the service is over. It limits the wait of a
// job accordingly.
func (q *Queue) timeIsOver(e *entry, r *result, now time.Time) bool {
	if q.o.RetryFor == 0 {
		return false
	}
	remaining := q.o.RetryFor - now.Sub(e.failing)
	if r.contact == noAnswer || r.contact == noConnection {
		remaining = min(remaining, q.timeout()-now.Sub(q.network.silent))
	}
	r.wait = min(r.wait, remaining)
	return remaining <= 0 || r.requested > q.o.RetryFor
}

func (q *Queue) leave(e *entry) {
	q.withdraw(e)
	e.phase = left
	close(e.settled)
}

func (q *Queue) endHold() {
	if q.closed {
		return
	}
	now := time.Now()
	q.hold, q.network.Next = now, now
	if q.holding != nil {
		q.holding.Stop()
		q.holding = nil
	}
	q.dispatch()
	q.signal()
}
