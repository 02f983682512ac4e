package uploads

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
	groupJob  = "Upload"
	groupAll  = "All uploads"
	groupLook = "Look"
	groupMove = "Move"
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

// acts are those of the part with the focus. Words change with what would
// happen.
func (m *Model) acts() []act {
	if m.focus == onFilter {
		return []act{
			{binding: kit.Bind("keep the filter", "", "enter"), group: groupLook, hint: true, do: (*Model).keepFilter},
			{binding: kit.Bind("clear the filter", "", "esc"), group: groupLook, hint: true, do: (*Model).clearFilter},
			move("up", "↑", "up"), move("down", "↓", "down"),
		}
	}
	return append(m.jobActs(), append(m.lookActs(), moves()...)...)
}

func (m *Model) jobActs() []act {
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
	return []act{
		{binding: kit.Bind(enter, "", "enter", "l", "right"), called: "more about it", group: groupJob, hint: true, why: noRow, do: (*Model).enter},
		{binding: kit.Bind("send again", "", "r"), group: groupJob, hint: true, why: noRetry, do: (*Model).retry},
		{binding: kit.Bind("change its options", "", "e"), group: groupJob, hint: true, why: noRetry, do: (*Model).mend},
		{binding: kit.Bind(pause, "", "p"), called: "pause", group: groupJob, hint: true, why: noPause, do: (*Model).pause},
		{binding: kit.Bind("cancel", "", "x"), group: groupJob, hint: true, why: noCancel, do: (*Model).cancel},
		{binding: kit.Bind("copy", "", "y"), group: groupJob, hint: true, why: noRow, do: (*Model).openMenu},
		{binding: kit.Bind("look for it once more", "", "L"), group: groupJob, why: noLook, do: (*Model).lookAgain},
		{binding: kit.Bind("send before the others", "", "+"), group: groupJob, why: noMove, do: func(m *Model) tea.Cmd { return m.place(m.o.Queue.First) }},
		{binding: kit.Bind("send after the others", "", "-"), group: groupJob, why: noMove, do: func(m *Model) tea.Cmd { return m.place(m.o.Queue.Last) }},
		{binding: kit.Bind("open in the browser", "", "o"), group: groupJob, why: noAddress, do: (*Model).browse},
		{binding: kit.Bind("remove from the list", "", "d"), group: groupJob, why: noRemove, do: (*Model).remove},
		{binding: kit.Bind(all, "", "P"), called: "pause all", group: groupAll, why: nothingOpen, do: (*Model).pauseAll},
		{binding: kit.Bind("send all that failed again", "", "R"), group: groupAll, why: nothingFailed, do: (*Model).retryAll},
		{binding: kit.Bind("remove the stored from the list", "", "D"), group: groupAll, why: nothingStored, do: (*Model).removeStored},
		{binding: kit.Bind("bring back what was removed", "", "z"), group: groupAll, why: nothingRemoved, do: (*Model).restore},
	}
}

func (m *Model) lookActs() []act {
	return []act{
		{binding: kit.Bind("filter", "", "/"), group: groupLook, hint: true, why: nothingAtAll, do: (*Model).startFilter},
		{binding: kit.Bind("next found", "", "n"), group: groupLook, why: noPattern, do: func(m *Model) tea.Cmd { return m.turn(1) }},
		{binding: kit.Bind("previous found", "", "N"), group: groupLook, why: noPattern, do: func(m *Model) tea.Cmd { return m.turn(-1) }},
		{binding: kit.Bind("list or what is known of it", "tab", "tab", "shift+tab"), group: groupLook, why: noRow, do: (*Model).nextPart},
		{binding: kit.Bind("step back", "", "esc", "left", "h", "backspace"), group: groupLook, why: nothingToLeave, do: (*Model).back},
	}
}

// move is an act that moves the cursor, or the text of the pane.
func move(words, shown string, keys ...string) act {
	press := kit.KeyMsg(keys[0])
	return act{
		binding: kit.Bind(words, shown, keys...), group: groupMove, why: noRow,
		do: func(m *Model) tea.Cmd { m.moveBy(press); return nil },
	}
}

func moves() []act {
	return []act{
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

// moveBy moves in the part with the focus. At the top the cursor is free again
// to stay there while jobs come and go.
func (m *Model) moveBy(press tea.KeyPressMsg) {
	if m.focus == onPane {
		m.pane.Update(press)
		return
	}
	m.list.Update(press)
	m.landed()
}

// landed takes note that the person moved the cursor.
func (m *Model) landed() {
	m.moved = m.list.Cursor() > 0
	m.pane.Reset()
}

// Acts are what can be done now, the most wanted first.
func (m *Model) Acts() []kit.Act {
	if m.menu != nil {
		return m.menu.Acts()
	}
	all := m.acts()
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
	if m.menu != nil {
		return m.choose(m.menu.Update(msg))
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
				return toast(page.Info, text.Sentence(why))
			}
		}
		return a.do(m)
	}
	if before := m.filter.Value(); m.focus == onFilter && m.filter.Update(msg) && m.filter.Value() != before {
		m.moved = false
		m.arrange(0)
	}
	return nil
}

// Reasons for which an act cannot be done now; empty where it can.

func nothingAtAll(m *Model) string {
	if m.rows.all == 0 {
		return "nothing was sent yet"
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
	return "the filter shows no upload"
}

// aboutRow asks why something cannot be done with the row under the cursor.
func aboutRow(m *Model, why func(r row) string) string {
	r, ok := m.current()
	if !ok {
		return noRow(m)
	}
	return why(r)
}

func noRetry(m *Model) string {
	return aboutRow(m, func(r row) string {
		switch {
		case r.Job.State == api.Stored:
			return "it is stored"
		case !r.Job.State.Final():
			return "it has no outcome yet"
		}
		return ""
	})
}

// open is the reason of acts on jobs that have no outcome and are ours.
func open(r row) string {
	switch {
	case r.Job.State.Final():
		return "it has its outcome: " + string(r.Job.State)
	case r.earlier:
		return "it is not in the queue of this program"
	}
	return ""
}

func noPause(m *Model) string { return aboutRow(m, open) }

func noCancel(m *Model) string { return aboutRow(m, open) }

func noMove(m *Model) string {
	return aboutRow(m, func(r row) string {
		if why := open(r); why != "" {
			return why
		}
		if r.Job.State == api.Sending {
			return "it is being sent"
		}
		return ""
	})
}

func noLook(m *Model) string {
	return aboutRow(m, func(r row) string {
		switch {
		case r.Job.State != api.Unknown:
			return "its outcome is known, or to come"
		case r.earlier:
			return "it is of a former run: r sends it again, after a look in the library (4)"
		}
		return ""
	})
}

func noRemove(m *Model) string {
	return aboutRow(m, func(r row) string {
		if !r.Job.State.Final() && !r.earlier {
			return "it has no outcome yet: cancel it first"
		}
		return ""
	})
}

func noAddress(m *Model) string {
	return aboutRow(m, func(r row) string {
		if r.Job.File == nil || r.Job.File.URL == "" {
			return "it has no address"
		}
		return ""
	})
}

func nothingOpen(m *Model) string {
	if t := m.rows.totals; t.Waiting+t.Sending == 0 {
		return "nothing waits or is under way"
	}
	return ""
}

func nothingFailed(m *Model) string {
	if t := m.rows.totals; t.Refused+t.Unsent+t.Unknown == 0 {
		return "nothing failed since the program was started"
	}
	return ""
}

func nothingStored(m *Model) string {
	if m.rows.totals.Stored == 0 {
		return "nothing was stored since the program was started"
	}
	return ""
}

func nothingRemoved(m *Model) string {
	if len(m.rows.removed) == 0 {
		return "nothing was removed from the list"
	}
	return ""
}

func noPattern(m *Model) string {
	if m.filter.Value() == "" || len(m.rows.shown) == 0 {
		return "no filter has found anything"
	}
	return ""
}

func nothingToLeave(m *Model) string {
	if m.focus == onList && !m.open && m.filter.Value() == "" {
		return "there is nothing to step back from"
	}
	return ""
}
