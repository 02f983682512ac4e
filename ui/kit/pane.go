package kit

import (
	"image"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Pane is a box of ready-made lines that scroll, such as the details of a row. It keeps
// only its position; the zero value is at the top.
//
// The viewport of bubbles is no replacement: it has keys of its own, and does not show
// the range of the visible lines.
type Pane struct {
	top, lines, height int
}

// Reset scrolls to the top, for new lines.
func (p *Pane) Reset() { p.top = 0 }

// SetSize sets the number of lines and the size of the box. Call it in Update when one
// of them changes.
func (p *Pane) SetSize(lines int, size image.Point) {
	p.lines, p.height = lines, BoxInner(size).Y
	p.Move(0)
}

// Wheel scrolls on a wheel message.
func (p *Pane) Wheel(msg tea.Msg) { p.Move(wheelBy(msg)) }

// Move scrolls by that many lines.
func (p *Pane) Move(by int) { p.top = max(0, min(p.top+by, p.lines-p.height)) }

func (p *Pane) Page() int { return p.height }

func (p *Pane) Len() int { return p.lines }

// Visible returns the half-open range of the visible lines.
func (p *Pane) Visible() (from, to int) { return p.top, min(p.lines, p.top+p.height) }

// PaneWidth returns the width of the lines of a pane of that size: inside its box, with
// a blank at both sides if there is room.
func PaneWidth(size image.Point) int {
	inner := BoxInner(size).X
	return inner - 2*paneMargin(inner)
}

func paneMargin(inner int) int { return text.Either(inner < 20, 0, 1) }

// View draws the visible lines in a box, exactly filling size. If there are more, the
// lower border says how many.
func (p *Pane) View(title string, lines []string, size image.Point, focused bool, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	drawn := *p // drawing changes nothing
	drawn.SetSize(len(lines), size)
	from, to := drawn.Visible()
	margin := text.Blanks(paneMargin(BoxInner(size).X))
	body := margin + strings.Join(lines[from:to], "\n"+margin)
	more := text.If(to < len(lines), text.Plural(len(lines)-to, "more line"))
	return BoxFooter(title, more, body, size, focused, th)
}

const doubleClickInterval = 400 * time.Millisecond

// Clicks detects double clicks: terminals report only single ones.
type Clicks struct {
	now  func() time.Time
	at   image.Point
	last time.Time
}

// NewClicks returns a detector. The clock now is time.Now outside of tests.
func NewClicks(now func() time.Time) *Clicks { return &Clicks{now: now} }

// Double receives every click of the left button and reports whether it is the second
// of two on the same cell. A third click counts as a first one.
func (c *Clicks) Double(msg tea.MouseClickMsg) bool {
	if msg.Button != tea.MouseLeft {
		return false
	}
	now, at := c.now(), image.Pt(msg.X, msg.Y)
	double := !c.last.IsZero() && at == c.at && now.Sub(c.last) <= doubleClickInterval
	c.at, c.last = at, text.Either(double, time.Time{}, now)
	return double
}

const wheelRows = 3

// cursorGroup is the group of the actions that move the cursor.
const cursorGroup = "Cursor"

// Lines holds the cursor and the scroll position of a list. It knows only row numbers:
// the screen draws the rows, and only the visible ones, so that a list of 100,000 costs
// as much as one of 30. The zero value is an empty list.
type Lines struct {
	n, cursor, top int
	height         int
}

// SetLen sets the number of rows. The cursor keeps its number, or moves to the last row.
func (l *Lines) SetLen(n int) {
	l.n = max(0, n)
	l.SetCursor(l.cursor)
}

func (l *Lines) Len() int { return l.n }

// Cursor returns the row under the cursor, 0 in an empty list: check Len first.
func (l *Lines) Cursor() int { return l.cursor }

// SetCursor moves the cursor to row i, or to the nearest row, and scrolls to it.
func (l *Lines) SetCursor(i int) {
	l.cursor = max(0, min(i, l.n-1))
	l.scroll()
}

// SetHeight sets the number of visible rows. Call it in Update when the size or the
// rows change: pages, clicks and the wheel depend on it.
func (l *Lines) SetHeight(h int) {
	l.height = max(0, h)
	l.scroll()
}

// Visible returns the half-open range of the visible rows.
func (l *Lines) Visible() (from, to int) { return l.top, min(l.n, l.top+l.height) }

// At returns the row at line y of the list's rectangle.
func (l *Lines) At(y int) (i int, ok bool) {
	i = l.top + y
	return i, y >= 0 && y < l.height && i < l.n
}

// Wheel scrolls on a wheel message, keeps the cursor in the visible part, and reports whether msg
// was one.
func (l *Lines) Wheel(msg tea.Msg) bool {
	by := wheelBy(msg)
	if by != 0 && l.height > 0 {
		l.top = max(0, min(l.top+by, l.n-l.height))
		l.cursor = max(0, min(max(l.top, min(l.cursor, l.top+l.height-1)), l.n-1))
	}
	return by != 0
}

// wheelBy returns the number of rows to scroll, 0 if msg is not a wheel message.
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

// Move moves the cursor by that many rows and stops at the ends.
func (l *Lines) Move(by int) { l.SetCursor(max(0, l.cursor+by)) }

// Scroller is a list or a scrolling text that [ListActions] can move.
type Scroller interface {
	// Move moves down by that many rows, or up if by is negative.
	Move(by int)
	// Page returns the number of visible rows.
	Page() int
	// Len returns the number of rows.
	Len() int
}

func (l *Lines) Page() int { return l.height }

// ListActions returns the actions that move in a list (design.md §5). of returns the
// list that has the focus; moved, if not nil, runs after each of them.
func ListActions(of func() Scroller, moved func() tea.Cmd) []Action {
	var all []Action
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
		move := func() tea.Cmd {
			s := of()
			s.Move(a.by(s))
			if moved == nil {
				return nil
			}
			return moved()
		}
		keys := Bind(a.words, a.shown, a.keys...)
		all = append(all, Action{ID: a.id, Keys: keys, Group: cursorGroup, Do: move})
	}
	return all
}

func (l *Lines) scroll() {
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

// View draws the visible rows, exactly filling size. It calls row for each with its
// number, the width, and whether it is under the cursor, and fits the result into one
// line.
func (l *Lines) View(size image.Point, row func(i, width int, selected bool) string) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	drawn := *l // drawing changes nothing
	drawn.SetHeight(size.Y)
	lines := make([]string, size.Y)
	for y := range lines {
		if i := drawn.top + y; i < drawn.n {
			lines[y] = row(i, size.X, i == drawn.cursor)
		}
		lines[y] = text.Fit(lines[y], size.X, 1)
	}
	return strings.Join(lines, "\n")
}

// Position describes the position of the cursor: "3 of 120", "empty".
func (l *Lines) Position() string {
	return text.Either(l.n == 0, "empty", text.Count(l.cursor+1)+" of "+text.Count(l.n))
}
