package details

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
)

// replay is an undo or a redo.
type replay struct {
	id     string
	redo   bool
	policy session.Policy
}

// verb is "undo" or "redo".
func (r replay) verb() string {
	if r.redo {
		return "redo"
	}
	return "undo"
}

// replayedMsg has the files after an undo or a redo, or why there are none.
type replayedMsg struct {
	replay
	list []session.Edited
	at   time.Time
	err  error
}

// undo undoes the newest change of the current file.
func (m *Model) undo() tea.Cmd { return m.replay(replay{id: m.current().file.FileID}) }

// redo makes it again.
func (m *Model) redo() tea.Cmd { return m.replay(replay{id: m.current().file.FileID, redo: true}) }

func (m *Model) replay(r replay) tea.Cmd {
	if m.busy != "" {
		return nil
	}
	m.busy = "Undoing the last change…"
	do := m.o.Session.Undo
	if r.redo {
		m.busy, do = "Redoing the last undone change…", m.o.Session.Redo
	}
	ctx, now := m.o.Context, m.now
	return func() tea.Msg {
		list, err := do(ctx, r.id, r.policy)
		return replayedMsg{r, list, now(), err}
	}
}

// replayed shows the result of an undo or a redo.
func (m *Model) replayed(msg replayedMsg) tea.Cmd {
	m.busy = ""
	var conflict *session.ConflictError
	switch {
	case errors.As(msg.err, &conflict):
		return edit.AskConflict(msg.verb(), conflict, func(policy session.Policy) tea.Cmd { return m.replay(replay{msg.id, msg.redo, policy}) })
	case msg.err != nil:
		if e := m.entryOf(msg.id); e != nil {
			e.problem = msg.err
		}
		return nil
	case len(msg.list) == 0:
		return page.Tell(page.Info, "There is nothing more to "+msg.verb()+".")
	}
	verb := "Undid the change to"
	if msg.redo {
		verb = "Redid the change to"
	}
	return m.adoptResults(msg.list, msg.at, verb, nil)
}
