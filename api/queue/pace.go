package queue

import "time"

// The number of concurrent uploads starts low, doubles while that increases throughput, and halves
// on refusals (429, 503) and timeouts. After a refusal it grows slowly.

const (
	firstLimit = 6
	// Limits memory, too: an upload uses about 200 kB of buffers.
	maxLimit = 64

	growth      = 1.1             // speed-up required to keep a larger number
	pauseGrowth = 8               // rounds before another try after no speed-up
	raiseDelay  = 5 * time.Second // time without a refusal
)

// pace finds the number of concurrent uploads. The zero pace allows none.
type pace struct {
	limit   int
	fixed   bool
	ceiling int // one less than the limit at the last refusal; 0 if none

	began     time.Time // start of the round, in which limit uploads run; zero if none
	bytes     int64     // answered in the round
	finished  int       // uploads finished in the round
	rate      float64   // bytes per second of the last round; 0 if unknown
	before    int       // limit before it grew; 0 if it did not grow last
	pause     int       // rounds left without growing
	reduced   time.Time // time of the last reduction
	raiseNext time.Time
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
	if p.fixed || r.contact == noAttempt {
		return
	}
	if r.overload {
		p.reduce(r.began, now)
		return
	}
	if r.contact != answer {
		return
	}
	if p.began.IsZero() || !waiting {
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
		p.limit, p.before, p.pause = p.before, 0, pauseGrowth
		return
	}
	p.rate, p.before = rate, 0
	if p.pause > 0 {
		p.pause--
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
