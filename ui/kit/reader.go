package kit

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Reader shows a long text whole, over the screen: the detail of a message, a
// raw post, a request. It scrolls by the keys of lists and by the wheel; esc, q
// and enter close it.
type Reader struct {
	Popup
	Pane
	// Beside are actions beside scrolling and closing; nil: there are none.
	Beside []Action

	title, text string
	wrapped     []string
	width       int
	size        image.Point
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
	return slices.Concat(r.Beside, []Action{
		{ID: "reader.close", Keys: Bind("close", "", "esc", "q", "enter"), Group: "Read", Footer: true, Do: r.Close},
		{ID: "reader.page-down", Keys: Bind("page down", "", "space"), Group: "Read", Do: func() tea.Cmd { r.Move(max(1, r.Page()-1)); return nil }},
	}, ListActions(func() Scroller { return r }, nil))
}

// Mouse scrolls by the wheel.
func (r *Reader) Mouse(msg tea.MouseMsg) tea.Cmd {
	r.Wheel(msg)
	return nil
}

// Resize wraps the text for room.
func (r *Reader) Resize(room image.Point) {
	r.size = image.Pt(min(room.X, 88), room.Y)
	r.wrap(BoxInner(r.size).X)
	if room.Y > 3 {
		r.size.Y = min(room.Y, len(r.wrapped)+2)
	}
	r.SetSize(len(r.wrapped), r.size)
}

// wrap wraps the text again where the width has changed.
func (r *Reader) wrap(width int) {
	if r.wrapped != nil && r.width == width {
		return
	}
	r.wrapped, r.width = []string{}, width
	for line := range strings.SplitSeq(unixLines.Replace(strings.TrimRight(r.text, "\r\n")), "\n") {
		r.wrapped = append(r.wrapped, hang(text.Safe(line), width)...)
	}
}

// hang wraps a line. If it is a label with its value, the value goes on under
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
	from, to := drawn.visible()
	footer := "esc closes"
	if extent := drawn.extent(); extent != "" {
		footer = extent + ", esc closes"
	}
	return popupBox(r.title, footer, strings.Join(drawn.wrapped[from:to], "\n"), drawn.size, th)
}
