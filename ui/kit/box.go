package kit

import (
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi/kitty"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Box draws body below a title. A focused box has a border, another one only a thin line beside its
// title and as much room around its body. Title and body are ready-made lines; the body is clipped
// and padded to the inner size. A box too small for a border (under 3x3) shows only the body.
func Box(title, body string, size image.Point, focused bool, th *theme.Theme) string {
	return BoxFooter(title, "", body, size, focused, th)
}

// BoxFooter is Box with a second, muted title at the right of the bottom line.
func BoxFooter(title, footer, body string, size image.Point, focused bool, th *theme.Theme) string {
	border, name, shape := th.Border, th.BoxTitle, th.Shape
	if focused {
		border, name, shape = th.BorderFocus, th.BoxTitleFocus, th.ShapeFocus
	} else if footer != "" {
		shape.Bottom = shape.Top
	}
	return box(size, shape, border, name, th.Muted, title, footer, body)
}

// BoxInner returns the size of a box's body, zero if nothing fits.
func BoxInner(size image.Point) image.Point {
	if size.X < 3 || size.Y < 3 {
		return image.Pt(max(0, size.X), max(0, size.Y))
	}
	return image.Pt(size.X-2, size.Y-2)
}

// BoxOrigin returns where the body begins inside the box: (1,1), or (0,0) if the box is
// too small for a border.
func BoxOrigin(size image.Point) image.Point {
	if size.X < 3 || size.Y < 3 {
		return image.Point{}
	}
	return image.Pt(1, 1)
}

func box(size image.Point, shape lipgloss.Border, border, name, foot lipgloss.Style, title, footer,
	body string,
) string {
	inner := BoxInner(size)
	if size.X < 3 || size.Y < 3 {
		return text.Fit(body, inner.X, inner.Y)
	}
	var b strings.Builder
	b.WriteString(border.Render(shape.TopLeft))
	b.WriteString(borderLine(shape.Top, inner.X, border, name, title, true))
	b.WriteString(border.Render(shape.TopRight))
	left, right := border.Render(shape.Left), border.Render(shape.Right)
	for line := range strings.SplitSeq(text.Fit(body, inner.X, inner.Y), "\n") {
		b.WriteByte('\n')
		b.WriteString(left)
		b.WriteString(line)
		b.WriteString(right)
	}
	b.WriteByte('\n')
	b.WriteString(border.Render(shape.BottomLeft))
	b.WriteString(borderLine(shape.Bottom, inner.X, border, foot, footer, false))
	b.WriteString(border.Render(shape.BottomRight))
	return b.String()
}

// borderLine draws a horizontal border line with words one cell from its left end if atBegin,
// otherwise from its right end.
func borderLine(line string, w int, border, name lipgloss.Style, words string, atBegin bool) string {
	if words == "" || w < 5 {
		return border.Render(strings.Repeat(line, w))
	}
	label := " " + text.Truncate(text.NoControls(strings.ReplaceAll(words, "\n", " ")), w-4) + " "
	rest := max(0, w-1-text.Width(label))
	short, long := border.Render(line), border.Render(strings.Repeat(line, rest))
	return text.Either(atBegin, short+name.Render(label)+long, long+name.Render(label)+short)
}

// Mode is a screen layout, chosen by the size of the terminal (design.md §4).
type Mode int

// The modes, from the smallest terminal to the largest.
const (
	// Tiny is a terminal too small to work in: show [TooSmall].
	Tiny Mode = iota
	// Narrow is one column.
	Narrow
	// Stacked has panes one above the other.
	Stacked
	// Wide has panes side by side.
	Wide
)

// The minimum sizes of the modes.
const (
	MinWidth     = 40
	minHeight    = 12
	StackedWidth = 60
	wideWidth    = 100
)

// ModeOf returns the mode for a terminal of that size.
func ModeOf(size image.Point) Mode {
	switch {
	case size.X < MinWidth || size.Y < minHeight:
		return Tiny
	case size.X >= wideWidth:
		return Wide
	case size.X >= StackedWidth:
		return Stacked
	default:
		return Narrow
	}
}

// ModeOfWidth returns the mode for a width in columns, ignoring the height: for
// screens, whose rectangle is lower than the terminal.
func ModeOfWidth(columns int) Mode { return ModeOf(image.Pt(columns, minHeight)) }

// TooSmall draws the message for a terminal that is too small to work in, exactly
// filling size.
func TooSmall(size image.Point, th *theme.Theme) string {
	need := fmt.Sprintf("%dx%d", MinWidth, minHeight)
	words := fmt.Sprintf("This terminal is %dx%d. mediadesk needs %s: make it larger.", size.X, size.Y, need)
	if len(text.Wrap(words, size.X)) <= size.Y {
		need = Paragraph(words, size.X, th.Warn)
	}
	return text.Fit(need, size.X, size.Y)
}

// JoinH puts blocks side by side. It pads each block to its widest line and to the
// height of the tallest block.
func JoinH(blocks ...string) string {
	var rows []string
	width := 0 // of the blocks so far
	for _, block := range blocks {
		size, lines := Size(block), strings.Split(block, "\n")
		for len(rows) < size.Y {
			rows = append(rows, text.Blanks(width))
		}
		for i := range rows {
			line := ""
			if i < len(lines) {
				line = lines[i]
			}
			rows[i] += line + text.Blanks(size.X-text.Width(line))
		}
		width += size.X
	}
	return strings.Join(rows, "\n")
}

// JoinV stacks blocks; empty blocks take no line.
func JoinV(blocks ...string) string {
	empty := func(block string) bool { return block == "" }
	return strings.Join(slices.DeleteFunc(slices.Clone(blocks), empty), "\n")
}

// OverlayAt draws the block top over base, with its upper left corner at column x, row y, not negative.
// The result has the size of base; anything outside is clipped.
func OverlayAt(base, top string, x, y int) string {
	cells, at := cellsOf(base), image.Pt(x, y)
	area := image.Rectangle{Min: at, Max: at.Add(Size(top))}
	uv.NewStyledString(top).Draw(cells, area.Intersect(cells.Bounds()))
	return text.Fit(cells.Render(), cells.Width(), cells.Height())
}

// cleared empties an area, and the rest of each text that begins in it, which nobody could read.
func cleared(base string, area image.Rectangle) string {
	cells := cellsOf(base)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		to := area.Max.X
		written := func(x int) bool { // no part of a picture or a frame
			c := cells.CellAt(x, y)
			return c != nil && c.Content > " " && c.Content < "─"
		}
		for written(to) && (written(to-1) || written(to-2)) || written(to-1) && written(to+1) {
			to++
		}
		cells.ClearArea(image.Rect(area.Min.X, y, to, y+1))
	}
	return text.Fit(cells.Render(), cells.Width(), cells.Height())
}

func cellsOf(block string) uv.ScreenBuffer {
	size := Size(block)
	cells := uv.NewScreenBuffer(size.X, size.Y)
	cells.Method = text.Method()
	uv.NewStyledString(block).Draw(cells, cells.Bounds())
	return cells
}

// Dim draws base as what is behind a popup: its text in one quiet color without backgrounds, its pictures
// of glyphs darker. Those in pixels stay; a terminal may darken them.
func Dim(base string, th *theme.Theme) string {
	cells := cellsOf(base)
	glyphs := false // a blank cell of a picture of glyphs has a background
	glyph := func(c *uv.Cell) bool {
		return strings.ContainsAny(c.Content, "█▀▄▌▖▗▘▝▚▞░▒▓")
	}
	for i := range cells.Width() * cells.Height() {
		c := cells.CellAt(i%cells.Width(), i/cells.Width())
		glyphs = glyphs || c != nil && glyph(c)
	}
	// It must not draw the eye.
	quiet := text.Either(th.Color, uv.Style{Fg: th.Border.GetForeground()}, uv.Style{Attrs: uv.AttrFaint})
	for i := range cells.Width() * cells.Height() {
		at := image.Pt(i%cells.Width(), i/cells.Width())
		c := cells.CellAt(at.X, at.Y)
		if c == nil {
			continue
		}
		switch {
		case th.Color && strings.HasPrefix(c.Content, string(kitty.Placeholder)):
		case glyph(c) && c.Style.Attrs&uv.AttrBold != 0: // the name of the program stays: it is no content
		case glyphs && (glyph(c) || c.Content == " " && !th.Surface(c.Style.Bg)):
			c.Style.Fg, c.Style.Bg = darker(c.Style.Fg, th), darker(c.Style.Bg, th)
			c.Style.Attrs |= text.Either[uint8](th.Color, uv.AttrReset, uv.AttrFaint)
		// Frames mark the focus. kitty would continue a picture without a color in the cells beside it.
		case strings.ContainsAny(c.Content, "─━│┃╭╮╰╯┏┓┗┛"+string(kitty.Placeholder)):
			cells.SetCell(at.X, at.Y, &uv.EmptyCell)
		default:
			c.Style = quiet
		}
	}
	return text.Fit(cells.Render(), cells.Width(), cells.Height())
}

// darker returns a color of a picture behind a popup: nearer to the background; nil for nil.
func darker(c color.Color, th *theme.Theme) color.Color {
	if c == nil {
		return nil
	}
	r, g, b, _ := c.RGBA()
	ground := text.Either[uint32](th.Dark, 0, 0xffff)
	mix := func(v uint32) uint8 { return uint8((v*2 + ground*3) / 5 >> 8) }
	return color.RGBA{mix(r), mix(g), mix(b), 255}
}

// OverlayCenter draws the block top over the center of base.
func OverlayCenter(base, top string) string {
	at := centered(Size(base), Size(top))
	return OverlayAt(base, top, at.X, at.Y)
}

// centered returns the upper left corner that centers a block of size inner in outer,
// never negative.
func centered(outer, inner image.Point) image.Point {
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
