package kit

import (
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Reader shows a long text whole, over the screen: the detail of a message, a
// raw post, a request. It scrolls by the keys of lists and by the wheel; esc, q
// and enter close it.
type Reader struct {
	title, text string
	lines       []string
	width       int
	height      int
	top         int
	size        image.Point
	closed      bool
}

var _ Overlay = (*Reader)(nil)

// maxLabel is the widest column of labels that values hang from.
const maxLabel = 24

// NewReader opens a reader. Lines of the text stay lines; everything in it that
// could change the screen is written out.
func NewReader(title, text string) *Reader { return &Reader{title: title, text: text} }

// Text is the whole text as it was given, for copying.
func (r *Reader) Text() string { return r.text }

// Actions scroll and close.
func (r *Reader) Actions() []Action {
	return append([]Action{
		{Keys: Bind("close", "", "esc", "q", "enter"), Footer: true, Do: func() tea.Cmd { r.closed = true; return nil }},
		{Keys: Bind("page down", "", "space"), Do: func() tea.Cmd { r.scroll(max(1, r.height-1)); return nil }},
	}, ListActions(func() Scroller { return r }, nil)...)
}

// Move scrolls by that many lines.
func (r *Reader) Move(by int) { r.scroll(by) }

// Page is how many lines are seen.
func (r *Reader) Page() int { return r.height }

// Len is the number of lines.
func (r *Reader) Len() int { return len(r.lines) }

// Capturing is false.
func (r *Reader) Capturing() bool { return false }

// Type uses nothing.
func (r *Reader) Type(tea.Msg) (tea.Cmd, bool) { return nil, false }

// Mouse scrolls by the wheel.
func (r *Reader) Mouse(msg tea.MouseMsg) tea.Cmd {
	r.scroll(wheelBy(msg))
	return nil
}

// Closed reports that the reader was left.
func (r *Reader) Closed() bool { return r.closed }

// Resize breaks the text for room.
func (r *Reader) Resize(room image.Point) {
	r.size = image.Pt(min(room.X, 88), room.Y)
	r.wrap(BoxInner(r.size).X)
	if room.Y > 3 {
		r.size.Y = min(room.Y, len(r.lines)+2)
	}
	r.height = BoxInner(r.size).Y
	r.scroll(0)
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

func (r *Reader) scroll(by int) {
	r.top = max(0, min(r.top+by, len(r.lines)-r.height))
}

// wrap breaks the text anew where the width is another than before.
func (r *Reader) wrap(width int) {
	if r.lines != nil && r.width == width {
		return
	}
	r.lines, r.width = []string{}, width
	words := strings.ReplaceAll(strings.TrimRight(r.text, "\r\n"), "\r\n", "\n")
	for line := range strings.SplitSeq(strings.ReplaceAll(words, "\t", "  "), "\n") {
		r.lines = append(r.lines, hang(text.Safe(line), width)...)
	}
}

// hang breaks a line; where it is a label with its value, the value goes on under
// where it began.
func hang(line string, width int) []string {
	label, rest, found := strings.Cut(line, "  ")
	value := strings.TrimLeft(rest, " ")
	at := text.Width(line) - text.Width(value)
	if !found || label == "" || value == "" || at > maxLabel || width < 2*at {
		return text.Wrap(line, width)
	}
	lines := text.Wrap(value, width-at)
	for i, l := range lines {
		if i == 0 {
			lines[i] = strings.TrimSuffix(line, value) + l
			continue
		}
		lines[i] = text.Blanks(at) + l
	}
	return lines
}

// View draws the reader as a box no larger than room.
func (r *Reader) View(room image.Point, th *theme.Theme) string {
	if room.X < 1 || room.Y < 1 {
		return ""
	}
	drawn := *r // drawing changes nothing
	drawn.Resize(room)
	return drawn.draw(th)
}

func (r *Reader) draw(th *theme.Theme) string {
	to := min(len(r.lines), r.top+r.height)
	footer := "esc closes"
	if len(r.lines) > r.height {
		footer = text.Count(to) + " of " + text.Plural(len(r.lines), "line") + ", esc closes"
	}
	return box(r.size, th.ShapeFocus, th.Dialog, th.DialogTitle, th.Muted,
		text.Safe(r.title), footer, strings.Join(r.lines[r.top:to], "\n"))
}
