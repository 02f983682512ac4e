package kit

import (
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Pane is a box of ready-made lines that scroll, such as what is known of the
// row under the cursor. It keeps only where it stands; the zero value stands at
// the top.
//
// It does without the viewport of bubbles, which has keys of its own beside those
// of the actions and does not say how far the lines go.
type Pane struct {
	top, lines, height int
}

// Reset goes back to the top, for other lines.
func (p *Pane) Reset() { p.top = 0 }

// SetSize tells how many lines there are and the size of the box: in Update, when
// one of them changes.
func (p *Pane) SetSize(lines int, size image.Point) {
	p.lines, p.height = lines, BoxInner(size).Y
	p.scroll(0)
}

// Wheel scrolls by a turn of the wheel.
func (p *Pane) Wheel(msg tea.Msg) { p.scroll(wheelBy(msg)) }

// Move scrolls by that many lines.
func (p *Pane) Move(by int) { p.scroll(by) }

// Page is how many lines are seen.
func (p *Pane) Page() int { return p.height }

// Len is the number of lines.
func (p *Pane) Len() int { return p.lines }

func (p *Pane) scroll(by int) { p.top = max(0, min(p.top+by, p.lines-p.height)) }

// PaneWidth is how many columns the lines of a pane of that size have: those of
// its box, with a blank at both sides where there is room.
func PaneWidth(size image.Point) int {
	inner := BoxInner(size).X
	return inner - 2*paneAir(inner)
}

func paneAir(inner int) int {
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
	p = &drawn
	to := min(p.lines, p.top+p.height)
	footer := ""
	if p.lines > p.height {
		footer = text.Count(to) + " of " + text.Plural(p.lines, "line")
	}
	air := text.Blanks(paneAir(BoxInner(size).X))
	var b strings.Builder
	for _, line := range lines[p.top:to] {
		b.WriteString(air)
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return BoxFooter(title, footer, strings.TrimSuffix(b.String(), "\n"), size, focused, th)
}
