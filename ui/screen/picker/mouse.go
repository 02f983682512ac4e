package picker

import (
	"image"

	tea "charm.land/bubbletea/v2"
)

// clicked moves the focus and the cursor to the click. A double click opens the entry.
func (m *Model) clicked(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft {
		return nil
	}
	double := m.clicks.Double(msg)
	at, l := image.Pt(msg.X, msg.Y), m.layout()
	switch {
	case m.focus == onFilter:
		return nil
	case at.In(l.tray) && len(m.tray.items) > 0, at.In(l.summary) && len(m.tray.items) > 0:
		m.focus = onTray
		if _, ok := m.trayList.Click(at.Y - inner(l.tray).Min.Y); ok && double && m.noItemFile() == "" {
			return m.showItem()
		}
	case at.In(l.preview):
		if double && m.focus == onList {
			return m.enter()
		}
	case at.In(l.list):
		m.focus = onList
		before := m.list.Cursor()
		if !m.clickRow(at.Sub(m.rowsArea(l).Min)) {
			return nil
		}
		m.moved = true
		switch {
		case msg.Mod.Contains(tea.ModCtrl):
			return m.clickPick()
		case msg.Mod.Contains(tea.ModShift):
			return m.clickRange(before)
		case double:
			return m.enter()
		}
	}
	return nil
}

// wheel scrolls the part under the pointer.
func (m *Model) wheel(msg tea.MouseWheelMsg) {
	at, l := image.Pt(msg.X, msg.Y), m.layout()
	switch {
	case m.focus == onFilter:
	case at.In(l.tray):
		m.trayList.Wheel(msg)
	case at.In(l.list):
		m.moved = true
		switch {
		case !m.sheet.On:
			m.list.Wheel(msg)
		default:
			m.sheet.Wheel(msg)
		}
	}
}

// clickRow moves the cursor to the row or tile at a cell and reports whether there was one.
func (m *Model) clickRow(at image.Point) bool {
	if !m.sheet.On {
		return m.list.Click(at.Y)
	}
	i, ok := m.sheet.At(at)
	if !ok {
		return false
	}
	m.list.SetCursor(i)
	return true
}

// clickPick toggles the row under the cursor without moving.
func (m *Model) clickPick() tea.Cmd {
	at := m.list.Cursor()
	m.ranged = false
	cmd := m.toggle()
	m.list.SetCursor(at)
	return cmd
}

// clickRange picks from the old cursor row to the current one. The next such click starts at the same row.
func (m *Model) clickRange(from int) tea.Cmd {
	to := m.list.Cursor()
	if from == m.shifted.to && m.shifted.gen == m.shown.gen {
		from = m.shifted.from
	}
	m.shifted = shifted{m.shown.gen, from, to}
	_, fresh := m.files(min(from, to), max(from, to))
	return m.pick(fresh)
}

// shifted is the range of the last shift-click.
type shifted struct{ gen, from, to int }
