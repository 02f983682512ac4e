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

// maxEarlier is how many jobs of former runs are shown.
const maxEarlier = 200

// maxFailed is how many jobs of earlier runs are read that are not stored.
const maxFailed = 2000

// earlierRead is the answer to readEarlier.
type earlierRead struct {
	jobs   []api.Job        // in the order of their ids
	counts map[string]count // by batch, of jobs with an outcome that are not among them
	open   int              // jobs without an outcome
	err    error

	version int64 // of the journal; 0: not known
}

// readEarlier reads the newest jobs of the journal, and those that failed or are
// being sent, however old. Those of the queue are among them.
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
			return out // there are no others
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

// watchEvery is how often the screen looks whether another program has changed
// the journal.
const watchEvery = time.Second

// watchTick is a turn of the watch.
type watchTick struct{}

func (m *Model) watchOthers() tea.Cmd {
	return m.watching.Ask(tea.Tick(watchEvery, func(time.Time) tea.Msg { return watchTick{} }))
}

// watch looks for news of jobs that another program sends, while the screen is in
// front.
func (m *Model) watch() tea.Cmd {
	if m.reading || m.o.Queue.Busy() && !m.othersWork() {
		return m.watchOthers()
	}
	return tea.Batch(m.watchOthers(), m.readNews())
}

// othersWork reports whether a job on the list is in the hands of another
// program.
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

// unchanged says that the journal is as it was read last.
type unchanged struct{}
