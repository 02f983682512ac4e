package extensions

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Groups of acts in the help.
const (
	groupRun  = "Run"
	groupLook = "Look"
	groupMove = "Move"

	groupCompare = "Compare"
)

// act is something that can be done with keys: what it is, why not now, and
// the doing.
type act struct {
	binding key.Binding
	called  string // its name in the settings, where its words change; else empty
	group   string
	hint    bool
	why     func(*Model) string // nil: always possible
	do      func(*Model) tea.Cmd
}

// acts are those of the part with the focus.
func (m *Model) acts() []act {
	if m.focus == onFilter {
		return []act{
			{binding: kit.Bind("keep the filter", "", "enter"), group: groupLook, hint: true, do: (*Model).keepFilter},
			{binding: kit.Bind("clear the filter", "", "esc"), group: groupLook, hint: true, do: (*Model).clearFilter},
			move("up", "↑", "up"), move("down", "↓", "down"),
		}
	}
	next := statusNames[(m.runs.status+1)%statusCount]
	return []act{
		{binding: kit.Bind("history", "", "enter", "l", "right"), group: groupRun, hint: true, why: noRow, do: (*Model).enter},
		{binding: kit.Bind("compare before and after", "", "c"), group: groupRun, hint: true, why: noCompare, do: (*Model).startCompare},
		{binding: kit.Bind("take its AI tags over as tags", "", "t"), group: groupRun, hint: true, why: noTags, do: (*Model).readTags},
		{binding: kit.Bind("run it again, with the same options", "", "s"), group: groupRun, hint: m.worthAgain(), why: noAgain, do: (*Model).askAgain},
		{binding: kit.Bind("details of the file", "", "i", "o"), group: groupRun, hint: true, why: noRow, do: (*Model).inspect},
		{binding: kit.Bind("show "+next, "", "f"), called: "show by status", group: groupLook, hint: true, why: nothingAtAll, do: (*Model).nextStatus},
		{binding: kit.Bind("filter", "", "/"), group: groupLook, hint: true, why: nothingAtAll, do: (*Model).startFilter},
		{binding: kit.Bind("copy", "", "y"), group: groupRun, hint: true, why: noRow, do: (*Model).findCopies},
		{binding: kit.Bind("group by", "", ","), group: groupLook, why: nothingAtAll, do: (*Model).openGroups},
		{binding: kit.Bind("posts that no run took", "", "p"), group: groupLook, why: noStrays, do: (*Model).readStrays},
		{binding: kit.Bind("next found", "", "n"), group: groupLook, why: noPattern, do: func(m *Model) tea.Cmd { return m.turn(1) }},
		{binding: kit.Bind("previous found", "", "N"), group: groupLook, why: noPattern, do: func(m *Model) tea.Cmd { return m.turn(-1) }},
		{binding: kit.Bind("list or history", "tab", "tab", "shift+tab"), group: groupLook, why: noRow, do: (*Model).nextPart},
		{binding: kit.Bind("step back", "", "esc", "left", "h", "backspace"), group: groupLook, why: nothingToLeave, do: (*Model).back},
		move("up", "↑ k", "up", "k"),
		move("down", "↓ j", "down", "j"),
		move("top", "g home", "g", "home"),
		move("bottom", "G end", "G", "end"),
		move("page up", "pgup", "pgup", "ctrl+b"),
		move("page down", "pgdn", "pgdown", "ctrl+f"),
		move("half a page up", "", "ctrl+u"),
		move("half a page down", "", "ctrl+d"),
	}
}

// worthAgain reports whether running it once more is likely what is wanted.
func (m *Model) worthAgain() bool {
	run, ok := m.current()
	return ok && run.Status == api.StatusFailed
}

// move is an act that moves the cursor, or the text of the history.
func move(words, shown string, keys ...string) act {
	press := kit.KeyMsg(keys[0])
	return act{
		binding: kit.Bind(words, shown, keys...), group: groupMove, why: noRow,
		do: func(m *Model) tea.Cmd {
			if m.focus == onPane {
				m.pane.Update(press)
			} else {
				from := m.list.Cursor()
				m.list.Update(press)
				m.settle(from)
			}
			return nil
		},
	}
}

// Acts are what can be done now, the most wanted first.
func (m *Model) Acts() []kit.Act {
	all := m.acts()
	switch {
	case m.menu != nil:
		return m.menu.Acts()
	case m.groups != nil:
		return m.groups.Acts()
	case m.reader != nil:
		return []kit.Act{
			{Binding: kit.Bind("close", "", "esc", "q", "enter"), Hint: true, Group: groupLook},
			{Binding: kit.Bind("down", "", "down", "j"), Hint: true, Group: groupMove},
			{Binding: kit.Bind("up", "", "up", "k"), Group: groupMove},
		}
	case m.compare != nil:
		all = m.compareActs()
	}
	out := make([]kit.Act, len(all))
	for i, a := range all {
		out[i] = kit.Act{Binding: a.binding, Called: a.called, Group: a.group, Hint: a.hint}
		if a.why != nil {
			out[i].Why = a.why(m)
		}
	}
	return out
}

// press does the act of a key; where that cannot be done now it says why. What
// is no act is text for the filter.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case m.menu != nil:
		return m.choose(m.menu.Update(msg))
	case m.groups != nil:
		return m.chooseGroups(m.groups.Update(msg))
	case m.reader != nil:
		if m.reader.Update(msg) {
			m.reader = nil
		}
		return nil
	case m.compare != nil:
		return m.pressCompare(msg)
	}
	for _, a := range m.acts() {
		if !key.Matches(msg, a.binding) {
			continue
		}
		if a.why != nil {
			if why := a.why(m); why != "" {
				if msg.String() == "esc" {
					return nil // nothing to step back from is no news
				}
				return page.Send(page.Toast{Level: page.Info, Text: text.Sentence(why)})
			}
		}
		return a.do(m)
	}
	if m.focus == onFilter {
		before := m.filter.Value()
		if m.filter.Update(msg) && m.filter.Value() != before {
			m.list.SetCursor(0)
			m.arrange()
		}
	}
	return nil
}

// Reasons for which an act cannot be done now; empty where it can.

func nothingAtAll(m *Model) string {
	if len(m.runs.all) == 0 {
		return "no extension was asked for yet"
	}
	return ""
}

func noRow(m *Model) string {
	if _, ok := m.current(); ok {
		return ""
	}
	if why := nothingAtAll(m); why != "" {
		return why
	}
	return "the filter shows no run"
}

func noPattern(m *Model) string {
	if m.filter.Value() == "" || len(m.runs.shown) == 0 {
		return "no filter has found anything"
	}
	return ""
}

func nothingToLeave(m *Model) string {
	if m.focus == onList && !m.open && m.filter.Value() == "" && m.runs.status == every {
		return "there is nothing to step back from"
	}
	return ""
}
