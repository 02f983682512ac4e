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

// Page returns the number of visible lines.
func (p *Pane) Page() int { return p.height }

// Len returns the number of lines.
func (p *Pane) Len() int { return p.lines }

// Visible returns the half-open range of the visible lines.
func (p *Pane) Visible() (from, to int) { return p.top, min(p.lines, p.top+p.height) }

// extent describes the range of the visible lines, or returns "" if all are visible.
func (p *Pane) extent() string {
	if p.lines <= p.height {
		return ""
	}
	_, to := p.Visible()
	return text.Count(to) + " of " + text.Plural(p.lines, "line")
}

// PaneWidth returns the width of the lines of a pane of that size: inside its box, with
// a blank at both sides if there is room.
func PaneWidth(size image.Point) int {
	inner := BoxInner(size).X
	return inner - 2*paneMargin(inner)
}

func paneMargin(inner int) int {
	if inner < 20 {
		return 0
	}
	return 1
}

// View draws the visible lines in a box, exactly filling size. If there are more, the
// lower border shows the range.
func (p *Pane) View(title string, lines []string, size image.Point, focused bool, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	drawn := *p // drawing changes nothing
	drawn.SetSize(len(lines), size)
	from, to := drawn.Visible()
	margin := text.Blanks(paneMargin(BoxInner(size).X))
	body := make([]string, 0, to-from)
	for _, line := range lines[from:to] {
		body = append(body, margin+line)
	}
	return BoxFooter(title, drawn.extent(), strings.Join(body, "\n"), size, focused, th)
}

const doubleTime = 400 * time.Millisecond

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
	double := !c.last.IsZero() && at == c.at && now.Sub(c.last) <= doubleTime
	c.at, c.last = at, now
	if double {
		c.last = time.Time{}
	}
	return double
}
