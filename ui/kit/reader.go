package kit

import (
	"image"
	"slices"
	"strings"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Reader shows a long text over the screen, such as the detail of a message, a webhook or a
// request, in the viewport of bubbles. The keys of lists and the wheel scroll; esc, q and enter
// close it.
type Reader struct {
	Popup
	// Then runs when the reader is closed.
	Then func() tea.Cmd

	title, text string
	lines       viewport.Model
	size        image.Point
}

var _ Overlay = (*Reader)(nil)

// NewReader opens a reader. It keeps the line breaks of the text and escapes all other
// control characters.
func NewReader(title, content string) *Reader {
	return &Reader{Then: func() tea.Cmd { return nil }, title: title, text: content, lines: viewport.New(viewport.WithWidth(-1))}
}

// Actions returns the actions to scroll and close.
func (r *Reader) Actions() []Action {
	return append([]Action{
		{ID: "reader.close", Keys: Bind("close", "", "esc", "q", "enter"), Group: "Read", Footer: true, Do: func() tea.Cmd { r.Close(); return r.Then() }},
		{ID: "reader.page-down", Keys: Bind("page down", "", "space"), Group: "Read", Do: func() tea.Cmd { r.Move(max(1, r.Page()-1)); return nil }},
	}, ListActions(func() Scroller { return r }, nil)...)
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
	air := text.Either(room.Y >= airyMenu, 2, 0)
	if width := PaneWidth(r.size); r.lines.Width() != width {
		var lines []string
		for line := range strings.SplitSeq(plainLines.Replace(strings.TrimRight(r.text, "\r\n")), "\n") {
			lines = append(lines, text.Wrap(text.Safe(line), width)...)
		}
		r.lines.SetWidth(width)
		r.lines.SetContentLines(lines)
	}
	if room.Y > 3 {
		r.size.Y = min(room.Y, r.Len()+2+air)
	}
	r.size.X = min(r.size.X, max(44, text.Width(r.title)+6, Size(r.lines.GetContent()).X+4))
	r.lines.SetHeight(BoxInner(r.size).Y - air)
	r.Move(0)
}

// View draws the reader as a box no larger than room.
func (r *Reader) View(room image.Point, th *theme.Theme) string {
	if room.X < 1 || room.Y < 1 {
		return ""
	}
	drawn := *r // drawing changes nothing
	drawn.Resize(room)
	footer := ""
	if n := drawn.Len(); n > drawn.Page() {
		footer = text.Count(min(n, drawn.lines.YOffset()+drawn.Page())) + " of " + text.Plural(n, "line")
	}
	lines := strings.Split(drawn.lines.View(), "\n")
	if room.Y >= airyMenu {
		lines = slices.Insert(lines, 0, "")
	}
	return popupText(r.title, footer, lines, drawn.size, th)
}

// factColumns is the width of labels, thinColumns in less room than thinFacts.
const factColumns, thinColumns, thinFacts = 13, 8, 36

// Facts collects the lines of a [Pane]: sentences, and labels with values. It makes
// all text safe and wraps it. Use [NewFacts].
type Facts struct {
	width  int
	labels int // width of the labels
	th     *theme.Theme
	lines  []string
}

// NewFacts returns an empty Facts whose lines are at most width columns.
func NewFacts(width int, th *theme.Theme) *Facts {
	return &Facts{width: width, labels: factColumns, th: th}
}

// Thin narrows the column of the labels in little room. Longer labels are then above their values.
func (f *Facts) Thin() *Facts {
	f.labels = text.Either(f.width < thinFacts, thinColumns, f.labels)
	return f
}

// Theme returns the theme of the lines.
func (f *Facts) Theme() *theme.Theme { return f.th }

// Width returns the maximum width of the lines, in columns.
func (f *Facts) Width() int { return f.width }

// Draw adds ready-made lines, no wider than Width.
func (f *Facts) Draw(lines ...string) { f.lines = append(f.lines, lines...) }

// Lines returns the lines collected so far.
func (f *Facts) Lines() []string {
	if n := len(f.lines); n > 0 && f.lines[n-1] == "" {
		return f.lines[:n-1] // a gap before nothing
	}
	return f.lines
}

// Say adds text, wrapped between words if possible. Line breaks in the text stay.
func (f *Facts) Say(style lipgloss.Style, words string) {
	if words == "" {
		return
	}
	for part := range strings.SplitSeq(plainLines.Replace(words), "\n") {
		for _, line := range text.Wrap(text.Safe(part), f.width) {
			f.lines = append(f.lines, style.Render(line))
		}
	}
}

// Paragraph wraps a text to at most width columns and styles it.
func Paragraph(words string, width int, style lipgloss.Style) string {
	f := Facts{width: width}
	f.Say(style, words)
	return strings.Join(f.lines, "\n")
}

// Gap adds an empty line between two parts.
func (f *Facts) Gap() {
	if n := len(f.lines); n > 0 && f.lines[n-1] != "" {
		f.lines = append(f.lines, "")
	}
}

// Fact adds a label and its value, side by side if there is room. It ignores an empty
// value.
func (f *Facts) Fact(label, value string) { f.Styled(label, value, f.th.Text) }

// Styled is Fact with a style for the value.
func (f *Facts) Styled(label, value string, style lipgloss.Style) {
	if value == "" {
		return
	}
	if f.width < f.labels+14 || f.labels < factColumns && text.Width(label) > f.labels-2 {
		f.Say(f.th.Label, label)
		f.Say(style, value)
		return
	}
	for _, line := range text.Wrap(text.Safe(value), f.width-f.labels) {
		label = f.th.Label.Render(text.PadRight(text.ShortName(label, f.labels-2), f.labels))
		f.lines = append(f.lines, label+style.Render(line))
		label = ""
	}
}

// NoStop is the stop of a line of a [Sheet] that cannot have the focus.
const NoStop = -1

// Sheet is a column of lines, built for each drawing: for forms, choices and facts that
// read from top to bottom. It has a readable maximum width and scrolls to the focus.
// Each line has a stop, a number chosen by the screen that identifies it on a click.
type Sheet struct {
	size     image.Point
	width    int
	lines    []string
	stops    []int
	from, to int // lines to scroll to
	left     int // columns left of the lines
}

// NewSheet begins a sheet for a rectangle. If that is wider than widest columns, the
// sheet is centered in it.
func NewSheet(size image.Point, widest int) *Sheet {
	s := &Sheet{size: size, width: max(0, min(size.X, widest))}
	s.left = (max(0, size.X) - s.width) / 2
	return s
}

// NewPopupSheet begins a sheet for [Sheet.Popup].
func NewPopupSheet(room image.Point, widest int) *Sheet {
	size := image.Pt(min(room.X, widest+4), room.Y)
	return NewSheet(image.Pt(PaneWidth(size), BoxInner(size).Y), widest)
}

// Popup draws the sheet in the box of a popup, as high as its lines. The lines begin at PopupOrigin.
func (s *Sheet) Popup(title string, room image.Point, th *theme.Theme) string {
	size := image.Pt(min(room.X, s.width+4), min(room.Y, len(s.lines)+2))
	s.size.Y = BoxInner(size).Y
	return popupText(title, "", strings.Split(s.View(th), "\n"), size, th)
}

// PopupOrigin is where the lines of a popup begin in its box.
var PopupOrigin = image.Pt(2, 1)

// Width returns the maximum width of a line.
func (s *Sheet) Width() int { return s.width }

func (s *Sheet) Len() int { return len(s.lines) }

// Line adds a ready-made line and clips it to the width.
func (s *Sheet) Line(stop int, line string) {
	s.lines = append(s.lines, text.Fit(line, s.width, 1))
	s.stops = append(s.stops, stop)
}

// Gap adds an empty line.
func (s *Sheet) Gap() { s.Line(NoStop, "") }

// Text adds plain text, made safe, wrapped and indented. It keeps line breaks.
func (s *Sheet) Text(stop, indent int, words string, style lipgloss.Style) {
	if s.width < 3*indent {
		indent = 0
	}
	for part := range strings.SplitSeq(words, "\n") {
		for _, line := range text.Wrap(text.Safe(part), s.width-indent) {
			s.Line(stop, text.Blanks(indent)+style.Render(line))
		}
	}
}

// Note adds sentences, one per line of words, with a sign beside the first.
func (s *Sheet) Note(sign theme.Sign, words string, th *theme.Theme) {
	mark := th.Glyph(sign)
	for part := range strings.SplitSeq(words, "\n") {
		for _, line := range text.Wrap(text.Safe(text.Sentence(part)), s.width-2) {
			s.Line(NoStop, th.SignStyle(sign).Render(mark+" "+line))
			mark = " "
		}
	}
}

// Keep makes View scroll to the lines from number from to the last one so far.
func (s *Sheet) Keep(from int) { s.from, s.to = from, len(s.lines) }

// View draws the sheet, exactly filling its rectangle, with the lines of Keep near the
// middle. If they do not fit, it shows the first of them.
func (s *Sheet) View(th *theme.Theme) string {
	if s.size.X < 1 || s.size.Y < 1 {
		return ""
	}
	top := s.top()
	lines := s.lines[top:min(len(s.lines), top+s.size.Y)]
	shifted := make([]string, len(lines))
	for i, line := range lines {
		shifted[i] = text.Blanks(s.left) + line
	}
	MarkCut(shifted, top > 0, top+s.size.Y < len(s.lines), th)
	return text.Fit(strings.Join(shifted, "\n"), s.size.X, s.size.Y)
}

// MarkCut marks the first of the visible lines if there are more above, and the last one
// if there are more below. The marks are in the first column; a line with text there
// stays as it is.
func MarkCut(lines []string, above, below bool, th *theme.Theme) {
	if len(lines) == 0 {
		return
	}
	for i, cut := range map[int]bool{0: above, len(lines) - 1: below} {
		if rest, blank := strings.CutPrefix(lines[i], " "); cut && blank {
			lines[i] = th.Muted.Render(th.Glyph(theme.SignMore)) + rest
		}
	}
}

func (s *Sheet) top() int {
	return max(0, min((s.from+s.to-s.size.Y)/2, s.from, len(s.lines)-s.size.Y))
}

// Lower moves the sheet down by that many rows. Call it before adding lines.
func (s *Sheet) Lower(rows int) {
	for range rows {
		s.Gap()
	}
}

// StopAt returns the stop of the line at a cell of the rectangle, or [NoStop].
func (s *Sheet) StopAt(x, y int) int {
	i := s.top() + y
	if y < 0 || y >= s.size.Y || i >= len(s.stops) || x < s.left || x >= s.left+s.width {
		return NoStop
	}
	return s.stops[i]
}
