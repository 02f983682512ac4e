package picker

import (
	"image"
	"time"

	tea "charm.land/bubbletea/v2"
)

// click is a click on a row of the list, to know a double click by.
type click struct {
	row int
	at  time.Time
}

// doubleClick is the longest time between two clicks that are one.
const doubleClick = 400 * time.Millisecond

// clicked moves focus and cursor to where the click was. A second click on the
// same row opens it.
func (m *Model) clicked(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft || m.focus >= onFilter {
		return nil
	}
	at, l := image.Pt(msg.X, msg.Y), m.layout()
	switch {
	case at.In(l.tray) && len(m.tray.items) > 0, at.In(l.summary) && len(m.tray.items) > 0:
		m.focus = onTray
		m.trayList.Click(at.Y - inner(l.tray).Min.Y)
	case at.In(l.list):
		m.focus = onList
		if !m.list.Click(at.Y - m.rowsArea(l).Min.Y) {
			return nil
		}
		m.moved = true
		now := click{m.list.Cursor(), m.now()}
		last := m.lastClick
		m.lastClick = now
		if last.row == now.row && !last.at.IsZero() && now.at.Sub(last.at) <= doubleClick {
			m.lastClick = click{}
			return m.enter()
		}
	}
	return nil
}

// wheel scrolls what is under the pointer.
func (m *Model) wheel(msg tea.MouseWheelMsg) {
	at, l := image.Pt(msg.X, msg.Y), m.layout()
	switch {
	case m.focus == onMenu:
	case at.In(l.tray):
		m.trayList.Update(msg)
	case at.In(l.list):
		m.moved = true
		m.list.Update(msg)
	}
}
