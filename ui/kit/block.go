package kit

import (
	"image"
	"strings"

	"mediadesk/ui/text"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi/kitty"
)

// JoinH puts blocks side by side. It pads each block to its widest line and to the
// height of the tallest block.
func JoinH(blocks ...string) string {
	type part struct {
		lines []string
		width int
	}
	parts := make([]part, 0, len(blocks))
	height := 0
	for _, block := range blocks {
		if block == "" {
			continue
		}
		p := part{lines: strings.Split(block, "\n")}
		for _, line := range p.lines {
			p.width = max(p.width, text.Width(line))
		}
		height = max(height, len(p.lines))
		parts = append(parts, p)
	}
	var b strings.Builder
	for row := range height {
		if row > 0 {
			b.WriteByte('\n')
		}
		for _, p := range parts {
			line := ""
			if row < len(p.lines) {
				line = p.lines[row]
			}
			b.WriteString(line)
			b.WriteString(text.Blanks(p.width - text.Width(line)))
		}
	}
	return b.String()
}

// Beside puts the lines of left next to those of right, with a blank column between them. If left
// is empty, it returns right.
func Beside(left, right []string) []string {
	if len(left) == 0 {
		return right
	}
	return strings.Split(JoinH(strings.Join(left, "\n"), " ", strings.Join(right, "\n")), "\n")
}

// JoinV stacks blocks; empty blocks take no line.
func JoinV(blocks ...string) string {
	valid := make([]string, 0, len(blocks))
	for _, block := range blocks {
		if block != "" {
			valid = append(valid, block)
		}
	}
	return strings.Join(valid, "\n")
}

// OverlayAt draws the block top over base, which it dims, with its upper left corner at column
// x, row y, not negative. The result has the size of base; anything outside is clipped.
func OverlayAt(base, top string, x, y int) string {
	size := Size(base)
	if size.X < 1 || size.Y < 1 || top == "" {
		return base
	}
	cells := uv.NewScreenBuffer(size.X, size.Y)
	cells.Method = text.Method()
	uv.NewStyledString(base).Draw(cells, cells.Bounds())
	for i := range size.X * size.Y {
		if c := cells.CellAt(i%size.X, i/size.X); c != nil {
			c.Style.Attrs |= uv.AttrFaint
		}
	}
	at := image.Pt(x, y)
	covered := image.Rectangle{Min: at, Max: at.Add(Size(top))}.Intersect(cells.Bounds())
	uv.NewStyledString(top).Draw(cells, covered)
	for row := covered.Min.Y; row < covered.Max.Y; row++ {
		endPicture(cells.CellAt(covered.Min.X-1, row))
	}
	return text.Fit(cells.Render(), size.X, size.Y)
}

// nowhere is a placeholder cell of a picture that no terminal has.
var nowhere = string([]rune{kitty.Placeholder, kitty.Diacritic(0), kitty.Diacritic(0)})

// endPicture ends a kitty picture at the cell left of whatever covers it. If the
// cells have no color, kitty continues the picture below the text that follows, up to
// the next cell of a picture.
func endPicture(c *uv.Cell) {
	if c != nil && c.Style.Fg == nil && strings.HasPrefix(c.Content, string(kitty.Placeholder)) {
		c.Content = nowhere
	}
}

// OverlayCenter draws the block top over the center of base.
func OverlayCenter(base, top string) string {
	at := Center(Size(base), Size(top))
	return OverlayAt(base, top, at.X, at.Y)
}

// Center returns the upper left corner that centers a block of size inner in outer,
// never negative.
func Center(outer, inner image.Point) image.Point {
	return image.Pt(max(0, (outer.X-inner.X)/2), max(0, (outer.Y-inner.Y)/2))
}

// Size returns the width of the widest line and the number of lines, or zero for an
// empty block.
func Size(block string) image.Point {
	if block == "" {
		return image.Point{}
	}
	var size image.Point
	for line := range strings.SplitSeq(block, "\n") {
		size.X = max(size.X, text.Width(line))
		size.Y++
	}
	return size
}
