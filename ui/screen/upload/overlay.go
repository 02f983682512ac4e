package upload

import (
	"image"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
)

// overlay is what the overlays of the form have in common: each fills the room
// and goes back to the form by its keys.
type overlay struct {
	m      *Model
	room   image.Point
	closed bool
}

// refresher is an overlay that is laid out after every message.
type refresher interface{ refresh() }

// Capturing is false.
func (o *overlay) Capturing() bool { return false }

// Type uses nothing.
func (o *overlay) Type(tea.Msg) (tea.Cmd, bool) { return nil, false }

// Resize tells the room.
func (o *overlay) Resize(room image.Point) { o.room = room }

// Closed reports that it was left.
func (o *overlay) Closed() bool { return o.closed }

// close goes back to the form.
func (o *overlay) close() tea.Cmd {
	o.closed = true
	return nil
}

// back is the action that goes back to the form.
func (o *overlay) back(group string, keys ...string) kit.Action {
	return kit.Action{ID: "form.close", Keys: kit.Bind("back to the form", "", keys...), Group: group, Footer: true, Do: o.close}
}

// textView is an overlay of lines that scroll.
type textView struct {
	overlay
	title   string
	lines   func(width int, th *theme.Theme) []string
	actions []kit.Action
	pane    kit.Pane
}

var _ kit.Overlay = (*textView)(nil)

// Actions are its own, and scroll.
func (v *textView) Actions() []kit.Action {
	return append(slices.Clone(v.actions), kit.ListActions(func() kit.Scroller { return &v.pane }, nil)...)
}

// Mouse scrolls by the wheel.
func (v *textView) Mouse(msg tea.MouseMsg) tea.Cmd {
	v.pane.Wheel(msg)
	return nil
}

func (v *textView) refresh() {
	v.pane.SetSize(len(v.lines(kit.PaneWidth(v.room), measured)), v.room)
}

// View draws the lines.
func (v *textView) View(room image.Point, th *theme.Theme) string {
	return v.pane.View(v.title, v.lines(kit.PaneWidth(room), th), room, true, th)
}

// cover opens an overlay over the form.
func (m *Model) cover(o kit.Overlay) {
	m.leave()
	m.setFocus(m.focus)
	m.Overlays().Open(o)
}
