package extensions

import (
	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
)

// Groups of actions in the help.
const (
	groupRun  = "Run"
	groupLook = "Look"

	groupCompare = "Compare"
)

// Actions returns the actions of the focused part.
func (m *Model) Actions() []kit.Action { return m.list.Actions(m.actions()) }

// Catalog returns the actions of every part.
func (m *Model) Catalog() map[string][]kit.Action {
	parts := m.list.Catalog(m.actions())
	parts["comparison"] = (&comparison{}).Actions()
	return parts
}

// Capturing reports whether the filter takes the keys.
func (m *Model) Capturing() bool { return m.list.Capturing() }

// Type edits the filter.
func (m *Model) Type(msg tea.Msg) (tea.Cmd, bool) { return m.list.Type(msg) }

func (m *Model) actions() []kit.Action {
	next := statusNames[(m.runs.status+1)%statusCount]
	return []kit.Action{
		{ID: "extensions.history", Keys: kit.Bind("history with raw posts", "", "enter", "l", "right"), Group: groupRun, Footer: true, Disabled: m.list.NoEntry, Do: m.enter},
		{ID: "extensions.compare", Keys: kit.Bind("compare before and after", "", "c"), Group: groupRun, Footer: true, Disabled: m.noCompare, Do: m.startCompare},
		{ID: "extensions.take-ai-tags", Keys: kit.Bind("add its AI tags as tags", "", "t"), Group: groupRun, Footer: true, Disabled: m.noTags, Do: m.readTags},
		{ID: "extensions.run-again", Keys: kit.Bind("run it again, with the same options", "", "s"), Group: groupRun, Footer: m.worthAgain(), Disabled: m.noAgain, Do: m.askAgain},
		{ID: "extensions.cancel", Keys: kit.Bind("cancel this run", "", "x"), Group: groupRun, Footer: m.noCancel() == "", Disabled: m.noCancel, Do: m.askCancel},
		{ID: "extensions.details", Keys: kit.Bind("details of the file", "", "i", "o"), Group: groupRun, Footer: true, Disabled: m.noRun, Do: m.inspect},
		{ID: "extensions.status-filter", Keys: kit.Bind("show "+next, "", "f"), Group: groupLook, Footer: true, Disabled: m.nothingAtAll, Do: m.nextStatus},
		{ID: "extensions.copy", Keys: kit.Bind("copy", "", "y"), Group: groupRun, Footer: true, Disabled: m.noRun, Do: m.findCopies},
		{ID: "extensions.group", Keys: kit.Bind("group by", "", ","), Group: groupLook, Disabled: m.nothingAtAll, Do: m.openGroups},
		{ID: "extensions.unmatched", Keys: kit.Bind("go to the webhooks that match no run", "", "p"), Group: groupLook, Disabled: m.noUnmatched, Do: m.goToUnmatched},
	}
}

// worthAgain reports whether running it again is probably wanted.
func (m *Model) worthAgain() bool {
	run, ok := m.current()
	return ok && run.Status == api.StatusFailed
}

// Disabled reasons, empty if enabled.

func (m *Model) nothingAtAll() string {
	return text.If(len(m.runs.all) == 0, "no extension was requested yet")
}
