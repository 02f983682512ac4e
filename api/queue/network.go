package queue

import (
	"time"

	"mediadesk/api"
)

// Waiting for a connection. While no connection to the service can be made, one
// job at a time tries, with back-off; the others wait for it. A queue with
// Options.RetryFor leaves its jobs to the next program when the service is silent
// for too long.

// firstAnswerWithin is how long a service that never answered in this run is
// tried where Options.RetryFor is set: its address is probably wrong.
const firstAnswerWithin = 10 * time.Second

// Offline says that the service cannot be reached.
type Offline struct {
	Host  string    // of the service
	Since time.Time // when the first attempt failed; zero: the service can be reached
	Next  time.Time // when the next attempt begins
}

// network is what the attempts found out about the way to the service.
type network struct {
	Offline
	answered bool      // the service answered in this run
	silent   time.Time // when the first attempt since its last answer began; zero: none failed
	failures int       // attempts in a row that found no connection
	probe    *entry    // the job that tries while there is none
	failure  *api.Failure
}

// mayTry reports whether another attempt may begin: without a connection only one
// at a time.
func (n *network) mayTry() bool { return n.Since.IsZero() || n.probe == nil }

func (n *network) trying(e *entry) {
	if !n.Since.IsZero() {
		n.probe = e
	}
}

// learn draws conclusions from an attempt for all jobs of the queue.
func (q *Queue) learn(e *entry, v *verdict, now time.Time) {
	n := &q.network
	if n.probe == e {
		n.probe = nil
	}
	q.pace.note(v, len(q.line)+len(q.again) > 0, now)
	q.holdFor(v.quiet, now)
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
	// Those that began beside the first failed for the same reason.
	if !v.began.Before(n.Next) {
		n.failures++
		wait := q.patience(backoff(n.failures-1, maxOffline), n.silent, now)
		n.Next = now.Add(wait)
		q.holdFor(wait, now)
	}
	v.wait = 0 // the queue waits as a whole
	if v.giveUp {
		for _, other := range q.order {
			if other.phase == ready || other.phase == delayed {
				waiting := *other.job
				waiting.State, waiting.Failure = api.Offline, n.failure
				other.job = &waiting
				q.leave(other)
			}
		}
	}
}

// limit is how long attempts may go on without an answer; 0: without end.
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

// giveUp reports whether a job, or the service, had its time. It shortens the wait
// of a job to the time that it has.
func (q *Queue) giveUp(e *entry, v *verdict, now time.Time) bool {
	if q.o.RetryFor == 0 {
		return false
	}
	rest := q.o.RetryFor - now.Sub(e.failing)
	if v.contact == noAnswer || v.contact == noConnection {
		rest = min(rest, q.limit()-now.Sub(q.network.silent))
	}
	v.wait = min(v.wait, rest)
	return rest <= 0 || v.quiet > q.o.RetryFor
}

// online makes the jobs wait in the queue again that waited for a connection.
func (q *Queue) online() {
	for _, e := range q.order {
		if e.phase == ready && e.job.State == api.Offline {
			waiting := *e.job
			waiting.State = api.Waiting
			e.job = &waiting
		}
	}
}

// leave gives a job up for this run. It stays open: the next program goes on.
func (q *Queue) leave(e *entry) {
	e.withdraw()
	e.phase = left
	close(e.settled)
}

// RetryNow begins at once with what waits for its next attempt.
func (q *Queue) RetryNow() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	now := time.Now()
	q.hold, q.network.Next = now, now
	for _, e := range q.order {
		if e.phase == delayed {
			q.undelay(e)
		}
	}
	if q.holding != nil {
		q.holding.Stop()
		q.holding = nil
	}
	q.dispatch()
	q.signal()
}
