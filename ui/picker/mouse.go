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
		}
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
		switch {
		case !m.sheet.on:
			m.list.Update(msg)
		case msg.Button == tea.MouseWheelUp:
			m.moveTile("up")
		case msg.Button == tea.MouseWheelDown:
			m.moveTile("down")
		}
	}
}

// clickRow moves the cursor to what is drawn at a cell of the rows, and tells
// whether there is something.
func (m *Model) clickRow(at image.Point) bool {
	if !m.sheet.on {
		return m.list.Click(at.Y)
	}
	g := m.sheet.grid()
	col, line := at.X/max(1, m.sheet.room.X/g.X), at.Y/(m.sheet.tileSize().Y+1)
	from, to := m.seenTiles()
	i := from + line*g.X + col
	if at.Y < 0 || col >= g.X || i >= to {
		return false
	}
	m.list.SetCursor(i)
	return true
}

// clickPick picks the row under the cursor, or lets go of it; the cursor stays.
func (m *Model) clickPick() tea.Cmd {
	at := m.list.Cursor()
	m.ranged = false
	cmd := m.toggle()
	m.list.SetCursor(at)
	return cmd
}

// clickRange picks all from the row where the cursor was to the one under it.
func (m *Model) clickRange(from int) tea.Cmd {
	to := m.list.Cursor()
	_, fresh := m.files(min(from, to), max(from, to))
	return m.take(fresh)
}
