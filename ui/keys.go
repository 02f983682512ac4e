package ui

import (
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// everywhere is the heading of the actions that no screen has by itself.
const everywhere = "Everywhere"

// programActions are those that hold on every screen (design.md §5). In a text
// field letters are text: an action that has one is shown with the key that leaves
// the field before it.
func (m *Model) programActions(capturing bool) []kit.Action {
	suspend := kit.Action{ID: "program.suspend", Keys: kit.Bind("suspend to the shell", "", "ctrl+z"), Group: everywhere, Do: m.suspend}
	help := kit.Action{ID: "program.help", Keys: kit.Bind("help", "?", "?", "f1"), Group: everywhere, Footer: true, Do: m.openHelp}
	if m.host.Overlays.Top() != nil {
		return []kit.Action{suspend}
	}
	var actions []kit.Action
	add := func(id, words, shown string, do func() tea.Cmd, disabled func() string, keys ...string) {
		if shown == "" {
			shown = keys[0]
		}
		if capturing {
			shown = "esc " + shown
		}
		actions = append(actions, kit.Action{ID: id, Keys: kit.Bind(words, shown, keys...), Group: everywhere, Disabled: disabled, Do: do})
	}
	if capturing {
		help.Keys = kit.Bind("help", "F1", "f1")
	}
	messages := func() {
		add("program.last-message", "messages", "", m.openMessages, func() string {
			if m.messages.Empty() {
				return "there was no message yet"
			}
			return ""
		}, "!", "ctrl+e")
	}
	if m.host.Covered() {
		messages()
		return append(actions, help, suspend)
	}
	if m.session != nil {
		for i, t := range page.Tabs {
			if t.ID == m.host.Front() && m.host.InFront() != nil {
				continue
			}
			add("screen."+t.Key, "go to "+t.Name, "", func() tea.Cmd { return m.goTo(t.ID) }, nil, string(rune('1'+i)))
		}
		add("screen.next", "next screen", "", func() tea.Cmd { return m.turn(1) }, nil, "]")
		add("screen.previous", "previous screen", "", func() tea.Cmd { return m.turn(-1) }, nil, "[")
	}
	messages()
	copyCommand := kit.Action{ID: "program.copy-command", Keys: kit.Bind("copy as a command", "ctrl+y f2", "f2", "ctrl+y"), Group: everywhere, Disabled: m.noCommand, Do: m.copyCommand}
	if capturing {
		copyCommand.Keys = kit.Bind("copy as a command", "f2", "f2")
	}
	actions = append(actions, copyCommand, help, suspend)
	if !capturing {
		add("program.palette", "find and run an action", ":", m.openHelp, nil, ":", "ctrl+k")
	}
	add("program.quit", "quit", "", func() tea.Cmd { return m.leave(false) }, nil, "q")
	return actions
}

func (m *Model) openHelp() tea.Cmd {
	m.host.Overlays.Open(kit.NewHelp("What can be done here", m.host.Actions()))
	return nil
}

// goTo goes to the screen of a tab; nothing happens where it is in front.
func (m *Model) goTo(id page.ID) tea.Cmd {
	if id == m.host.Front() {
		return nil
	}
	return m.show(id, false)
}

// turn goes to the next tab, or the one before.
func (m *Model) turn(by int) tea.Cmd {
	n := len(page.Tabs)
	return m.goTo(page.Tabs[(m.tab()+by+n)%n].ID)
}

// tab is the number of the tab in front: for a screen without one, that of the
// screen it was opened from.
func (m *Model) tab() int {
	id, trail := m.host.Front(), m.host.Trail()
	for i := len(trail) - 1; id > page.Settings && i >= 0; i-- {
		id = trail[i]
	}
	for i, t := range page.Tabs {
		if t.ID == id {
			return i
		}
	}
	return 0
}

// openMessages shows the history of messages.
func (m *Model) openMessages() tea.Cmd {
	m.host.Overlays.Open(m.messages.History(func(words string) tea.Cmd {
		return page.Send(page.Copy{What: "message", Text: words})
	}))
	return nil
}
