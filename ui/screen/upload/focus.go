package upload

import (
	"image"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/page"
)

// stopKind is a kind of focus position.
type stopKind int

const (
	stopList stopKind = iota // the list of sources
	stopItem                 // a field of the form
	stopSide                 // the prediction
)

// focus is the position of the keyboard focus. The field is for stopItem only.
type focus struct {
	stop  stopKind
	field field
}

// firstField has the focus when the form opens. It is not the name, because names rarely change.
const firstField = fieldTags

// stops returns the current focus positions in order.
func (m *Model) stops() []focus {
	var out []focus
	if len(m.sources) == 0 {
		return nil
	}
	if len(m.sources) > 1 {
		out = append(out, focus{stop: stopList})
	}
	for _, i := range m.items {
		if m.shown(i) {
			out = append(out, focus{stop: stopItem, field: i.field})
		}
	}
	return append(out, focus{stop: stopSide})
}

// shown reports whether an item is visible. The options of an extension are hidden unless a target has it.
func (m *Model) shown(i *item) bool {
	if i.field == fieldOrder {
		return slices.ContainsFunc(m.targets(), func(s *source) bool {
			return s.text(i) != "" || len(s.entry.Extensions.Or(nil)) > 1
		})
	}
	return slices.ContainsFunc(m.targets(), func(s *source) bool { return !s.hides(m.items, i) })
}

// focused returns the focused item, or nil.
func (m *Model) focused() *item {
	if m.focus.stop != stopItem || len(m.sources) == 0 {
		return nil
	}
	return m.item(m.focus.field)
}

// setFocus moves the focus. If the position is gone, it moves to the first field.
func (m *Model) setFocus(to focus) {
	if stops := m.stops(); len(stops) > 0 && !slices.Contains(stops, to) {
		to = focus{stop: stopItem, field: firstField}
	}
	for _, i := range m.items {
		if to.stop != stopItem || i.field != to.field {
			i.part().Blur()
		}
	}
	m.focus = to
	// A part that already has the focus keeps its cursor.
	if i := m.focused(); i != nil {
		m.open = i.section
		if !i.part().Focused() {
			i.part().Focus()
		}
	}
	m.scroll = 0
}

// group returns the number of the tab group: the list, a section or the side.
func (m *Model) group(f focus) int {
	switch f.stop {
	case stopList:
		return -1
	case stopSide:
		return int(sectionCount)
	case stopItem:
	}
	return int(m.item(f.field).section)
}

// step moves the focus by fields and stops at the ends.
func (m *Model) step(by int) {
	stops := m.stops()
	at := slices.Index(stops, m.focus)
	if at < 0 || len(stops) == 0 {
		return
	}
	m.leave()
	m.setFocus(stops[max(0, min(at+by, len(stops)-1))])
}

// jump moves the focus to the first field of another group and wraps around.
func (m *Model) jump(by int) {
	stops := m.stops()
	if len(stops) == 0 {
		return
	}
	var firsts []focus
	at := 0
	for i, f := range stops {
		if i == 0 || m.group(f) != m.group(stops[i-1]) {
			firsts = append(firsts, f)
		}
		if f == m.focus {
			at = len(firsts) - 1
		}
	}
	m.leave()
	m.setFocus(firsts[(at+by+len(firsts))%len(firsts)])
}

// leave applies the text of a field that loses the focus.
func (m *Model) leave() {
	if i := m.focused(); i != nil {
		i.part().Blur()
		if i.value() != i.loaded {
			m.apply(i)
		}
	}
}

// Capturing reports whether a text field has the keyboard.
func (m *Model) Capturing() bool {
	if m.focus.stop == stopList {
		return !m.sending && m.list.Capturing()
	}
	i := m.focused()
	return i != nil && !m.sending && i.typing()
}

// Type passes a key or a paste to the focused text field and applies the result to the sources.
func (m *Model) Type(msg tea.Msg) (tea.Cmd, bool) {
	i := m.focused()
	switch {
	case !m.Capturing():
		return nil, false
	case i == nil:
		return m.list.Type(msg)
	case !i.update(msg):
		return nil, false
	}
	m.jumped = false
	if i.value() != i.loaded {
		m.apply(i)
	}
	return nil, true
}

// click moves the focus to the clicked part.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	if m.sending || len(m.sources) == 0 {
		return nil
	}
	a, ok := m.areaAt(image.Pt(msg.X, msg.Y))
	if !ok {
		return nil
	}
	double := m.clicks.Double(msg)
	m.leave()
	scroll := m.scroll
	m.setFocus(a.focus)
	if a.focus.stop == stopSide {
		m.scroll = scroll // the clicked line stays under the pointer
		n := m.checkAt(image.Pt(msg.X, msg.Y))
		if n < 0 {
			return nil
		}
		m.atCheck = n
	}
	var cmd tea.Cmd
	if a.focus.stop == stopList && a.row >= 0 {
		cmd, _ = m.list.Click(a.row)
	}
	if !double {
		return cmd
	}
	for _, a := range m.Actions() {
		switch a.ID {
		case "form.edit-alone", "form.open-check", "form.draw-region", "choice.cycle":
			if a.Reason() == "" {
				return tea.Batch(cmd, a.Do())
			}
		}
	}
	return cmd
}

// wheel scrolls what is under the pointer.
func (m *Model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	by := map[tea.MouseButton]int{tea.MouseWheelUp: -1, tea.MouseWheelDown: 1}[msg.Button]
	a, ok := m.areaAt(image.Pt(msg.X, msg.Y))
	if !ok || by == 0 {
		return nil
	}
	switch a.focus.stop {
	case stopList:
		return m.list.Wheel(msg)
	case stopSide:
		sideScroller{m}.Move(by)
	case stopItem:
		m.step(by)
	}
	return nil
}

// goBack leaves the form and keeps its content.
func (m *Model) goBack() tea.Cmd {
	m.leave()
	return page.Send(page.Back{})
}
