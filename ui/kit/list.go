package kit

import (
	"image"
	"strings"

	"mediadesk/ui/text"

	tea "charm.land/bubbletea/v2"
)

// wheelRows is how far one notch of the wheel scrolls.
const wheelRows = 3

// List is the cursor and the scroll position of a list of any length. It knows
// only numbers: the rows are drawn by the screen, and only those that are seen,
// so that a list of 100,000 costs as much as one of 30. The zero value is an
// empty list.
type List struct {
	n, cursor, top int
	height         int
}

// SetLen tells how many rows there are. The cursor stays on its number, or goes
// to the last row.
func (l *List) SetLen(n int) {
	l.n = max(0, n)
	l.SetCursor(l.cursor)
}

// Len is the number of rows.
func (l *List) Len() int { return l.n }

// Cursor is the row under the cursor, 0 in an empty list: ask Len first.
func (l *List) Cursor() int { return l.cursor }

// SetCursor moves the cursor to row i, or to the nearest there is, and scrolls
// so that it is seen.
func (l *List) SetCursor(i int) {
	l.cursor = max(0, min(i, l.n-1))
	l.scroll()
}

// SetHeight tells how many rows are seen. View does so itself; a screen needs
// it only to move by pages before the first drawing.
func (l *List) SetHeight(h int) {
	l.height = max(0, h)
	l.scroll()
}

// Visible is the half-open range of the rows that are seen.
func (l *List) Visible() (from, to int) {
	return l.top, min(l.n, l.top+l.height)
}

// At is the row drawn at line y of the list's rectangle.
func (l *List) At(y int) (i int, ok bool) {
	i = l.top + y
	return i, y >= 0 && y < l.height && i < l.n
}

// Click moves the cursor to the row drawn at line y of the list's rectangle,
// and tells whether there is one.
func (l *List) Click(y int) bool {
	i, ok := l.At(y)
	if ok {
		l.SetCursor(i)
	}
	return ok
}

// Update moves the cursor by the keys of design.md §5 and the wheel. It tells
// whether the message was one of them.
func (l *List) Update(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return l.press(msg.String())
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			l.wheel(-wheelRows)
		case tea.MouseWheelDown:
			l.wheel(wheelRows)
		default:
			return false
		}
		return true
	}
	return false
}

func (l *List) press(key string) bool {
	page := max(1, l.height-1)
	half := max(1, l.height/2)
	switch key {
	case "up", "k":
		l.SetCursor(l.cursor - 1)
	case "down", "j":
		l.SetCursor(l.cursor + 1)
	case "g", "home":
		l.SetCursor(0)
	case "G", "end":
		l.SetCursor(l.n - 1)
	case "pgup", "ctrl+b":
		l.SetCursor(l.cursor - page)
	case "pgdown", "ctrl+f":
		l.SetCursor(l.cursor + page)
	case "ctrl+u":
		l.SetCursor(l.cursor - half)
	case "ctrl+d":
		l.SetCursor(l.cursor + half)
	default:
		return false
	}
	return true
}

// wheel scrolls the rows and takes the cursor along where it would leave the
// part that is seen.
func (l *List) wheel(by int) {
	if l.height < 1 {
		return
	}
	l.top = max(0, min(l.top+by, l.n-l.height))
	l.cursor = max(0, min(max(l.top, min(l.cursor, l.top+l.height-1)), l.n-1))
}

// scroll moves the seen part as little as needed to show the cursor.
func (l *List) scroll() {
	if l.height < 1 {
		return
	}
	if l.cursor < l.top {
		l.top = l.cursor
	}
	if l.cursor >= l.top+l.height {
		l.top = l.cursor - l.height + 1
	}
	l.top = max(0, min(l.top, l.n-l.height))
}

// View draws the rows that are seen, exactly filling size. It calls row for
// each with its number, the width to fill, and whether it is under the cursor;
// what row returns is clipped and filled to one line.
func (l *List) View(size image.Point, row func(i, width int, selected bool) string) string {
	l.SetHeight(size.Y)
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	var b strings.Builder
	for y := range size.Y {
		if y > 0 {
			b.WriteByte('\n')
		}
		line := ""
		if i := l.top + y; i < l.n {
			line = row(i, size.X, i == l.cursor)
		}
		b.WriteString(text.Fit(line, size.X, 1))
	}
	return b.String()
}

// Position is where the cursor stands, in words: "3 of 120", "empty".
func (l *List) Position() string {
	if l.n == 0 {
		return "empty"
	}
	return text.Count(l.cursor+1) + " of " + text.Count(l.n)
}
