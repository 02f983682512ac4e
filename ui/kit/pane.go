package kit

import (
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Pane is a box of ready-made lines that scroll, such as what is known of the
// row under the cursor. It keeps only its position; the zero value is at the top.
//
// The viewport of bubbles would not do: it has keys of its own beside those of the
// actions, and does not say how far the lines go.
type Pane struct {
	top, lines, height int
}

// Reset goes back to the top, for other lines.
func (p *Pane) Reset() { p.top = 0 }

// SetSize tells how many lines there are and the size of the box: in Update, when
// one of them changes.
func (p *Pane) SetSize(lines int, size image.Point) {
	p.lines, p.height = lines, BoxInner(size).Y
	p.Move(0)
}

// Wheel scrolls by a turn of the wheel.
func (p *Pane) Wheel(msg tea.Msg) { p.Move(wheelBy(msg)) }

// Move scrolls by that many lines.
func (p *Pane) Move(by int) { p.top = max(0, min(p.top+by, p.lines-p.height)) }

// Page is how many lines are seen.
func (p *Pane) Page() int { return p.height }

// Len is the number of lines.
func (p *Pane) Len() int { return p.lines }

// visible is the half-open range of the lines that are seen.
func (p *Pane) visible() (from, to int) { return p.top, min(p.lines, p.top+p.height) }

// extent says how far the lines go that are seen; empty where all are.
func (p *Pane) extent() string {
	if p.lines <= p.height {
		return ""
	}
	_, to := p.visible()
	return text.Count(to) + " of " + text.Plural(p.lines, "line")
}

// PaneWidth is how many columns the lines of a pane of that size have: those of
// its box, with a blank at both sides where there is room.
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

// View draws the lines that are seen in a box, exactly filling size. Where there
// are more, the lower edge says how far they go.
func (p *Pane) View(title string, lines []string, size image.Point, focused bool, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	drawn := *p // drawing changes nothing
	drawn.SetSize(len(lines), size)
	from, to := drawn.visible()
	margin := text.Blanks(paneMargin(BoxInner(size).X))
	body := make([]string, 0, to-from)
	for _, line := range lines[from:to] {
		body = append(body, margin+line)
	}
	return BoxFooter(title, drawn.extent(), strings.Join(body, "\n"), size, focused, th)
}
