package kit

import (
	"image"
	"strings"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"

	"charm.land/lipgloss/v2"
)

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

// Len returns the number of lines so far.
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
