package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/screen/details"
	"mediadesk/ui/screen/upload"
	"mediadesk/ui/text"
)

// everywhere is the heading of actions that work on every screen.
const everywhere = "Everywhere"

// programActions returns the actions that work on every screen (design.md §5). If a text field has the keyboard, an action on a
// letter is shown with the key that leaves the field first.
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
			return text.If(m.messages.Empty(), "there was no message yet")
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
		add("program.palette", "find and run an action", ":", m.openPalette, nil, ":", "ctrl+k")
	}
	add("program.quit", "quit", "", func() tea.Cmd { return m.leave(false) }, nil, "q")
	return actions
}

func (m *Model) openHelp() tea.Cmd {
	m.host.Overlays.Open(kit.NewHelp("What can be done here", m.host.Actions()))
	return nil
}

// openPalette lists the actions of all screens, those of the focused part first.
func (m *Model) openPalette() tea.Cmd {
	actions := m.host.Actions()
	for _, id := range []page.ID{page.Picker, page.Form, page.Uploads, page.Extensions, page.Library, page.Details, page.Settings} {
		if m.session != nil && id != m.host.Front() {
			actions = append(actions, m.host.Bound(m.actionsOf(id))...)
		}
	}
	m.host.Overlays.Open(kit.NewHelp("All actions", actions))
	return nil
}

// actionsOf returns the actions of a screen in the background. They bring it to the front before they run.
func (m *Model) actionsOf(id page.ID) []kit.Action {
	s, missing := m.host.Screen(id), ""
	var name string
	switch id {
	case page.Form:
		name = "Upload form"
		if s == nil {
			s, missing = upload.New(upload.Options{Sources: []api.Source{{Path: "x"}}}), "pick files and press u first"
		}
	case page.Details:
		name = "Details"
		if s == nil {
			s, missing = details.New(details.Options{Files: []api.File{{}}}), "open a file in the library first"
		}
	default:
		name = page.Tabs[id].Name
	}
	var actions []kit.Action
	for _, a := range s.Actions() {
		if strings.HasPrefix(a.ID, "list.") || a.ID == "" {
			continue
		}
		a.Group, a.Disabled = name, func() string { return missing }
		a.Do = func() tea.Cmd { return m.runOn(id, a.ID) }
		actions = append(actions, a)
	}
	return actions
}

// runOn shows a screen and runs an action there, or says why it is disabled.
func (m *Model) runOn(id page.ID, action string) tea.Cmd {
	shown := m.show(id, id > page.Settings)
	for _, a := range m.host.Actions() {
		if a.ID == action {
			return tea.Batch(shown, m.try(a))
		}
	}
	return shown
}

// try runs an action, or says why it is disabled.
func (m *Model) try(a kit.Action) tea.Cmd {
	if reason := a.Reason(); reason != "" {
		return m.messages.Push(page.Toast{Level: page.Info, Text: text.Sentence(reason)})
	}
	return a.Do()
}

// goTo shows the screen of a tab unless it is already in front.
func (m *Model) goTo(id page.ID) tea.Cmd {
	if id == m.host.Front() {
		return nil
	}
	return m.show(id, false)
}

// turn goes to the next or previous tab.
func (m *Model) turn(by int) tea.Cmd {
	n := len(page.Tabs)
	return m.goTo(page.Tabs[(m.tab()+by+n)%n].ID)
}

// tab returns the number of the current tab. For a screen without a tab, it is the tab from which it was opened.
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
