package queue

import (
	"cmp"
	"math"
	"time"

	"mediadesk/api/job"
)

// StallTimeout is the time without progress after which an upload counts as stalled.
const StallTimeout = 3 * time.Second

// Row is the state of a job at one moment.
type Row struct {
	Job     *job.Job  // immutable
	Sent    int64     // request bytes sent
	Total   int64     // bytes of the request; before sending, the size of the file
	Stalled bool      // no progress for StallTimeout
	Answer  bool      // all is sent; waiting for the answer
	Next    time.Time // time of the next attempt; zero if not waiting for one
}

// Totals sums up all rows.
type Totals struct {
	Jobs        int
	Count       map[job.State]int // jobs by state
	Sent, Total int64             // bytes; stored jobs count in full
	Rate        float64           // bytes per second of all attempts; 0 if unknown
	Left        time.Duration     // 0 if unknown
}

// Snapshot is the state of the queue at one moment.
type Snapshot struct {
	Rows   []Row
	Totals Totals
	// Hold is when the pause requested by the service ends; zero or past if none.
	Hold time.Time
	// Offline is zero while the service can be reached.
	Offline Offline
	// Err is the last error of the journal, or nil.
	Err error
}

// Snapshot returns the state of the queue. It waits only for a lock that is never held during IO,
// so ten calls a second are cheap.
func (q *Queue) Snapshot() Snapshot { return q.snapshot(time.Now()) }

func (q *Queue) snapshot(now time.Time) Snapshot {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := Snapshot{
		Rows: make([]Row, 0, len(q.order)), Hold: q.hold, Offline: q.network.Offline,
		Err: q.journalErr,
	}
	s.Totals.Count = map[job.State]int{}
	if !s.Offline.Since.IsZero() {
		s.Hold = time.Time{}
	}
	sentBytes, busy, moving := q.sentBytes, false, false
	online := s.Offline.Since.IsZero()
	for _, e := range q.order {
		row := e.row(now)
		if e.phase == ready && e.job.State == job.Offline {
			row.Next = q.network.Next
		}
		s.Rows = append(s.Rows, row)
		s.Totals.Jobs++
		s.Totals.Count[row.Job.State]++
		if state := row.Job.State; !state.Final() || state == job.Stored {
			s.Totals.Sent += row.Sent
			s.Totals.Total += row.Total
		}
		if e.progress != nil {
			sentBytes += e.progress.Sent()
		}
		busy = busy || e.phase == working || e.phase == ready || e.phase == delayed
		moving = moving || e.phase == ready || e.phase == working && !row.Stalled
	}
	// From all bytes sent: small files end before they have a rate of their own.
	switch t := &s.Totals; {
	case !busy:
		q.meter = meter{}
	case q.meter.at.IsZero():
		q.meter = meter{at: now, sent: sentBytes}
	default:
		q.meter.note(now, sentBytes)
		if left := t.Total - t.Sent; online && moving && left > 0 && q.meter.rate >= 1 {
			t.Rate = q.meter.rate
			seconds := math.Min(float64(left)/t.Rate, 1e6)
			t.Left = time.Duration(seconds * float64(time.Second)).Round(time.Second)
		}
	}
	return s
}

func (e *entry) row(now time.Time) Row {
	row := Row{Job: e.job, Total: e.job.Identity.Size}
	if e.phase == delayed {
		row.Next = e.due
	}
	if e.job.State == job.Stored {
		row.Sent = row.Total
	}
	p := e.progress
	if p == nil || p.Total() == 0 {
		return row
	}
	row.Sent, row.Total = p.Sent(), p.Total()
	if row.Answer = p.Complete(); row.Answer {
		return row
	}
	last := cmp.Or(p.LastMove(), e.job.Updated) // or the start of the attempt
	row.Stalled = now.Sub(last) >= StallTimeout
	return row
}

type meter struct {
	at   time.Time // of the last sample
	sent int64
	rate float64
}

const (
	sampleInterval = 200 * time.Millisecond // between samples
	averagePeriod  = 3 * time.Second        // time span of the average
)

func (m *meter) note(now time.Time, sent int64) {
	passed := now.Sub(m.at)
	if passed < sampleInterval {
		return
	}
	speed := float64(sent-m.sent) / passed.Seconds()
	if m.rate == 0 {
		m.rate = speed
	} else {
		m.rate += (speed - m.rate) * (1 - math.Exp(-passed.Seconds()/averagePeriod.Seconds()))
	}
	m.at, m.sent = now, sent
}

// Counts holds the numbers of open and failed jobs.
type Counts struct {
	Open   int // without an outcome
	Failed int // see [job.Job.Failed]
}

// Counts counts the open jobs and those that failed after since. It copies no jobs, so it is cheap
// even for 100,000.
func (q *Queue) Counts(since time.Time) Counts {
	q.mu.Lock()
	defer q.mu.Unlock()
	var c Counts
	for _, e := range q.order {
		switch {
		case !e.job.State.Final():
			c.Open++
		case e.job.Failed() && e.job.Updated.After(since):
			c.Failed++
		}
	}
	return c
}
