package kit

import (
	"image"
	"strings"

	"mediadesk/ui/text"

	"charm.land/lipgloss/v2"
)

// NoStop is the stop of a line of a [Sheet] that nothing can be done with.
const NoStop = -1

// Sheet is a column of lines, made for each drawing: for forms, choices
// and facts that read from top to bottom. It is no wider than is good to read,
// scrolls so that what has the focus is seen, and tells what stands under the
// mouse by the stop, a number of the screen's own, that each line was added
// with.
type Sheet struct {
	size     image.Point
	width    int
	lines    []string
	stops    []int
	from, to int // lines to be seen
	left     int // columns before the lines
}

// NewSheet begins a sheet for a rectangle. Where that has more than widest
// columns the sheet stands in its middle.
func NewSheet(size image.Point, widest int) *Sheet {
	s := &Sheet{size: size, width: max(0, min(size.X, widest))}
	s.left = (max(0, size.X) - s.width) / 2
	return s
}

// Width is how wide a line may be.
func (s *Sheet) Width() int { return s.width }

// Len is the number of lines so far.
func (s *Sheet) Len() int { return len(s.lines) }

// Line adds a ready-made line; what is too wide is clipped.
func (s *Sheet) Line(stop int, line string) {
	s.lines = append(s.lines, text.Fit(line, s.width, 1))
	s.stops = append(s.stops, stop)
}

// Gap adds an empty line.
func (s *Sheet) Gap() { s.Line(NoStop, "") }

// Text adds plain text, made safe and broken into lines, indent columns from
// the left. Lines of the text stay lines.
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

// Keep marks the lines from number from to the last one so far as what has the
// focus: View scrolls to them.
func (s *Sheet) Keep(from int) { s.from, s.to = from, len(s.lines) }

// View draws the sheet, exactly filling its rectangle. What has the focus is
// held near the middle; its first line counts most.
func (s *Sheet) View() string {
	if s.size.X < 1 || s.size.Y < 1 {
		return ""
	}
	top := s.top()
	lines := s.lines[top:min(len(s.lines), top+s.size.Y)]
	shifted := make([]string, len(lines))
	for i, line := range lines {
		shifted[i] = text.Blanks(s.left) + line
	}
	return text.Fit(strings.Join(shifted, "\n"), s.size.X, s.size.Y)
}

// top is the first line that is seen.
func (s *Sheet) top() int {
	return max(0, min((s.from+s.to-s.size.Y)/2, s.from, len(s.lines)-s.size.Y))
}

// Lower moves the sheet down by so many rows where there is room for them, so
// that a short one does not cling to the upper edge. Call it before anything is
// added.
func (s *Sheet) Lower(rows int) {
	for range rows {
		s.Gap()
	}
}

// StopAt is the stop of the line drawn at a cell of the rectangle, counted from
// its upper left corner; [NoStop] where there is none.
func (s *Sheet) StopAt(x, y int) int {
	i := s.top() + y
	if y < 0 || y >= s.size.Y || i >= len(s.stops) || x < s.left || x >= s.left+s.width {
		return NoStop
	}
	return s.stops[i]
}
