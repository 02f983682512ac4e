package upload

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// keys of the lights.
var (
	keyJump      = kit.Bind("go to the field of the next light", "", "ctrl+n")
	keyLight     = kit.Bind("go to its field", "", "enter")
	keyNextLight = kit.Bind("next light", "", "n")
	keyPrevLight = kit.Bind("previous light", "", "N")
)

// whyNotJump says why there is no light to go to; empty: there is one.
func (m *Model) whyNotJump() string {
	switch {
	case len(m.sources) == 0:
		return "The form is empty: pick files first."
	case len(m.listed()) == 0:
		return "No light is on."
	}
	return ""
}

// listed are the lights as the side lists them: those that stop and warn of all
// files, then the fine ones of the current file.
func (m *Model) listed() []light {
	if len(m.sources) == 0 {
		return nil
	}
	t := m.sum()
	lights := slices.Clone(t.lights)
	for _, l := range t.of[m.current()] {
		if l.level == fine {
			l.of = m.current()
			lights = append(lights, l)
		}
	}
	return lights
}

// jumpLight goes to the field of the next light that stops or warns, from
// anywhere in the form.
func (m *Model) jumpLight() tea.Cmd {
	lights := m.sum().lights
	if len(lights) == 0 {
		return page.Send(page.Toast{Level: page.Good, Text: "No light warns of anything."})
	}
	// The first one first, then in turn.
	if !m.jumped {
		m.light = -1
	}
	m.jumped = true
	m.light = (m.light + 1) % len(lights)
	m.goToLight(lights[m.light])
	return nil
}

// turnLight moves the cursor among the lights of the side.
func (m *Model) turnLight(by int) {
	if n := len(m.listed()); n > 0 {
		m.light = (m.light%n + by + n) % n
		m.shownLight = true
	}
}

// goToLight goes to the field that a light comes from, of the file that has it.
// Where only some of the marked files have it, those alone are marked then: the
// others need no mending.
func (m *Model) goToLight(l light) {
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

// visible is the field, or the one that shows it where it cannot be seen.
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

// keys that bring what differs back.
var (
	keyReset      = kit.Bind("make this file like the others", "", "r")
	keyResetField = kit.Bind("reset this field", "", "ctrl+x")
)

// resetFile gives a file the values that most of the others have, and its own
// name.
func (m *Model) resetFile(s *source) tea.Cmd {
	if len(m.sources) < 2 {
		return nil
	}
	m.set(s, fieldName, s.src.Name())
	for f := fieldName + 1; f < fieldCount; f++ {
		m.set(s, f, m.common(f, s))
	}
	m.load()
	return page.Send(page.Toast{Level: page.Good, Text: text.Safe(s.src.Name()) + " is like the others again."})
}

// common is what most sources but one say in a field; the first of them where
// several say it as often.
func (m *Model) common(f field, but *source) string {
	count := map[string]int{}
	best, most := "", 0
	for _, s := range m.sources {
		if s == but {
			continue
		}
		count[s.values[f]]++
	}
	for _, s := range m.sources {
		if n := count[s.values[f]]; s != but && n > most {
			best, most = s.values[f], n
		}
	}
	return best
}

// whyNotReset says why the field with the focus cannot be reset; empty: it can.
func (m *Model) whyNotReset() string {
	i := m.focused()
	if i == nil {
		return "No field has the focus."
	}
	for _, s := range m.targets() {
		if began := startValues(s.src, m.opt.Profile); i.of(&s.values) != i.of(&began) {
			return ""
		}
	}
	return "It is as it began."
}

// resetField gives the targets what the field began with.
func (m *Model) resetField() {
	i := m.focused()
	if i == nil {
		return
	}
	for _, s := range m.targets() {
		if i.meta != nil {
			i.part().Blur()
			i.load("", false)
			m.set(s, fieldMetadata, i.into(s.values[fieldMetadata]))
			continue
		}
		began := startValues(s.src, m.opt.Profile)
		m.set(s, i.field, began[i.field])
	}
	m.load()
	m.setFocus(m.focus)
}

// keys that order the extensions, on their rows.
var (
	keyEarlier = kit.Bind("run this extension earlier", "", "<")
	keyLater   = kit.Bind("run this extension later", "", ">")
)

// moveExtension moves the extension of the field with the focus in the order of
// each target.
func (m *Model) moveExtension(by int) bool {
	i := m.focused()
	if i == nil {
		return false
	}
	name, ok := extensionOf[i.field]
	if !ok {
		return false
	}
	for _, s := range m.targets() {
		names := m.extensionNames(s)
		at := slices.Index(names, name)
		to := at + by
		if at < 0 || to < 0 || to >= len(names) {
			continue
		}
		names[at], names[to] = names[to], names[at]
		m.set(s, fieldOrder, api.JoinTags(names))
	}
	m.load()
	return true
}

// extensionOf are the extensions that have a row of their own.
var extensionOf = map[field]string{
	fieldRemove: api.RemoveBackground, fieldGoogle: api.GoogleTagging, fieldAWS: api.AWSTagging,
}

// extensionNames are the extensions of a source in the order in which they go.
func (m *Model) extensionNames(s *source) []string {
	var names []string
	for _, e := range m.check(s).upload.Extensions.Or(nil) {
		names = append(names, e.Name)
	}
	return names
}
