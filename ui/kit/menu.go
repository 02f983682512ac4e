package kit

import (
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// MenuRow is one line of a menu.
type MenuRow struct {
	// Key takes the row at once: a single letter; empty for none.
	Key string
	// Words say what the row is.
	Words string
	// Note stands behind the words, muted, such as the value that is copied;
	// text from outside is made safe. Empty for none.
	Note string
	// On marks the row that holds now, with a word for it.
	On bool
}

// What a menu may come to beside the number of a row, which is 0 or more.
const (
	// MenuOpen means that nothing was taken yet.
	MenuOpen = -1
	// MenuClosed means that it was left by esc.
	MenuClosed = -2
)

// Menu is a short list over the screen of which one row is taken: by its
// letter, or by enter under the cursor. Every key is the menu's own while it is
// open.
type Menu struct {
	title string
	rows  []MenuRow
	list  List
}

// NewMenu opens a menu with the cursor on the first row that holds now, else on
// the first.
func NewMenu(title string, rows ...MenuRow) *Menu {
	m := &Menu{title: title, rows: rows}
	m.list.SetLen(len(rows))
	for i := len(rows) - 1; i >= 0; i-- {
		if rows[i].On {
			m.list.SetCursor(i)
		}
	}
	return m
}

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

// View draws the menu as a box no larger than room; lay it over the screen with
// [OverlayCenter].
func (m *Menu) View(room image.Point, th *theme.Theme) string {
	if room.X < 1 || room.Y < 1 {
		return ""
	}
	words, wish := 0, text.Width(m.title)+6
	for _, r := range m.rows {
		words = max(words, text.Width(text.Safe(r.label())))
	}
	for _, r := range m.rows {
		line := 4 + words
		if r.Note != "" {
			line += 2 + text.Width(text.Safe(r.Note))
		}
		wish = max(wish, line+3)
	}
	size := image.Pt(min(room.X, wish, 72), min(room.Y, len(m.rows)+2))
	body := m.list.View(BoxInner(size), func(i, width int, selected bool) string {
		r := m.rows[i]
		key := text.PadRight(r.Key, 2)
		label := text.PadRight(text.Safe(r.label()), words)
		note := ""
		if r.Note != "" {
			note = "  " + text.TruncateMiddle(text.Safe(r.Note), width-5-words-1)
		}
		if selected {
			return th.Selected.Render(text.PadRight(" "+key+" "+label+note, width))
		}
		return " " + th.Key.Render(key) + " " + th.Text.Render(label) + th.Muted.Render(note)
	})
	return box(size, th.ShapeFocus, th.Dialog, th.DialogTitle, th.Muted, text.Safe(m.title), "", strings.TrimRight(body, "\n"))
}

// label is the row's words, with the word for the row that holds now.
func (r MenuRow) label() string {
	if r.On {
		return r.Words + " (now)"
	}
	return r.Words
}
