package upload

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// These functions return why an action is disabled, or "".

// noCheck returns why there is no check to go to.
func (m *Model) noCheck() string {
	return text.If(len(m.listed()) == 0, "there is no check to go to")
}

func (m *Model) oneCheck() string {
	return text.If(len(m.listed()) < 2, "there is no other check")
}

// listed returns the checks in display order: errors and warnings of all files, then the passed checks of the targets.
func (m *Model) listed() []check {
	t := m.sum()
	return slices.Concat(t.checks, t.fine)
}

// nextProblem goes to the field of the next error or warning.
func (m *Model) nextProblem() tea.Cmd {
	m.leave()
	checks := m.sum().checks
	if len(checks) == 0 {
		return page.Send(page.Toast{Level: page.Good, Text: "No check warns of anything."})
	}
	if !m.jumped {
		m.atCheck = -1
	}
	m.jumped = true
	m.atCheck = (m.atCheck + 1) % len(checks)
	m.goToCheck(checks[m.atCheck])
	return nil
}

// turnCheck moves the cursor through the checks.
func (m *Model) turnCheck(by int) {
	n := len(m.listed())
	m.atCheck = (m.atCheck%n + by + n) % n
	for _, f := range m.sideFlows(m.layout(m.size), measured) {
		if at := slices.Index(f.checks, m.atCheck); at >= 0 {
			m.scroll = max(0, at-f.size.Y+3, min(m.scroll, at))
		}
	}
	sideScroller{m}.Move(0)
}

// cursorCheck returns the index of the check under the cursor, or -1.
func (m *Model) cursorCheck() int {
	n := len(m.listed())
	if m.focus.stop != stopSide || n == 0 {
		return -1
	}
	return m.atCheck % n
}

// openCheck goes to the field of the selected check.
func (m *Model) openCheck() {
	checks := m.listed()
	m.goToCheck(checks[m.atCheck%len(checks)])
}

// goToCheck goes to the field of a check in its file. If only some of the marked files fail the check, it marks only
// those.
func (m *Model) goToCheck(l check) {
	if at := slices.Index(m.sources, l.of); at >= 0 && l.of != nil {
		m.list.SetCursor(at)
		having := map[*source]bool{l.of: true}
		for _, s := range m.targets() {
			for _, other := range m.sum().of[s] {
				if other.field == l.field && other.level == l.level {
					having[s] = true
				}
			}
		}
		for _, s := range m.sources {
			s.marked = having[s]
		}
		m.load()
	}
	m.setFocus(focus{stop: stopItem, field: m.visible(l.field)})
}

// visible returns the field, or the field that reveals it if it is hidden.
func (m *Model) visible(f field) field {
	i := m.item(f)
	switch {
	case m.shown(i):
		return f
	case i.only != noField:
		return i.only
	}
	return fieldOtherName
}

// noReset returns why a file cannot be reset to match the others.
func (m *Model) noReset() string {
	return text.If(len(m.sum().differs[m.current()]) == 0, "it differs from the others in nothing but its name")
}

// resetFile gives a file its own name and the most common values of the others.
func (m *Model) resetFile(s *source) tea.Cmd {
	m.set(s, fieldName, s.entry.Source.Name())
	for _, i := range m.items {
		if i.field != fieldName {
			m.set(s, i.field, m.common(i, s))
		}
	}
	m.load()
	return page.Send(page.Toast{Level: page.Good, Text: text.Safe(s.entry.Source.Name()) + " is like the others again."})
}

// common returns the most common text of a field in all sources except one. The first source wins a tie.
func (m *Model) common(i *item, but *source) string {
	count := map[string]int{}
	best, most := "", 0
	for _, s := range m.sources {
		if s == but {
			continue
		}
		count[s.text(i)]++
	}
	for _, s := range m.sources {
		if n := count[s.text(i)]; s != but && n > most {
			best, most = s.text(i), n
		}
	}
	return best
}

// noResetField returns why the focused field cannot be reset, or "".
func (m *Model) noResetField() string {
	i := m.focused()
	if i == nil {
		return "no field has the focus"
	}
	for _, s := range m.targets() {
		if began := startOptions(s.entry.Source, m.o.Profile); s.text(i) != began.text(i) {
			return ""
		}
	}
	return "it is as it began"
}

// resetField resets the focused field of the targets to its initial value.
func (m *Model) resetField() {
	i := m.focused()
	for _, s := range m.targets() {
		began := startOptions(s.entry.Source, m.o.Profile)
		m.set(s, i.field, began.text(i))
	}
	m.load()
	m.setFocus(m.focus)
}

// noOrder returns why the focused extension cannot be moved.
func (m *Model) noOrder() string {
	return text.If(len(m.targets()[0].entry.Extensions.Or(nil)) < 2, "there is no other extension to change places with")
}

// moveExtension moves the focused extension in the order of each target.
func (m *Model) moveExtension(by int) {
	name := m.focused().known.name
	for _, s := range m.targets() {
		names := extensionNames(s.entry.Extensions.Or(nil))
		at := slices.Index(names, name)
		to := at + by
		if at < 0 || to < 0 || to >= len(names) {
			continue
		}
		names[at], names[to] = names[to], names[at]
		m.set(s, fieldOrder, api.JoinTags(names))
	}
	m.load()
}
