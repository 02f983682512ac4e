package queue

import "time"

// How many uploads run at a time. It begins with a few, doubles while that brings
// more bytes across, and halves when the service refuses (429, 503) or does not
// answer in time. Where the service refused, it grows slowly again.

const (
	firstLimit = 6
	// maxLimit also bounds memory: an upload holds about 200 kB of buffers.
	maxLimit = 64

	growth      = 1.1             // how much faster a larger number must be to stay
	pauseGrowth = 8               // rounds without another try when it was not faster
	raiseAfter  = 5 * time.Second // without a refusal
)

// pace finds the number of uploads at a time. The zero pace lets none run.
type pace struct {
	limit   int
	fixed   bool
	ceiling int // one less than the limit at the last refusal; 0: there was none

	began     time.Time // of the round, which has limit uploads; zero: none
	bytes     int64     // that were answered in the round
	finished  int       // uploads of the round
	rate      float64   // bytes a second of the last round; 0: not known
	before    int       // the limit before it grew; 0: it did not grow last
	pause     int       // rounds to go without growing
	reduced   time.Time // when the limit was last halved
	raiseNext time.Time
}

// set fixes the number; 0 or less lets it adapt.
func (p *pace) set(n int) {
	switch {
	case n > 0:
		*p = pace{limit: n, fixed: true}
	case p.fixed || p.limit == 0:
		*p = pace{limit: firstLimit}
	}
}

// note takes account of an attempt that is over. waiting says that more jobs are
// in line.
func (p *pace) note(v *verdict, waiting bool, now time.Time) {
	if p.fixed || v.contact == noAttempt {
		return
	}
	if v.overload {
		p.reduce(v.began, now)
		return
	}
	if v.contact != answer {
		return
	}
	if p.began.IsZero() || !waiting {
		p.began, p.bytes, p.finished = now, 0, 0 // the limit is not what holds it up
		return
	}
	p.finished++
	p.bytes += v.sent
	if p.finished >= p.limit {
		p.adapt(float64(p.bytes)/max(now.Sub(p.began).Seconds(), 1e-3), now)
		p.began, p.bytes, p.finished = now, 0, 0
	}
}

// adapt ends a round.
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
			p.ceiling, p.raiseNext = p.ceiling+1, now.Add(raiseAfter)
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

// reduce halves the limit, once for all attempts that were under way together.
func (p *pace) reduce(began, now time.Time) {
	p.before, p.began, p.raiseNext = 0, time.Time{}, now.Add(raiseAfter)
	if began.Before(p.reduced) {
		return
	}
	p.reduced = now
	p.ceiling = max(p.limit-1, 1)
	p.limit = max(p.limit/2, 1)
}
