package extensions

import (
	"maps"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
)

// Init reads the runs.
func (m *Model) Init() tea.Cmd { return m.read() }

// runsRead is the answer to read.
type runsRead struct {
	runs []api.Run        // newest last
	seen map[int64]string // results of new runs as seen in details
	// unmatched are the webhooks that match no run, newest first.
	unmatched []api.UnmatchedPost
	err       error
}

// read reads the runs, one read at a time.
func (m *Model) read() tea.Cmd {
	if m.reading {
		m.again = true
		return nil
	}
	m.reading, m.again = true, false
	w, ctx, known := m.o.Watch, m.o.Context, maps.Clone(m.runs.seen)
	return func() tea.Msg {
		all, err := w.Runs(ctx)
		if err != nil {
			return runsRead{err: err}
		}
		seen := map[int64]string{}
		for i := range all {
			run := &all[i]
			if _, ok := known[run.ID]; ok || run.From != api.FromDetails {
				continue
			}
			// The history is optional.
			if events, err := w.History(ctx, run.ID); err == nil {
				seen[run.ID] = effect(run, events)
			}
		}
		unmatched, err := w.Unmatched(ctx)
		return runsRead{runs: all, seen: seen, unmatched: unmatched, err: err}
	}
}

// historyRead is the answer to readHistory.
type historyRead struct {
	id     int64
	events []api.RunEvent
	file   *api.File
	err    error
}

// readHistory reads the history of the current run if it is shown and unknown.
func (m *Model) readHistory() tea.Cmd {
	run, ok := m.current()
	if !ok || !m.list.PaneShown() {
		return nil
	}
	if m.history.id != run.ID {
		m.history = history{id: run.ID, stale: true}
		m.list.ResetPane()
	}
	if !m.history.stale || m.history.asked {
		return nil
	}
	m.history.stale, m.history.asked = false, true
	w, id := m.o.Watch, run.ID
	s, ctx, fileID := m.o.Session, m.o.Context, run.FileID
	return func() tea.Msg {
		out := historyRead{id: id}
		out.events, out.err = w.History(ctx, id)
		// The record only adds the AI tags.
		if seen, ok, err := s.LastSeen(ctx, fileID); err == nil && ok {
			out.file = &seen.File
		}
		return out
	}
}
