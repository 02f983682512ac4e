package kit

import (
	"image"
	"slices"
	"strings"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Reader shows a long text over the screen, such as the detail of a message, a webhook or a
// request, in the viewport of bubbles. The keys of lists and the wheel scroll; esc, q and enter
// close it.
type Reader struct {
	Popup
	// Beside are additional actions, or nil.
	Beside []Action

	title, text string
	lines       viewport.Model
	size        image.Point
}

var _ Overlay = (*Reader)(nil)

// NewReader opens a reader. It keeps the line breaks of the text and escapes all other
// control characters.
func NewReader(title, content string) *Reader {
	return &Reader{title: title, text: content, lines: viewport.New(viewport.WithWidth(-1))}
}

// Actions returns the actions to scroll and close.
func (r *Reader) Actions() []Action {
	return slices.Concat(r.Beside, []Action{
		{ID: "reader.close", Keys: Bind("close", "", "esc", "q", "enter"), Group: "Read", Footer: true, Do: r.Close},
		{ID: "reader.page-down", Keys: Bind("page down", "", "space"), Group: "Read", Do: func() tea.Cmd { r.Move(max(1, r.Page()-1)); return nil }},
	}, ListActions(func() Scroller { return r }, nil))
}

// Move scrolls by that many lines.
func (r *Reader) Move(by int) { r.lines.SetYOffset(r.lines.YOffset() + by) }

// Page returns the number of visible lines, and Len that of all.
func (r *Reader) Page() int { return r.lines.Height() }
func (r *Reader) Len() int  { return r.lines.TotalLineCount() }

// Mouse scrolls on a wheel message.
func (r *Reader) Mouse(msg tea.MouseMsg) tea.Cmd {
	r.Move(wheelBy(msg))
	return nil
}

// Resize wraps the text for room.
func (r *Reader) Resize(room image.Point) {
	r.size = image.Pt(min(room.X, 88), room.Y)
	if width := PaneWidth(r.size); r.lines.Width() != width {
		var lines []string
		for line := range strings.SplitSeq(unixLines.Replace(strings.TrimRight(r.text, "\r\n")), "\n") {
			lines = append(lines, text.Wrap(text.Safe(line), width)...)
		}
		r.lines.SetWidth(width)
		r.lines.SetContentLines(lines)
	}
	if room.Y > 3 {
		r.size.Y = min(room.Y, r.Len()+2)
	}
	r.lines.SetHeight(BoxInner(r.size).Y)
	r.Move(0)
}

// View draws the reader as a box no larger than room.
func (r *Reader) View(room image.Point, th *theme.Theme) string {
	if room.X < 1 || room.Y < 1 {
		return ""
	}
	drawn := *r // drawing changes nothing
	drawn.Resize(room)
	footer := "esc closes"
	if n := drawn.Len(); n > drawn.Page() {
		footer = text.Count(min(n, drawn.lines.YOffset()+drawn.Page())) + " of " + text.Plural(n, "line") + ", " + footer
	}
	return popupText(r.title, footer, strings.Split(drawn.lines.View(), "\n"), drawn.size, th)
}
