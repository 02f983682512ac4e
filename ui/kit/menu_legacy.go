package kit

import tea "charm.land/bubbletea/v2"

// What a menu may come to beside the number of a row, which is 0 or more.
const (
	// MenuOpen means that nothing was taken yet.
	MenuOpen = -1
	// MenuClosed means that it was left by esc.
	MenuClosed = -2
)

// Update moves the cursor and tells what the menu came to: the number of the
// row taken, [MenuOpen] or [MenuClosed].
func (m *Menu) Update(msg tea.Msg) int {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		m.list.Update(msg)
		return MenuOpen
	}
	name := key.String()
	for i, r := range m.rows {
		if r.Key != "" && r.Key == name {
			return i
		}
	}
	switch name {
	case "esc", "q", "left":
		return MenuClosed
	case "enter", "space", "right":
		if len(m.rows) == 0 {
			return MenuClosed
		}
		return m.list.Cursor()
	}
	m.list.Update(msg)
	return MenuOpen
}

// Acts are what can be done in the menu.
func (m *Menu) Acts() []Act {
	group := m.title
	acts := []Act{
		{Binding: Bind("take", "", "enter"), Hint: true, Group: group},
		{Binding: Bind("close", "", "esc"), Hint: true, Group: group},
		{Binding: Bind("down", "↓ j", "down", "j"), Group: group},
		{Binding: Bind("up", "↑ k", "up", "k"), Group: group},
	}
	for _, r := range m.rows {
		if r.Key != "" {
			acts = append(acts, Act{Binding: Bind(r.Words, "", r.Key), Group: group})
		}
	}
	return acts
}
