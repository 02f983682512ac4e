package picture

import (
	"image"

	tea "charm.land/bubbletea/v2"
)

// RegionView draws a picture with a rectangle marked on it, again and again while
// the rectangle moves: the picture is fitted to cells once, bright and dark, and
// each frame only chooses between the two. It does not change and is safe for
// concurrent use.
type RegionView struct {
	cols, rows int
	area       image.Rectangle
	size       image.Point
	// bright and dark are the cells of area, line by line.
	bright, dark []cell
	// ground is the color under the border in each cell of area.
	ink    paint
	ground []paint
	// images are the picture as it is and darkened, where the terminal shows it;
	// the cells between which a frame chooses are theirs then.
	images [2]*Image
	closed bool // nobody shows the view any more
}

// NewRegionView fits p into cols × rows cells.
func NewRegionView(p *Picture, cols, rows int, o Options) *RegionView {
	v := &RegionView{cols: cols, rows: rows, size: p.Size()}
	v.area = Fit(v.size, cols, rows, o.CellAspect)
	size := v.area.Size()
	v.bright, v.dark = drawCells(p, size, o, fullLight), drawCells(p, size, o, dimLight)
	v.ink, v.ground = borderColors(p, size, o)
	return v
}

// borderColors is white ink on the darkened mean of each cell, which is seen on
// light pictures as well as on dark ones.
func borderColors(p *Picture, size image.Point, o Options) (ink paint, ground []paint) {
	ground = make([]paint, size.X*size.Y)
	if o.Color == NoColor || len(ground) == 0 {
		return noPaint, ground
	}
	toPaint := exact
	if o.Color == Color256 {
		toPaint = func(c [3]float32) paint {
			p, _ := nearest(c)
			return p
		}
	}
	img := p.sample(size, image.Pt(2, 1), dimLight)
	for i := range ground {
		c := img.Pix[4*i:]
		ground[i] = toPaint([3]float32{float32(c[0]), float32(c[1]), float32(c[2])})
	}
	return toPaint([3]float32{255, 255, 255}), ground
}

// Transmit shows pixels in place of glyphs: the picture is sent twice, as it is and
// darkened, and each frame chooses between the two cell by cell, so nothing is sent again
// while the rectangle moves. It must be called before the view is used. Glyphs are drawn
// until the message [ViewReady]. Nil: the terminal shows no pixels.
func (v *RegionView) Transmit(g *ImageStore, p *Picture, o Options) tea.Cmd {
	if g == nil || !o.Method.Pixels() || v.area.Empty() {
		return nil
	}
	size := v.area.Size()
	return func() tea.Msg {
		bright, err := g.newImage(p, size, o, fullLight)
		if err != nil {
			return nil
		}
		dark, err := g.newImage(p, size, o, dimLight)
		if err != nil {
			bright.Drop()
			return nil
		}
		return tea.Sequence(tea.Raw(bright.data), tea.Raw(dark.data), func() tea.Msg {
			return ViewReady{func() tea.Cmd { return v.ready([2]*Image{bright, dark}) }}
		})()
	}
}

// ready shows the pictures from now on.
func (v *RegionView) ready(images [2]*Image) tea.Cmd {
	if v.closed {
		return tea.Batch(images[0].Delete(), images[1].Delete())
	}
	v.images = images
	return nil
}

// Delete has the terminal forget the pictures, now or when they arrive; nil
// where there are none. It is safe on a nil view, which is not used any more then.
func (v *RegionView) Delete() tea.Cmd {
	if v == nil {
		return nil
	}
	v.closed = true
	if v.images[0] == nil {
		return nil
	}
	images := v.images
	v.images = [2]*Image{}
	return tea.Batch(images[0].Delete(), images[1].Delete())
}

// Render draws a frame with rect marked, which is in pixels of the picture as shown:
// outside of it the picture is darkened, and a border runs along it. The part of rect
// outside of the picture is left out; an empty rect marks nothing.
func (v *RegionView) Render(rect image.Rectangle) Rendered {
	border := v.cells(rect)
	line := make([]cell, v.area.Dx())
	var buf []byte
	return frame(v.cols, v.rows, v.area, func(y int) string {
		if v.images[0] != nil {
			return v.placeholders(y, border)
		}
		for x := range line {
			line[x] = v.cell(image.Pt(x, y), border)
		}
		buf = encode(buf[:0], line)
		return string(buf)
	})
}

// placeholders is a line of the two pictures that the terminal has, with the border.
func (v *RegionView) placeholders(y int, border image.Rectangle) string {
	var b []byte
	for x := 0; x < v.area.Dx(); {
		of := v.pieceAt(image.Pt(x, y), border)
		end := x + 1
		for end < v.area.Dx() && v.pieceAt(image.Pt(end, y), border) == of {
			end++
		}
		if of != nil {
			b = of.appendCells(b, x, end, y)
		} else {
			var line []cell
			for ; x < end; x++ {
				line = append(line, v.cell(image.Pt(x, y), border))
			}
			b = encode(b, line)
		}
		x = end
	}
	return string(b)
}

// pieceAt is the picture that a cell is a part of; nil on the border.
func (v *RegionView) pieceAt(c image.Point, border image.Rectangle) *Image {
	switch {
	case !border.Empty() && !c.In(border):
		return v.images[1]
	case border.Empty() || borderGlyph(c, border) == 0:
		return v.images[0]
	}
	return nil
}

// cells is the rectangle of cells of area that rect touches.
func (v *RegionView) cells(rect image.Rectangle) image.Rectangle {
	rect = rect.Intersect(image.Rectangle{Max: v.size})
	if rect.Empty() || v.area.Empty() {
		return image.Rectangle{}
	}
	w, h := v.area.Dx(), v.area.Dy()
	return image.Rect(
		rect.Min.X*w/v.size.X, rect.Min.Y*h/v.size.Y,
		(rect.Max.X*w+v.size.X-1)/v.size.X, (rect.Max.Y*h+v.size.Y-1)/v.size.Y,
	)
}

// cell is the cell at c of area when the border runs along the inside of border.
func (v *RegionView) cell(c image.Point, border image.Rectangle) cell {
	i := c.Y*v.area.Dx() + c.X
	switch {
	case border.Empty():
		return v.bright[i]
	case !c.In(border):
		return v.dark[i]
	}
	if g := borderGlyph(c, border); g != 0 {
		return cell{glyph: g, fg: v.ink, bg: v.ground[i]}
	}
	return v.bright[i]
}

// borderGlyphs are the pieces of a border by the sides of the rectangle that a cell
// lies at: 1 left, 2 right, 4 top, 8 bottom. A rectangle one cell high or wide has
// ends in place of corners.
var borderGlyphs = [16]rune{
	1: '│', 2: '│', 3: '│',
	4: '─', 5: '┌', 6: '┐', 7: '┬',
	8: '─', 9: '└', 10: '┘', 11: '┴',
	12: '─', 13: '[', 14: ']', 15: '+',
}

// borderGlyph is the piece of a border that runs through the cell c of b; zero
// inside of it.
func borderGlyph(c image.Point, b image.Rectangle) rune {
	sides := 0
	for i, at := range [...]bool{c.X == b.Min.X, c.X == b.Max.X-1, c.Y == b.Min.Y, c.Y == b.Max.Y-1} {
		if at {
			sides |= 1 << i
		}
	}
	return borderGlyphs[sides]
}
