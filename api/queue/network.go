package queue

import (
	"slices"
	"time"

	"mediadesk/api"
)

// Offline mode: without a connection one job at a time tries, with back-off, and the others wait.
// With Options.RetryFor, the queue gives up after that time and leaves its jobs to the next
// program.

// firstAnswerWithin limits Options.RetryFor for a service that never answered in this run, since
// its address is probably wrong.
const firstAnswerWithin = 10 * time.Second

// Offline describes a lost connection.
type Offline struct {
	Host  string    // of the service
	Since time.Time // of the first failed attempt; zero while online
	Next  time.Time // of the next attempt
}

// network is what attempts revealed about the connection.
type network struct {
	Offline
	answered bool      // the service answered in this run
	silent   time.Time // start of the first attempt since the last answer; zero if none failed
	failures int       // consecutive attempts without a connection
	probe    *entry    // the job that tries to connect
	failure  *api.Failure
}

func (q *Queue) learn(e *entry, v *verdict, now time.Time) {
	n := &q.network
	if n.probe == e {
		n.probe = nil
	}
	q.pace.note(v, len(q.line) > 0, now)
	if v.quiet {
		q.holdFor(v.asked, now)
	}
	switch v.contact {
	case noAttempt:
		return
	case answer:
		if !n.Since.IsZero() {
			q.online()
		}
		*n = network{answered: true}
	case noAnswer, noConnection:
		if n.silent.IsZero() {
			n.silent = v.began
		}
		n.failure = v.job.Failure
	}
	if v.job.State.Final() {
		return
	}
	v.giveUp = q.giveUp(e, v, now)
	if v.contact != noConnection {
		return
	}
	if n.Since.IsZero() {
		n.Since, n.Host = now, v.host
	}
	// Parallel attempts failed for the same reason.
	if !v.began.Before(n.Next) {
		n.failures++
		wait := q.patience(backoff(n.failures-1, maxOffline), n.silent, now)
		n.Next = now.Add(wait)
		q.holdFor(wait, now)
	}
	v.wait = 0 // the queue itself waits
	if v.giveUp {
		for _, other := range slices.Backward(q.order) {
			if other.phase == ready || other.phase == delayed {
				waiting := *other.job
				waiting.State, waiting.Failure = api.Offline, n.failure
				other.job = &waiting
				q.leave(other)
			}
		}
	}
}

// limit is the time limit for attempts without an answer; 0 for none.
func (q *Queue) limit() time.Duration {
	if q.o.RetryFor > 0 && !q.network.answered {
		return min(firstAnswerWithin, q.o.RetryFor)
	}
	return q.o.RetryFor
}

// patience shortens a wait so that the last attempt begins within the limit.
func (q *Queue) patience(wait time.Duration, since, now time.Time) time.Duration {
	if rest := q.limit() - now.Sub(since); q.o.RetryFor > 0 && rest > 0 {
		return min(wait, rest)
	}
	return wait
}

// giveUp reports whether the time of a job or of the service is over. It limits the wait of a job
// accordingly.
func (q *Queue) giveUp(e *entry, v *verdict, now time.Time) bool {
	if q.o.RetryFor == 0 {
		return false
	}
	rest := q.o.RetryFor - now.Sub(e.failing)
	if v.contact == noAnswer || v.contact == noConnection {
		rest = min(rest, q.limit()-now.Sub(q.network.silent))
	}
	v.wait = min(v.wait, rest)
	return rest <= 0 || v.asked > q.o.RetryFor
}

// online returns offline jobs to the queue.
func (q *Queue) online() {
	for _, e := range q.order {
		if e.phase == ready && e.job.State == api.Offline {
			waiting := *e.job
			waiting.State = api.Waiting
			e.job = &waiting
		}
	}
}

// leave leaves a job open for the next program.
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
