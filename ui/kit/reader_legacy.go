package kit

import tea "charm.land/bubbletea/v2"

// Update scrolls, and tells whether the reader is to be taken away. Every key
// is the reader's own while it is open.
func (r *Reader) Update(msg tea.Msg) (closed bool) {
	page := max(1, r.height-1)
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		switch msg.String() {
		case "esc", "q", "enter":
			return true
		case "up", "k":
			r.scroll(-1)
		case "down", "j":
			r.scroll(1)
		case "pgup", "ctrl+b":
			r.scroll(-page)
		case "pgdown", "ctrl+f", "space":
			r.scroll(page)
		case "ctrl+u":
			r.scroll(-max(1, r.height/2))
		case "ctrl+d":
			r.scroll(max(1, r.height/2))
		case "g", "home":
			r.scroll(-len(r.lines))
		case "G", "end":
			r.scroll(len(r.lines))
		}
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			r.scroll(-wheelRows)
		case tea.MouseWheelDown:
			r.scroll(wheelRows)
		}
	}
	return false
}
