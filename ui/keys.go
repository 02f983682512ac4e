package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

const everywhere = "Everywhere"

// programActions returns the actions that work on every screen (design.md §5). If a text field has
// the keyboard, an action on a letter is shown with the key that leaves the field first.
func (m *Model) programActions(capturing bool) []kit.Action {
	suspend := kit.Action{ID: "program.suspend", Keys: kit.Bind("suspend to the shell", "", "ctrl+z"), Group: everywhere, Do: m.suspend}
	help := kit.Action{ID: "program.help", Group: everywhere, Footer: true, Do: func() tea.Cmd {
		return m.host.Overlays.Open(kit.NewHelp("Keys on this screen", m.host.Actions()))
	}}
	help.Keys = text.Either(capturing, kit.Bind("help", "F1", "f1"), kit.Bind("help", "?", "?", "f1"))
	if m.host.Overlays.Top() != nil {
		return []kit.Action{suspend}
	}
	var actions []kit.Action
	add := func(id, words, shown string, do func() tea.Cmd, disabled func() string, keys ...string) {
		if shown == "" {
			shown = keys[0]
		}
		if capturing {
			shown = "esc then " + shown
		}
		actions = append(actions, kit.Action{
			ID: id, Keys: kit.Bind(words, shown, keys...), Group: everywhere,
			Disabled: disabled, Do: do,
		})
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
		for _, id := range page.Tabs {
			if id != m.host.Front() {
				open := func() tea.Cmd { return m.goTo(id) }
				add("screen."+id.Name, "go to "+id.Title, "", open, nil, id.Key)
			}
		}
		add("screen.next", "next screen", "", func() tea.Cmd { return m.turn(1) }, nil, "]")
		add("screen.previous", "previous screen", "", func() tea.Cmd { return m.turn(-1) }, nil, "[")
	}
	messages()
	keys := text.Either(capturing, kit.Bind("copy as a command", "F2", "f2"),
		kit.Bind("copy as a command", "ctrl+y/F2", "f2", "ctrl+y"))
	actions = append(actions, kit.Action{
		ID: "program.copy-command", Keys: keys, Group: everywhere, Disabled: func() string {
			return text.If(m.equivalents() == nil, "no equivalent command here")
		}, Do: func() tea.Cmd {
			lines := rule.Mapped(m.equivalents(), session.CommandLine)
			what := text.Either(len(lines) > 1, text.Count(len(lines))+" commands", "command")
			return page.Send(page.Copy{What: what, Text: strings.Join(lines, "\n")})
		},
	}, help, suspend)
	if !capturing {
		add("program.palette", "find and run an action", ":", m.openPalette, nil, ":", "ctrl+k")
	}
	add("program.quit", "quit", "", func() tea.Cmd { return m.leave(false) }, nil, "q")
	actions[len(actions)-1].Footer = !capturing && m.host.Front().Key != ""
	return actions
}

func (m *Model) openPalette() tea.Cmd {
	actions := m.host.Actions()
	for _, s := range screens {
		if m.session != nil && s.ID != m.host.Front() {
			actions = append(actions, m.host.Bound(m.actionsOf(s, actions))...)
		}
	}
	return m.host.Overlays.Open(kit.NewPalette("Run an action", actions))
}

// actionsOf returns the actions of a screen in the background. They bring it to the front before
// they run; details show the files that are chosen in front, or have only what no known action is called.
// What a form was last about is no longer what the user sees.
func (m *Model) actionsOf(of screen, known []kit.Action) []kit.Action {
	s, missing := m.host.Screen(of.ID), of.missing
	if s == nil || missing != "" {
		s = of.open(m)
	}
	var begin func() tea.Cmd
	if chooser, ok := m.host.InFront().(page.Chooser); ok && of.ID == page.Details && len(chooser.Chosen()) > 0 {
		s, missing = m.detailsOf(chooser.Chosen()), ""
		begin = func() tea.Cmd { return m.inspect(page.Inspect{Files: chooser.Chosen()}) }
	}
	var actions []kit.Action
	for _, a := range s.Actions() {
		same := func(b kit.Action) bool { return of.missing != "" && a.Label() == b.Label() }
		if strings.HasPrefix(a.ID, "list.") || a.ID == "" || slices.ContainsFunc(known, same) {
			continue
		}
		a.Group, a.Menu, a.Disabled = of.Title, nil, func() string { return missing }
		a.Do = func() tea.Cmd {
			var begun tea.Cmd
			if begin != nil {
				begun = begin()
			}
			return tea.Batch(begun, m.runOn(of.ID, a.ID))
		}
		actions = append(actions, a)
	}
	return actions
}

// runOn shows a screen and runs an action there, or says why it is disabled.
func (m *Model) runOn(id page.ID, action string) tea.Cmd {
	shown := m.goTo(id)
	for _, a := range m.host.Actions() {
		if a.ID == action {
			if reason := a.Reason(); reason != "" {
				return tea.Batch(shown, m.say(page.Toast{Level: page.Info, Text: text.Sentence(reason)}))
			}
			return tea.Batch(shown, a.Do())
		}
	}
	return shown
}

func (m *Model) goTo(id page.ID) tea.Cmd {
	if id == m.host.Front() {
		return nil
	}
	return m.show(id, false)
}

func (m *Model) turn(by int) tea.Cmd {
	n := len(page.Tabs)
	return m.goTo(page.Tabs[(slices.Index(page.Tabs, m.tab())+by+n)%n])
}

// tab returns the current tab. For a screen without a tab, it is the tab from which it was opened.
func (m *Model) tab() page.ID {
	for _, id := range slices.Backward(append(slices.Clone(m.host.Trail()), m.host.Front())) {
		if id.Key != "" {
			return id
		}
	}
	return page.Picker
}

func (m *Model) openMessages() tea.Cmd {
	return m.host.Overlays.Open(m.messages.History(m.host.Overlays.Open, func(words string) tea.Cmd {
		return page.Send(page.Copy{What: "message", Text: words})
	}, m.theme))
}

// reserved are keys that terminals use for others, or that must always work.
var reserved = []string{"ctrl+c", "ctrl+h", "ctrl+i", "ctrl+j", "ctrl+m", "ctrl+[", "esc"}

// catalog returns the actions of every part of every screen by part name.
func catalog() map[string][]kit.Action {
	program := New(Options{})
	program.session = &session.Session{}
	everywhere := program.programActions(false)
	all := map[string][]kit.Action{}
	for _, s := range screens {
		if c, ok := s.open(program).(page.Catalog); ok {
			for part, actions := range c.Catalog() {
				all[strings.TrimSuffix(s.Name+", "+part, ", ")] = append(actions, everywhere...)
			}
		}
	}
	return all
}

// CheckKeys returns the first action with invalid keys and the reason: an unknown action or an
// unusable key. The error is nil if all are valid. An action loses a default key that the user gives
// to another one.
func CheckKeys(keys map[string][]string) (action string, err error) {
	if len(keys) == 0 {
		return "", nil
	}
	all := catalog()
	parts := slices.Sorted(maps.Keys(all))
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		known := slices.ContainsFunc(parts, func(part string) bool {
			return slices.ContainsFunc(all[part], func(a kit.Action) bool { return a.ID == id })
		})
		switch {
		case !known:
			return id, fmt.Errorf("there is no action %q: docs/keys.md and the help (press ?) name them", id)
		case len(keys[id]) == 0:
			return id, fmt.Errorf("%q has no key: give at least one", id)
		}
		for _, k := range keys[id] {
			if press := kit.KeyMsg(k); k == "" || press.Code == tea.KeyExtended || press.String() != k {
				return id, fmt.Errorf("%q is no key: give one such as \"x\", \"X\", \"ctrl+x\", \"f5\" or \"space\"", k)
			}
			if slices.Contains(reserved, k) {
				return id, fmt.Errorf("%q cannot be given to an action: it must keep its meaning", k)
			}
		}
	}
	return "", nil
}
