package uploads

import (
	"cmp"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
)

// maxEarlier is the number of jobs shown from earlier runs.
const maxEarlier = 200

// maxFailed limits the unstored jobs read from earlier runs.
const maxFailed = 2000

// earlierRead is the result of readEarlier.
type earlierRead struct {
	jobs   []api.Job        // sorted by id
	counts map[string]count // finished jobs outside jobs, by batch
	open   int              // jobs without an outcome
	err    error

	version int64 // journal version; 0: unknown
}

// readEarlier reads the newest jobs of the journal, plus all jobs that failed or are unfinished. The result
// includes jobs of the queue.
func (m *Model) readEarlier() tea.Cmd {
	limit := maxEarlier + min(len(m.rows.live), 10*maxEarlier)
	s, ctx := m.o.Session, m.o.Context
	return func() tea.Msg {
		var out earlierRead
		listed := map[int64]bool{}
		for _, f := range []session.JobFilter{{Limit: limit}, {State: api.Sending, Limit: limit}, {Failed: true, Limit: maxFailed}} {
			jobs, err := s.Jobs(ctx, f)
			if err != nil {
				return earlierRead{err: err}
			}
			for i := range jobs {
				if !listed[jobs[i].ID] {
					listed[jobs[i].ID] = true
					out.jobs = append(out.jobs, jobs[i])
				}
			}
		}
		slices.SortFunc(out.jobs, func(a, b api.Job) int { return cmp.Compare(a.ID, b.ID) })
		out.open, out.err = s.OpenJobs(ctx)
		if len(listed) < limit || out.err != nil {
			return out // no more jobs
		}
		batches := map[string]bool{}
		for i := range out.jobs {
			batches[out.jobs[i].Batch] = true
		}
		counts, err := s.CountFinished(ctx, slices.Collect(maps.Keys(batches)), slices.Collect(maps.Keys(listed)))
		out.counts, out.err = map[string]count{}, err
		for batch, states := range counts {
			out.counts[batch] = states
		}
		return out
	}
}

// watchEvery is the interval for checking the journal for changes by other programs.
const watchEvery = time.Second

// watchTick triggers the next check.
type watchTick struct{}

func (m *Model) watchOthers() tea.Cmd {
	return m.watching.Ask(tea.Tick(watchEvery, func(time.Time) tea.Msg { return watchTick{} }))
}

// watch checks for jobs that another program sends. It runs while the screen is visible.
func (m *Model) watch() tea.Cmd {
	if m.reading || m.o.Queue.Busy() && !m.othersWork() {
		return m.watchOthers()
	}
	return tea.Batch(m.watchOthers(), m.readNews())
}

// othersWork reports whether another program has an unfinished job in the list.
func (m *Model) othersWork() bool {
	return slices.ContainsFunc(m.rows.earlier, func(j api.Job) bool { return !j.State.Final() })
}

// readNews reads the journal if it has changed.
func (m *Model) readNews() tea.Cmd {
	read, s, ctx, was := m.readEarlier(), m.o.Session, m.o.Context, m.version
	m.reading = true
	return func() tea.Msg {
		now, err := s.JournalVersion(ctx)
		if err == nil && now == was {
			return unchanged{}
		}
		msg, ok := read().(earlierRead)
		if ok && err == nil {
			msg.version = now
		}
		return msg
	}
}

// unchanged reports that the journal has not changed since the last read.
type unchanged struct{}
