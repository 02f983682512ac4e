package uploads

import (
	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
)

// Groups of actions in the help.
const (
	groupJob  = "Upload"
	groupAll  = "All uploads"
	groupLook = "Look"
)

// Actions are those of the part with the focus. Words change with what would
// happen.
func (m *Model) Actions() []kit.Action {
	if m.focus == onFilter {
		return m.filterActions()
	}
	return m.listActions()
}

// Catalog has the actions of every part.
func (m *Model) Catalog() map[string][]kit.Action {
	return map[string][]kit.Action{"": m.listActions(), "filter": m.filterActions()}
}

func (m *Model) filterActions() []kit.Action {
	return append([]kit.Action{
		{ID: "uploads.filter-keep", Keys: kit.Bind("keep the filter", "", "enter"), Group: groupLook, Footer: true, Do: m.keepFilter},
		{ID: "uploads.filter-clear", Keys: kit.Bind("clear the filter", "", "esc"), Group: groupLook, Footer: true, Do: m.clearFilter},
	}, m.moves()[:2]...) // the field has the other keys
}

func (m *Model) listActions() []kit.Action {
	enter, pause, all := "whole error", "pause", "pause all"
	r, ok := m.current()
	switch {
	case ok && hasDetails(r.Job):
		enter = "details"
	case ok && r.Job.Failure == nil:
		enter = "more about it"
	}
	if ok && r.Paused {
		pause = "go on"
	}
	if t := m.rows.totals; t.Paused > 0 && t.Paused == t.Waiting+t.Sending {
		all = "go on with all"
	}
	return append([]kit.Action{
		{ID: "uploads.open", Keys: kit.Bind(enter, "", "enter", "l", "right"), Group: groupJob, Footer: true, Disabled: m.noRow, Do: m.enter},
		{ID: "uploads.retry", Keys: kit.Bind("send again", "", "r"), Group: groupJob, Footer: true, Disabled: m.noRetry, Do: m.retry},
		{ID: "uploads.edit", Keys: kit.Bind("change its options", "", "e"), Group: groupJob, Footer: true, Disabled: m.noRetry, Do: m.mend},
		{ID: "uploads.pause", Keys: kit.Bind(pause, "", "p"), Group: groupJob, Footer: true, Disabled: m.noPause, Do: m.pause},
		{ID: "uploads.cancel", Keys: kit.Bind("cancel", "", "x"), Group: groupJob, Footer: true, Disabled: m.noCancel, Do: m.cancel},
		{ID: "uploads.copy", Keys: kit.Bind("copy", "", "y"), Group: groupJob, Footer: true, Disabled: m.noRow, Do: m.openMenu},
		{ID: "uploads.look-up", Keys: kit.Bind("look for it once more", "", "L"), Group: groupJob, Disabled: m.noLook, Do: m.lookAgain},
		{ID: "uploads.first", Keys: kit.Bind("send before the others", "", "+"), Group: groupJob, Disabled: m.noMove, Do: func() tea.Cmd { return m.place(m.o.Queue.First) }},
		{ID: "uploads.last", Keys: kit.Bind("send after the others", "", "-"), Group: groupJob, Disabled: m.noMove, Do: func() tea.Cmd { return m.place(m.o.Queue.Last) }},
		{ID: "uploads.browse", Keys: kit.Bind("open in the browser", "", "o"), Group: groupJob, Disabled: m.noAddress, Do: m.browse},
		{ID: "uploads.remove", Keys: kit.Bind("remove from the list", "", "d"), Group: groupJob, Disabled: m.noRemove, Do: m.remove},
		{ID: "uploads.pause-all", Keys: kit.Bind(all, "", "P"), Group: groupAll, Disabled: m.nothingOpen, Do: m.pauseAll},
		{ID: "uploads.retry-all", Keys: kit.Bind("send all that failed again", "", "R"), Group: groupAll, Disabled: m.nothingFailed, Do: m.retryAll},
		{ID: "uploads.remove-stored", Keys: kit.Bind("remove the stored from the list", "", "D"), Group: groupAll, Disabled: m.nothingStored, Do: m.removeStored},
		{ID: "uploads.undo", Keys: kit.Bind("bring back what was removed", "", "z"), Group: groupAll, Disabled: m.nothingRemoved, Do: m.restore},
		{ID: "uploads.filter", Keys: kit.Bind("filter", "", "/"), Group: groupLook, Footer: true, Disabled: m.nothingAtAll, Do: m.startFilter},
		{ID: "uploads.next-match", Keys: kit.Bind("next found", "", "n"), Group: groupLook, Disabled: m.noPattern, Do: func() tea.Cmd { return m.turn(1) }},
		{ID: "uploads.previous-match", Keys: kit.Bind("previous found", "", "N"), Group: groupLook, Disabled: m.noPattern, Do: func() tea.Cmd { return m.turn(-1) }},
		{ID: "uploads.next-part", Keys: kit.Bind("list or what is known of it", "tab", "tab", "shift+tab"), Group: groupLook, Disabled: m.noRow, Do: m.nextPart},
		{ID: "uploads.back", Keys: kit.Bind("step back", "", "esc", "left", "h", "backspace"), Group: groupLook, Disabled: m.nothingToLeave, Do: m.back},
	}, m.moves()...)
}

// moves move the cursor, or the text of the pane.
func (m *Model) moves() []kit.Action {
	return kit.ListActions(func() kit.Scroller {
		if m.focus == onPane {
			return &m.pane
		}
		return &m.list
	}, func() tea.Cmd {
		if m.focus != onPane {
			m.landed()
		}
		return nil
	})
}

// landed takes note that the user moved the cursor. At the top it is free again
// to stay there while jobs come and go.
func (m *Model) landed() {
	m.moved = m.list.Cursor() > 0
	m.pane.Reset()
}

// Capturing reports whether the filter takes the keys.
func (m *Model) Capturing() bool { return m.focus == onFilter }

// Type edits the filter.
func (m *Model) Type(msg tea.Msg) (tea.Cmd, bool) {
	before := m.filter.Value()
	if m.focus != onFilter || !m.filter.Update(msg) {
		return nil, false
	}
	if m.filter.Value() != before {
		m.moved = false
		m.arrange(0)
	}
	return nil, true
}

// Reasons for which an action cannot be done now; empty where it can.

func (m *Model) nothingAtAll() string {
	if m.rows.all == 0 {
		return "nothing was sent yet"
	}
	return ""
}

func (m *Model) noRow() string {
	if _, ok := m.current(); ok {
		return ""
	}
	if why := m.nothingAtAll(); why != "" {
		return why
	}
	return "the filter shows no upload"
}

// aboutRow asks why something cannot be done with the row under the cursor.
func (m *Model) aboutRow(why func(r row) string) string {
	r, ok := m.current()
	if !ok {
		return m.noRow()
	}
	return why(r)
}

func (m *Model) noRetry() string {
	return m.aboutRow(func(r row) string {
		switch {
		case r.Job.State == api.Stored:
			return "it is stored"
		case !r.Job.State.Final():
			return "it has no outcome yet"
		}
		return ""
	})
}

// open is the reason of actions on jobs that have no outcome and are ours.
func open(r row) string {
	switch {
	case r.Job.State.Final():
		return "it has its outcome: " + string(r.Job.State)
	case r.earlier:
		return "it is not in the queue of this program"
	}
	return ""
}

func (m *Model) noPause() string { return m.aboutRow(open) }

func (m *Model) noCancel() string { return m.aboutRow(open) }

func (m *Model) noMove() string {
	return m.aboutRow(func(r row) string {
		if why := open(r); why != "" {
			return why
		}
		if r.Job.State == api.Sending {
			return "it is being sent"
		}
		return ""
	})
}

func (m *Model) noLook() string {
	return m.aboutRow(func(r row) string {
		switch {
		case r.Job.State != api.Unknown:
			return "its outcome is known, or to come"
		case r.earlier:
			return "it is of a former run: r sends it again, after a look in the library (4)"
		}
		return ""
	})
}

func (m *Model) noRemove() string {
	return m.aboutRow(func(r row) string {
		if !r.Job.State.Final() && !r.earlier {
			return "it has no outcome yet: cancel it first"
		}
		return ""
	})
}

func (m *Model) noAddress() string {
	return m.aboutRow(func(r row) string {
		if r.Job.File == nil || r.Job.File.URL == "" {
			return "it has no address"
		}
		return ""
	})
}

func (m *Model) nothingOpen() string {
	if t := m.rows.totals; t.Waiting+t.Sending == 0 {
		return "nothing waits or is under way"
	}
	return ""
}

func (m *Model) nothingFailed() string {
	if t := m.rows.totals; t.Refused+t.Unsent+t.Unknown == 0 {
		return "nothing failed since the program was started"
	}
	return ""
}

func (m *Model) nothingStored() string {
	if m.rows.totals.Stored == 0 {
		return "nothing was stored since the program was started"
	}
	return ""
}

func (m *Model) nothingRemoved() string {
	if len(m.rows.removed) == 0 {
		return "nothing was removed from the list"
	}
	return ""
}

func (m *Model) noPattern() string {
	if m.filter.Value() == "" || len(m.rows.shown) == 0 {
		return "no filter has found anything"
	}
	return ""
}

func (m *Model) nothingToLeave() string {
	if m.focus == onList && !m.open && m.filter.Value() == "" {
		return "there is nothing to step back from"
	}
	return ""
}
