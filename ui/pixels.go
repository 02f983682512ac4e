package ui

import (
	"image"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/page"
)

// aim makes the terminal report the mouse in pixels if the front screen wants that, and in cells otherwise.
func (m *Model) aim() tea.Cmd {
	s, ok := m.host.InFront().(page.Pixels)
	cell := m.abilities.Cell
	want := ok && m.abilities.PixelMouse && cell.X > 0 && cell.Y > 0 && s.WantsPixels()
	if want == m.pixels {
		return nil
	}
	m.pixels = want
	if want {
		return tea.Raw("\x1b[?1016h")
	}
	// Leaving pixel mode requires asking for cell reports again.
	return tea.Raw("\x1b[?1016l\x1b[?1006h")
}

// dropMotion is a filter of messages. It drops mouse movements that change nothing, so that they draw no frame.
func dropMotion(model tea.Model, msg tea.Msg) tea.Msg {
	move, is := msg.(tea.MouseMotionMsg)
	m, ours := model.(*Model)
	if !is || !ours || move.Button != tea.MouseNone || m.hover > 0 {
		return msg
	}
	if at, _ := m.inCells(move); at.Mouse().Y > 0 {
		return nil
	}
	return msg
}

// inCells converts a mouse message to cells and returns the position within the cell.
func (m *Model) inCells(msg tea.MouseMsg) (tea.MouseMsg, page.Pointer) {
	cell := m.abilities.Cell
	if !m.pixels || cell.X < 1 || cell.Y < 1 {
		return msg, page.Pointer{}
	}
	at := msg.Mouse()
	in, within := m.abilities.CellAt(image.Pt(at.X, at.Y))
	p := page.Pointer{Cell: cell, Within: within}
	at.X, at.Y = in.X, in.Y
	switch msg.(type) {
	case tea.MouseClickMsg:
		return tea.MouseClickMsg(at), p
	case tea.MouseReleaseMsg:
		return tea.MouseReleaseMsg(at), p
	case tea.MouseWheelMsg:
		return tea.MouseWheelMsg(at), p
	}
	return tea.MouseMotionMsg(at), p
}
