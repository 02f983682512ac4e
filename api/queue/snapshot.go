package queue

import (
	"math"
	"time"

	"mediadesk/api"
)

// StallAfter is how long an upload goes without a byte before it counts as
// stalled.
const StallAfter = 3 * time.Second

// Row is a job as it is at one moment.
type Row struct {
	Job     *api.Job      // read only; it is never changed, so it may be kept
	Sent    int64         // bytes of the request that went out
	Total   int64         // bytes of the request; the size of the file before it is known
	Rate    float64       // bytes a second, a moving average; 0: not known
	Left    time.Duration // until everything has gone out; 0: not known
	Stalled bool          // StallAfter without a byte
	Paused  bool
	Answer  bool      // all of it went out; it waits for the answer
	Next    time.Time // when it is tried again; zero: it does not wait for that
}

// Totals are over all rows.
type Totals struct {
	Jobs, Waiting, Paused, Sending     int // Paused are among Waiting or Offline
	Offline                            int
	Stored, Refused, Unsent, Cancelled int
	Unknown, Processing                int
	Sent, Total                        int64         // bytes; a stored job counts whole
	Rate                               float64       // bytes a second of all attempts, also those that are over; 0: not known
	Left                               time.Duration // 0: not known
}

// Snapshot is the queue at one moment.
type Snapshot struct {
	Rows   []Row
	Totals Totals
	// Hold is until when the service asked for quiet; zero or past: it did not.
	Hold time.Time
	// Offline has its zero value while the service can be reached.
	Offline Offline
	// Concurrency is how many uploads may run at a time.
	Concurrency int
	// Err is what last went wrong with the journal; nil: nothing did.
	Err error
}

// Snapshot returns the queue as it is. It waits for nothing but the lock, which
// is never held during input or output; ten a second are cheap.
func (q *Queue) Snapshot() Snapshot { return q.snapshot(time.Now()) }

func (q *Queue) snapshot(now time.Time) Snapshot {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := Snapshot{Rows: make([]Row, 0, len(q.order)), Hold: q.hold, Offline: q.network.Offline, Concurrency: q.pace.limit, Err: q.trouble}
	if !s.Offline.Since.IsZero() {
		s.Hold = time.Time{}
	}
	went, busy, moving := q.went, false, false
	online := s.Offline.Since.IsZero()
	for _, e := range q.order {
		row := e.row(now)
		if e.phase == ready && e.job.State == api.Offline {
			row.Next = q.network.Next
		}
		s.Rows = append(s.Rows, row)
		s.Totals.add(&row)
		if e.progress != nil {
			went += e.progress.Sent()
		}
		busy = busy || e.phase == working || e.phase == ready || e.phase == delayed
		moving = moving || e.phase == ready || e.phase == working && !row.Stalled
	}
	// By all that went out: a small file is over before it has a rate of its own.
	switch t := &s.Totals; {
	case !busy:
		q.meter = meter{}
	case q.meter.began.IsZero():
		q.meter = meter{began: now, at: now, sent: went}
	default:
		q.meter.note(now, went)
		if left := t.Total - t.Sent; online && moving && left > 0 && q.meter.rate >= 1 {
			t.Rate, t.Left = q.meter.rate, timeLeft(left, q.meter.rate)
		}
	}
	return s
}

func (e *entry) row(now time.Time) Row {
	row := Row{Job: e.job, Total: e.job.Identity.Size, Paused: e.paused && !e.settledPhase()}
	if e.phase == delayed {
		row.Next = e.due
	}
	if e.job.State == api.Stored {
		row.Sent = row.Total
	}
	p := e.progress
	if p == nil || p.Total() == 0 {
		return row
	}
	row.Sent, row.Total = p.Sent(), p.Total()
	row.Answer = p.Complete() && row.Sent >= row.Total
	if row.Answer {
		return row
	}
	e.meter.note(now, row.Sent)
	row.Rate = e.meter.rate
	if row.Rate > 0 {
		row.Left = timeLeft(row.Total-row.Sent, row.Rate)
	}
	last := p.LastMove()
	if last.IsZero() {
		last = e.meter.began
	}
	if now.Sub(last) >= StallAfter {
		row.Stalled, row.Rate, row.Left = true, 0, 0
	}
	return row
}

func (t *Totals) add(row *Row) {
	t.Jobs++
	switch row.Job.State {
	case api.Waiting:
		t.Waiting++
	case api.Offline:
		t.Offline++
	case api.Sending:
		t.Sending++
	case api.Stored:
		t.Stored++
	case api.Refused:
		t.Refused++
	case api.Unsent:
		t.Unsent++
	case api.Cancelled:
		t.Cancelled++
	case api.Unknown:
		t.Unknown++
	case api.Processing:
		t.Processing++
	}
	if row.Paused && row.Job.State != api.Sending {
		t.Paused++
	}
	if s := row.Job.State; !s.Final() || s == api.Stored {
		t.Sent += row.Sent
		t.Total += row.Total
	}
}

func timeLeft(bytes int64, rate float64) time.Duration {
	seconds := float64(max(bytes, 0)) / rate
	return time.Duration(math.Min(seconds, 1e6) * float64(time.Second)).Round(time.Second)
}

// meter measures the rate of an attempt, or of all, as a moving average.
type meter struct {
	began time.Time // when it started
	at    time.Time // of the last sample
	sent  int64
	rate  float64
}

const (
	meterPause  = 200 * time.Millisecond // between samples
	meterMemory = 3 * time.Second        // how far back the average goes
)

func (m *meter) note(now time.Time, sent int64) {
	if m.at.IsZero() {
		m.at = m.began
	}
	passed := now.Sub(m.at)
	if passed < meterPause {
		return
	}
	speed := float64(sent-m.sent) / passed.Seconds()
	if m.rate == 0 {
		m.rate = speed
	} else {
		m.rate += (speed - m.rate) * (1 - math.Exp(-passed.Seconds()/meterMemory.Seconds()))
	}
	m.at, m.sent = now, sent
}
