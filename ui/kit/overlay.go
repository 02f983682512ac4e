package kit

import (
	"image"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Focus is what has the keys: a screen, or an overlay over it.
type Focus interface {
	// Actions are what can be done now, the most wanted first.
	Actions() []Action
	// Capturing reports whether a text field has the focus, so that letters are
	// text.
	Capturing() bool
	// Type gives a key press or a paste to the text field in focus, before any
	// action is looked for, and reports whether the field used it. A field uses
	// the keys that edit or move within its text, and no others.
	Type(msg tea.Msg) (cmd tea.Cmd, used bool)
}

// Overlay is something over a screen that has all keys while it is open: a menu,
// a dialog, a reader, a picker. It tells its result by a callback.
type Overlay interface {
	Focus
	// Resize tells the room for the overlay, when it opens and when that changes.
	Resize(room image.Point)
	// Mouse takes a mouse message whose position counts from the upper left
	// corner of the overlay.
	Mouse(msg tea.MouseMsg) tea.Cmd
	// View draws it as a block no larger than room. It is shown in the middle.
	View(room image.Point, th *theme.Theme) string
	// Closed reports that it is to be taken away.
	Closed() bool
}

// Updater is an overlay that also takes the messages of its screen, such as the answers to
// its own commands.
type Updater interface {
	Update(msg tea.Msg) tea.Cmd
}

// Popup is embedded by overlays: it has no text field, ignores the mouse, keeps
// no size, and is open until Close.
type Popup struct{ closed bool }

// Capturing is false: letters are keys of actions.
func (p *Popup) Capturing() bool { return false }

// Type uses nothing.
func (p *Popup) Type(tea.Msg) (tea.Cmd, bool) { return nil, false }

// Resize does nothing: the overlay is laid out when it is drawn.
func (p *Popup) Resize(image.Point) {}

// Mouse does nothing.
func (p *Popup) Mouse(tea.MouseMsg) tea.Cmd { return nil }

// Closed reports that it is to be taken away.
func (p *Popup) Closed() bool { return p.closed }

// Close takes it away; nothing follows.
func (p *Popup) Close() tea.Cmd {
	p.closed = true
	return nil
}

// popupBox draws the box of a popup. The title is made safe.
func popupBox(title, footer, body string, size image.Point, th *theme.Theme) string {
	return box(size, th.ShapeFocus, th.Dialog, th.DialogTitle, th.Muted, text.Safe(title), footer, body)
}

// Overlays is a stack of overlays; the last one opened has the keys. The zero
// value is empty.
type Overlays struct {
	open []Overlay
	room image.Point
}

// Open puts an overlay on top.
func (s *Overlays) Open(o Overlay) {
	s.trim()
	o.Resize(s.room)
	s.open = append(s.open, o)
}

// Resize tells the room for overlays, open ones and those to come.
func (s *Overlays) Resize(room image.Point) {
	s.room = room
	for _, o := range s.open {
		o.Resize(room)
	}
}

// Top is the overlay that has the keys; nil where none is open.
func (s *Overlays) Top() Overlay {
	s.trim()
	if len(s.open) == 0 {
		return nil
	}
	return s.open[len(s.open)-1]
}

// Update gives a message to the open overlays that take messages.
func (s *Overlays) Update(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, o := range s.open {
		if u, ok := o.(Updater); ok && !o.Closed() {
			cmds = append(cmds, u.Update(msg))
		}
	}
	return tea.Batch(cmds...)
}

// CloseAll takes all of them away without a result.
func (s *Overlays) CloseAll() { s.open = nil }

func (s *Overlays) trim() {
	open := s.open[:0:len(s.open)]
	for _, o := range s.open {
		if !o.Closed() {
			open = append(open, o)
		}
	}
	s.open = open
}

// View lays the open overlays over a drawn block, the last one on top.
func (s *Overlays) View(base string, th *theme.Theme) string {
	for _, o := range s.open {
		if !o.Closed() {
			base = OverlayCenter(base, o.View(s.room, th))
		}
	}
	return base
}

// Mouse hands a mouse message to the top overlay. Its position counts from the
// corner of the room.
func (s *Overlays) Mouse(msg tea.MouseMsg, th *theme.Theme) tea.Cmd {
	o := s.Top()
	if o == nil {
		return nil
	}
	return o.Mouse(Moved(msg, Center(s.room, Size(o.View(s.room, th)))))
}

// Moved is msg with its position counted from origin.
func Moved(msg tea.MouseMsg, origin image.Point) tea.MouseMsg {
	at := msg.Mouse()
	at.X -= origin.X
	at.Y -= origin.Y
	switch msg.(type) {
	case tea.MouseClickMsg:
		return tea.MouseClickMsg(at)
	case tea.MouseReleaseMsg:
		return tea.MouseReleaseMsg(at)
	case tea.MouseWheelMsg:
		return tea.MouseWheelMsg(at)
	}
	return tea.MouseMotionMsg(at)
}
