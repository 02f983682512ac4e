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

// SetHeight tells how many rows are seen: in Update, when the size or the rows
// change. Pages, clicks and the wheel go by it.
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

// Wheel scrolls by a turn of the wheel, and tells whether the message was one.
func (l *List) Wheel(msg tea.Msg) bool {
	by := wheelBy(msg)
	if by != 0 {
		l.wheel(by)
	}
	return by != 0
}

// wheelBy is how many rows a turn of the wheel scrolls, 0 for any other message.
func wheelBy(msg tea.Msg) int {
	if turn, ok := msg.(tea.MouseWheelMsg); ok {
		switch turn.Button {
		case tea.MouseWheelUp:
			return -wheelRows
		case tea.MouseWheelDown:
			return wheelRows
		}
	}
	return 0
}

// Move moves the cursor by that many rows, not beyond the ends.
func (l *List) Move(by int) { l.SetCursor(max(0, l.cursor+by)) }

// Scroller is what [ListActions] can move: a list, or a text that scrolls.
type Scroller interface {
	// Move goes down by that many rows, up where less than 0.
	Move(by int)
	// Page is how many rows are seen.
	Page() int
	// Len is the number of rows.
	Len() int
}

// Page is how many rows are seen.
func (l *List) Page() int { return l.height }

// ListActions are the actions that move in a list (design.md §5). of gives the
// list that has the focus; moved follows each of them, nil: nothing does.
func ListActions(of func() Scroller, moved func() tea.Cmd) []Action {
	var actions []Action
	for _, a := range []struct {
		id, words, shown string
		by               func(s Scroller) int
		keys             []string
	}{
		{"list.up", "up", "↑ k", func(Scroller) int { return -1 }, []string{"up", "k"}},
		{"list.down", "down", "↓ j", func(Scroller) int { return 1 }, []string{"down", "j"}},
		{"list.top", "top", "g home", func(s Scroller) int { return -s.Len() }, []string{"g", "home"}},
		{"list.bottom", "bottom", "G end", func(s Scroller) int { return s.Len() }, []string{"G", "end"}},
		{"list.page-up", "page up", "pgup", func(s Scroller) int { return -max(1, s.Page()-1) }, []string{"pgup", "ctrl+b"}},
		{"list.page-down", "page down", "pgdn", func(s Scroller) int { return max(1, s.Page()-1) }, []string{"pgdown", "ctrl+f"}},
		{"list.half-page-up", "half a page up", "", func(s Scroller) int { return -max(1, s.Page()/2) }, []string{"ctrl+u"}},
		{"list.half-page-down", "half a page down", "", func(s Scroller) int { return max(1, s.Page()/2) }, []string{"ctrl+d"}},
	} {
		actions = append(actions, Action{ID: a.id, Keys: Bind(a.words, a.shown, a.keys...), Group: "Move", Do: func() tea.Cmd {
			s := of()
			s.Move(a.by(s))
			if moved == nil {
				return nil
			}
			return moved()
		}})
	}
	return actions
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
	drawn := *l // drawing changes nothing
	drawn.SetHeight(size.Y)
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	var b strings.Builder
	for y := range size.Y {
		if y > 0 {
			b.WriteByte('\n')
		}
		line := ""
		if i := drawn.top + y; i < drawn.n {
			line = row(i, size.X, i == drawn.cursor)
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
