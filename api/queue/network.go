package queue

import (
	"cmp"
	"slices"
	"time"

	"mediadesk/api/job"
)

// Offline mode: without a connection one job at a time tries, with back-off, and the others wait.
// With Options.RetryTimeout, the queue gives up after that time and leaves its jobs to the next
// program.

// firstAnswerTimeout limits Options.RetryTimeout for a service that never answered in this run,
// since its address is probably wrong.
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
		q.holdFor(r.requestedDelay, now)
	}
	switch r.contact {
	case noAttempt:
		return
	case answer:
		if !n.Since.IsZero() {
			for _, other := range q.order {
				if other.phase == ready && other.job.State == job.Offline {
					other.job = new(*other.job)
					other.job.State = job.Waiting
				}
			}
		}
		*n = network{answered: true}
	case noAnswer, noConnection:
		n.silent = cmp.Or(n.silent, r.began)
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
		delay := backoff(n.failures-1, maxOfflineDelay)
		if remaining := q.timeout() - now.Sub(n.silent); q.o.RetryTimeout > 0 && remaining > 0 {
			delay = min(delay, remaining) // the last attempt begins within the limit
		}
		n.Next = now.Add(delay)
		q.holdFor(delay, now)
	}
	r.delay = 0 // the queue itself waits
	if r.leaveOpen {
		for _, other := range slices.Backward(q.order) {
			if other.phase == ready || other.phase == delayed {
				other.job = new(*other.job)
				other.job.State, other.job.Failure = job.Offline, n.failure
				q.leave(other)
			}
		}
	}
}

// timeout is the time limit for attempts without an answer; 0 for none.
func (q *Queue) timeout() time.Duration {
	if q.o.RetryTimeout > 0 && !q.network.answered {
		return min(firstAnswerTimeout, q.o.RetryTimeout)
	}
	return q.o.RetryTimeout
}

// timeIsOver reports whether the time of a job or of the service is over. It limits the wait of a
// job accordingly.
func (q *Queue) timeIsOver(e *entry, r *result, now time.Time) bool {
	if q.o.RetryTimeout == 0 {
		return false
	}
	remaining := q.o.RetryTimeout - now.Sub(e.failing)
	if r.contact == noAnswer || r.contact == noConnection {
		remaining = min(remaining, q.timeout()-now.Sub(q.network.silent))
	}
	r.delay = min(r.delay, remaining)
	return remaining <= 0 || r.requestedDelay > q.o.RetryTimeout
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

// The number of concurrent uploads starts low, doubles while that increases throughput, and halves
// on refusals (429, 503) and timeouts. After a refusal it grows slowly.

const (
	firstLimit = 6
	// Limits memory, too: an upload uses about 200 kB of buffers.
	maxLimit = 64

	growth      = 1.1             // speed-up required to keep a larger number
	retryRounds = 8               // rounds before another try after no speed-up
	raiseDelay  = 5 * time.Second // time without a refusal
)

// pace finds the number of concurrent uploads. The zero pace allows none.
type pace struct {
	limit   int
	fixed   bool
	ceiling int // one less than the limit at the last refusal; 0 if none

	began      time.Time // start of the round, in which limit uploads run; zero if none
	bytes      int64     // answered in the round
	finished   int       // uploads finished in the round
	rate       float64   // bytes per second of the last round; 0 if unknown
	before     int       // limit before it grew; 0 if it did not grow last
	skipRounds int       // rounds left without growing
	reduced    time.Time // time of the last reduction
	raiseNext  time.Time
}

func (p *pace) set(n int) {
	switch {
	case n > 0:
		*p = pace{limit: n, fixed: true}
	case p.fixed || p.limit == 0:
		*p = pace{limit: firstLimit}
	}
}

// note records a finished attempt. waiting means that more jobs are queued.
func (p *pace) note(r *result, waiting bool, now time.Time) {
	switch {
	case p.fixed || r.contact == noAttempt:
		return
	case r.overload:
		p.reduce(r.began, now)
		return
	case r.contact != answer:
		return
	case p.began.IsZero() || !waiting:
		p.began, p.bytes, p.finished = now, 0, 0 // the limit is not the bottleneck
		return
	}
	p.finished++
	p.bytes += r.sent
	if p.finished >= p.limit {
		p.adapt(float64(p.bytes)/max(now.Sub(p.began).Seconds(), 1e-3), now)
		p.began, p.bytes, p.finished = now, 0, 0
	}
}

func (p *pace) adapt(rate float64, now time.Time) {
	if p.before > 0 && rate < p.rate*growth {
		p.limit, p.before, p.skipRounds = p.before, 0, retryRounds
		return
	}
	p.rate, p.before = rate, 0
	if p.skipRounds > 0 {
		p.skipRounds--
		return
	}
	next := min(2*p.limit, maxLimit)
	if p.ceiling > 0 {
		if now.After(p.raiseNext) {
			p.ceiling, p.raiseNext = p.ceiling+1, now.Add(raiseDelay)
		}
		next = min(p.limit+1, p.ceiling, maxLimit)
	}
	if next > p.limit {
		if p.ceiling == 0 {
			p.before = p.limit
		}
		p.limit = next
	}
}

// reduce halves the limit, once for all concurrent attempts.
func (p *pace) reduce(began, now time.Time) {
	p.before, p.began, p.raiseNext = 0, time.Time{}, now.Add(raiseDelay)
	if began.Before(p.reduced) {
		return
	}
	p.reduced = now
	p.ceiling = max(p.limit-1, 1)
	p.limit = max(p.limit/2, 1)
}
