package extensions

import (
	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
)

// Groups of actions in the help.
const (
	groupRun  = "Run"
	groupLook = "Look"

	groupCompare = "Compare"
)

// Actions are those of the part with the focus.
func (m *Model) Actions() []kit.Action {
	if m.focus == onFilter {
		return m.filterActions()
	}
	return m.listActions()
}

// Catalog has the actions of every part.
func (m *Model) Catalog() map[string][]kit.Action {
	return map[string][]kit.Action{"": m.listActions(), "filter": m.filterActions(), "comparison": (&comparison{}).Actions()}
}

func (m *Model) filterActions() []kit.Action {
	return append([]kit.Action{
		{ID: "extensions.filter-keep", Keys: kit.Bind("keep the filter", "", "enter"), Group: groupLook, Footer: true, Do: m.keepFilter},
		{ID: "extensions.filter-clear", Keys: kit.Bind("clear the filter", "", "esc"), Group: groupLook, Footer: true, Do: m.clearFilter},
	}, m.moves()[:2]...) // the field has the other keys
}

func (m *Model) listActions() []kit.Action {
	next := statusNames[(m.runs.status+1)%statusCount]
	return append([]kit.Action{
		{ID: "extensions.history", Keys: kit.Bind("history", "", "enter", "l", "right"), Group: groupRun, Footer: true, Disabled: m.noRow, Do: m.enter},
		{ID: "extensions.compare", Keys: kit.Bind("compare before and after", "", "c"), Group: groupRun, Footer: true, Disabled: m.noCompare, Do: m.startCompare},
		{ID: "extensions.take-ai-tags", Keys: kit.Bind("take its AI tags over as tags", "", "t"), Group: groupRun, Footer: true, Disabled: m.noTags, Do: m.readTags},
		{ID: "extensions.run-again", Keys: kit.Bind("run it again, with the same options", "", "s"), Group: groupRun, Footer: m.worthAgain(), Disabled: m.noAgain, Do: m.askAgain},
		{ID: "extensions.cancel", Keys: kit.Bind("cancel this run", "", "x"), Group: groupRun, Footer: m.noCancel() == "", Disabled: m.noCancel, Do: m.askCancel},
		{ID: "extensions.details", Keys: kit.Bind("details of the file", "", "i", "o"), Group: groupRun, Footer: true, Disabled: m.noRow, Do: m.inspect},
		{ID: "extensions.status-filter", Keys: kit.Bind("show "+next, "", "f"), Group: groupLook, Footer: true, Disabled: m.nothingAtAll, Do: m.nextStatus},
		{ID: "extensions.filter", Keys: kit.Bind("filter", "", "/"), Group: groupLook, Footer: true, Disabled: m.nothingAtAll, Do: m.startFilter},
		{ID: "extensions.copy", Keys: kit.Bind("copy", "", "y"), Group: groupRun, Footer: true, Disabled: m.noRow, Do: m.findCopies},
		{ID: "extensions.group", Keys: kit.Bind("group by", "", ","), Group: groupLook, Disabled: m.nothingAtAll, Do: m.openGroups},
		{ID: "extensions.unmatched", Keys: kit.Bind("webhooks that match no run", "", "p"), Group: groupLook, Disabled: m.noUnmatched, Do: m.readUnmatched},
		{ID: "extensions.next-match", Keys: kit.Bind("next found", "", "n"), Group: groupLook, Disabled: m.noPattern, Do: func() tea.Cmd { return m.turn(1) }},
		{ID: "extensions.previous-match", Keys: kit.Bind("previous found", "", "N"), Group: groupLook, Disabled: m.noPattern, Do: func() tea.Cmd { return m.turn(-1) }},
		{ID: "extensions.next-part", Keys: kit.Bind("list or history", "tab", "tab", "shift+tab"), Group: groupLook, Disabled: m.noRow, Do: m.nextPart},
		{ID: "extensions.back", Keys: kit.Bind("step back", "", "esc", "left", "h", "backspace"), Group: groupLook, Disabled: m.nothingToLeave, Do: m.back},
	}, m.moves()...)
}

// moves move the cursor, or the text of the history.
func (m *Model) moves() []kit.Action {
	from := 0
	return kit.ListActions(func() kit.Scroller {
		if m.focus == onPane {
			return &m.pane
		}
		from = m.list.Cursor()
		return &m.list
	}, func() tea.Cmd {
		if m.focus != onPane {
			m.settle(from)
		}
		return nil
	})
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
		m.list.SetCursor(0)
		m.arrange()
	}
	return nil, true
}

// worthAgain reports whether running it once more is likely what is wanted.
func (m *Model) worthAgain() bool {
	run, ok := m.current()
	return ok && run.Status == api.StatusFailed
}

// Reasons for which an action cannot be done now; empty where it can.

func (m *Model) nothingAtAll() string {
	if len(m.runs.all) == 0 {
		return "no extension was asked for yet"
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
	return "the filter shows no run"
}

func (m *Model) noPattern() string {
	if m.filter.Value() == "" || len(m.runs.shown) == 0 {
		return "no filter has found anything"
	}
	return ""
}

func (m *Model) nothingToLeave() string {
	if m.focus == onList && !m.open && m.filter.Value() == "" && m.runs.status == every {
		return "there is nothing to step back from"
	}
	return ""
}
