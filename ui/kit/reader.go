package kit

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Reader shows a long text over the screen, such as the detail of a message, a webhook
// or a request. The keys of lists and the wheel scroll; esc, q and enter close it.
type Reader struct {
	Popup
	Pane
	// Beside are additional actions, or nil.
	Beside []Action

	title, text string
	wrapped     []string
	width       int
	size        image.Point
}

var _ Overlay = (*Reader)(nil)

// maxLabel is the maximum width of a label with a hanging value.
const maxLabel = 24

// NewReader opens a reader. It keeps the line breaks of the text and escapes all other
// control characters.
func NewReader(title, text string) *Reader { return &Reader{title: title, text: text} }

// Text returns the original text, for copying.
func (r *Reader) Text() string { return r.text }

// Actions returns the actions to scroll and close.
func (r *Reader) Actions() []Action {
	return slices.Concat(r.Beside, []Action{
		{ID: "reader.close", Keys: Bind("close", "", "esc", "q", "enter"), Group: "Read", Footer: true, Do: r.Close},
		{ID: "reader.page-down", Keys: Bind("page down", "", "space"), Group: "Read", Do: func() tea.Cmd { r.Move(max(1, r.Page()-1)); return nil }},
	}, ListActions(func() Scroller { return r }, nil))
}

// Mouse scrolls on a wheel message.
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

// wrap wraps the text again if the width has changed.
func (r *Reader) wrap(width int) {
	if r.wrapped != nil && r.width == width {
		return
	}
	r.wrapped, r.width = []string{}, width
	for line := range strings.SplitSeq(unixLines.Replace(strings.TrimRight(r.text, "\r\n")), "\n") {
		r.wrapped = append(r.wrapped, hang(text.Safe(line), width)...)
	}
}

// hang wraps a line. If it is a label with a value, further lines of the value are
// indented to where it begins.
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
	from, to := drawn.Visible()
	footer := "esc closes"
	if extent := drawn.extent(); extent != "" {
		footer = extent + ", esc closes"
	}
	return popupBox(r.title, footer, strings.Join(drawn.wrapped[from:to], "\n"), drawn.size, th)
}
