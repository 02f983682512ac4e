package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// global are the keys that hold on every screen (design.md §5).
var global = struct {
	help, palette, quit, suspend, next, previous, detail, twin key.Binding
}{
	help:     kit.Bind("help", "?", "?", "f1"),
	palette:  kit.Bind("find and run an act", ":", ":", "ctrl+k"),
	quit:     kit.Bind("quit", "q", "q"),
	suspend:  kit.Bind("suspend to the shell", "ctrl+z", "ctrl+z"),
	next:     kit.Bind("next screen", "]", "]"),
	previous: kit.Bind("previous screen", "[", "["),
	// The first key is the one that help presses, and works in text fields.
	twin:   kit.Bind("copy as a command", "ctrl+y f2", "f2", "ctrl+y"),
	detail: kit.Bind("read the last message whole", "ctrl+e", "ctrl+e"),
}

// global runs a key that holds everywhere, and tells whether it was one. While
// a text field has the focus, only keys that write nothing are.
func (m *Model) global(name string) (tea.Cmd, bool) {
	press := kit.KeyMsg(name)
	capturing := false
	if s := m.screens[m.front]; s != nil {
		capturing = s.Capturing()
	}
	is := func(b key.Binding) bool { return key.Matches(press, b) }
	switch {
	case name == "f1", name == "ctrl+k" && !capturing, is(global.help) && !capturing, is(global.palette) && !capturing:
		m.help = kit.NewHelp("What can be done here", m.acts())
		return nil, true
	case is(global.suspend):
		return m.suspend(), true
	case is(global.twin) && m.session != nil && (name == "f2" || !capturing):
		return m.copyTwin(), true
	case capturing:
		return nil, false
	}
	return m.anywhere(press)
}

// anywhere runs an act that no screen has by itself, and tells whether the key
// is that of one.
func (m *Model) anywhere(press tea.KeyPressMsg) (tea.Cmd, bool) {
	name := press.String()
	is := func(b key.Binding) bool { return key.Matches(press, b) }
	switch {
	case is(global.detail):
		return m.readLast(), true
	case is(global.quit):
		return m.leave(false), true
	case is(global.next):
		return m.turn(1), true
	case is(global.previous):
		return m.turn(-1), true
	}
	if m.session != nil && len(name) == 1 && name[0] >= '1' && int(name[0]-'1') < len(page.Tabs) {
		return m.show(page.Tabs[name[0]-'1'].ID), true
	}
	return nil, false
}

// whyNot says why the act of a key cannot be done now; empty: it can, or the key
// has none.
func (m *Model) whyNot(press tea.KeyPressMsg) string {
	s := m.screens[m.front]
	if s == nil || s.Capturing() || press.String() == "esc" {
		return "" // nothing to step back from is no news
	}
	why := ""
	for _, a := range m.usualActs() {
		if !key.Matches(press, a.Binding) {
			continue
		}
		if a.Why == "" {
			return ""
		}
		if why == "" {
			why = a.Why
		}
	}
	return why
}

// nothingBack tells that the screen in front says of esc that there is no step
// back: the key then takes the newest message away.
func (m *Model) nothingBack() bool {
	s := m.screens[m.front]
	if s == nil || s.Capturing() {
		return false
	}
	none := false
	for _, a := range s.Acts() {
		if key.Matches(kit.KeyMsg("esc"), a.Binding) {
			if a.Why == "" {
				return false
			}
			none = true
		}
	}
	return none
}

// turn goes to the next tab, or the one before.
func (m *Model) turn(by int) tea.Cmd {
	if m.session == nil {
		return nil
	}
	n := len(page.Tabs)
	return m.show(page.Tabs[(m.tab()+by+n)%n].ID)
}

// tab is the number of the tab in front: for a screen without one, that of the
// screen it was opened from.
func (m *Model) tab() int {
	id := m.front
	for i := len(m.trail) - 1; id > page.Settings && i >= 0; i-- {
		id = m.trail[i]
	}
	for i, t := range page.Tabs {
		if t.ID == id {
			return i
		}
	}
	return 0
}

// readLast shows the newest toast with its detail.
func (m *Model) readLast() tea.Cmd {
	last := m.toasts.Last()
	if last.Text == "" {
		return nil
	}
	text := last.Text
	if last.Detail != "" {
		text += "\n\n" + last.Detail
	}
	return m.ask(page.Ask{Title: "Last message", Text: text, Choices: []page.Choice{
		{Label: "Close", Key: "c"},
		{Label: "Copy", Key: "y", Msg: page.Copy{What: "message", Text: text}},
	}})
}

// acts are those of the screen in front and the global ones, with the keys that
// hold.
func (m *Model) acts() []kit.Act { return m.renamed(m.usualActs()) }

// everywhere is the heading of the acts that no screen has by itself.
const everywhere = "Everywhere"

// usualActs are the same with the keys that the screens know. In a text field,
// letters are text: an act that has one is shown with the key that leaves the
// field before it.
func (m *Model) usualActs() []kit.Act {
	var acts []kit.Act
	capturing := false
	if s := m.screens[m.front]; s != nil {
		acts = append(acts, s.Acts()...)
		capturing = s.Capturing()
	}
	add := func(b key.Binding, why string) {
		if capturing {
			b = kit.Bind(b.Help().Desc, "esc "+b.Help().Key, b.Keys()...)
		}
		acts = append(acts, kit.Act{Binding: b, Group: everywhere, Why: why})
	}
	if m.session != nil {
		for i, t := range page.Tabs {
			why := ""
			if t.ID == m.front {
				why = "it is in front"
			}
			n := string(rune('1' + i))
			add(kit.Bind("go to "+t.Name, n, n), why)
		}
		add(global.next, "")
		add(global.previous, "")
	}
	why := ""
	if m.toasts.Last().Text == "" {
		why = "there was no message yet"
	}
	add(global.detail, why)
	twin, help := global.twin, global.help
	if capturing {
		twin, help = kit.Bind(twin.Help().Desc, "f2", "f2"), kit.Bind(help.Help().Desc, "F1", "f1")
	}
	acts = append(acts,
		kit.Act{Binding: twin, Group: everywhere, Why: m.whyNoTwin()},
		kit.Act{Binding: help, Group: everywhere, Hint: true},
		kit.Act{Binding: global.suspend, Group: everywhere},
	)
	if !capturing {
		add(global.palette, "")
	}
	add(global.quit, "")
	return acts
}
