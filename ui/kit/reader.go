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
}

// maxLabel is the widest column of labels that values hang from.
const maxLabel = 24

// NewReader opens a reader. Lines of the text stay lines; everything in it that
// could change the screen is written out.
func NewReader(title, text string) *Reader { return &Reader{title: title, text: text} }

// Text is the whole text as it was given, for copying.
func (r *Reader) Text() string { return r.text }

// Update scrolls, and tells whether the reader is to be taken away. Every key
// is the reader's own while it is open.
func (r *Reader) Update(msg tea.Msg) (closed bool) {
	page := max(1, r.height-1)
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		switch msg.String() {
		case "esc", "q", "enter":
			return true
		case "up", "k":
			r.scroll(-1)
		case "down", "j":
			r.scroll(1)
		case "pgup", "ctrl+b":
			r.scroll(-page)
		case "pgdown", "ctrl+f", "space":
			r.scroll(page)
		case "ctrl+u":
			r.scroll(-max(1, r.height/2))
		case "ctrl+d":
			r.scroll(max(1, r.height/2))
		case "g", "home":
			r.scroll(-len(r.lines))
		case "G", "end":
			r.scroll(len(r.lines))
		}
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			r.scroll(-wheelRows)
		case tea.MouseWheelDown:
			r.scroll(wheelRows)
		}
	}
	return false
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

// View draws the reader as a box no larger than room; lay it over the screen
// with [OverlayCenter].
func (r *Reader) View(room image.Point, th *theme.Theme) string {
	if room.X < 1 || room.Y < 1 {
		return ""
	}
	size := image.Pt(min(room.X, 88), room.Y)
	r.wrap(BoxInner(size).X)
	if room.Y > 3 {
		size.Y = min(room.Y, len(r.lines)+2)
	}
	inner := BoxInner(size)
	r.height = inner.Y
	r.scroll(0)
	to := min(len(r.lines), r.top+r.height)
	footer := "esc closes"
	if len(r.lines) > r.height {
		footer = text.Count(to) + " of " + text.Plural(len(r.lines), "line") + ", esc closes"
	}
	return box(size, th.ShapeFocus, th.Dialog, th.DialogTitle, th.Muted,
		text.Safe(r.title), footer, strings.Join(r.lines[r.top:to], "\n"))
}
