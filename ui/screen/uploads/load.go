package uploads

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
)

// maxEarlier is how many jobs of former runs are shown.
const maxEarlier = 200

// earlierRead is the answer to readEarlier.
type earlierRead struct {
	jobs []api.Job // newest last
	open int       // jobs without an outcome
	err  error

	version int64 // of the journal; 0: not known
}

// readEarlier reads the newest jobs of the journal, and those that are being
// sent, however old. Those of the queue are among them.
func (m *Model) readEarlier() tea.Cmd {
	limit := maxEarlier + min(len(m.rows.live), 10*maxEarlier)
	s, ctx := m.o.Session, m.o.Context
	return func() tea.Msg {
		jobs, err := s.Jobs(ctx, session.JobFilter{Limit: limit})
		if err != nil {
			return earlierRead{err: err}
		}
		sending, err := s.Jobs(ctx, session.JobFilter{State: api.Sending, Limit: limit})
		if err != nil {
			return earlierRead{err: err}
		}
		open, err := s.OpenJobs(ctx)
		if len(jobs) > 0 {
			first := jobs[0].ID
			sending = slices.DeleteFunc(sending, func(j api.Job) bool { return j.ID >= first })
		}
		return earlierRead{jobs: append(sending, jobs...), open: open, err: err}
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
