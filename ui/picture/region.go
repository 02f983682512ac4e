package picture

import (
	"image"

	tea "charm.land/bubbletea/v2"
)

// RegionView draws a picture with a moving rectangle. The picture is fitted once, bright and dark,
// and each frame chooses between them. It is immutable and safe for concurrent use.
type RegionView struct {
	cols, rows int
	area       image.Rectangle
	size       image.Point
	// bright and dark are the cells of area, line by line.
	bright, dark []cell
	// ground is the background of the border in each cell of area.
	ink    paint
	ground []paint
	// images are the normal and the darkened picture, if the terminal shows pixels.
	images [2]*Image
	closed bool // no longer shown
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

// borderColors returns white ink on the darkened mean of each cell, visible on light and dark
// pictures.
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

// Transmit switches to pixels: it sends the picture twice, normal and darkened, so that moving the
// rectangle sends nothing. Call it before using the view. Glyphs are drawn until [ViewReady]. It
// returns nil if the terminal shows no pixels.
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

// ready starts showing the pictures.
func (v *RegionView) ready(images [2]*Image) tea.Cmd {
	if v.closed {
		return tea.Batch(images[0].Delete(), images[1].Delete())
	}
	v.images = images
	return nil
}

// Delete deletes the pictures from the terminal, now or on arrival. It may return nil and is safe
// on nil. The view must not be used afterwards.
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

// Render draws a frame with rect, in pixels of the picture: the outside is darkened, with a border
// along rect. rect is clipped to the picture; an empty one marks nothing.
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

// placeholders returns a line of the two pictures with the border.
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

// pieceAt returns the picture for a cell, or nil on the border.
func (v *RegionView) pieceAt(c image.Point, border image.Rectangle) *Image {
	switch {
	case !border.Empty() && !c.In(border):
		return v.images[1]
	case border.Empty() || borderGlyph(c, border) == 0:
		return v.images[0]
	}
	return nil
}

// cells returns the cells of area that rect touches.
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

// cell returns the cell at c for a border along the inside of border.
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

// borderGlyphs are indexed by the adjacent sides of the rectangle: 1 left, 2 right, 4 top, 8
// bottom. A rectangle one cell high or wide has ends instead of corners.
var borderGlyphs = [16]rune{
	1: '│', 2: '│', 3: '│',
	4: '─', 5: '┌', 6: '┐', 7: '┬',
	8: '─', 9: '└', 10: '┘', 11: '┴',
	12: '─', 13: '[', 14: ']', 15: '+',
}

// borderGlyph returns the border glyph at cell c of b; zero inside.
func borderGlyph(c image.Point, b image.Rectangle) rune {
	sides := 0
	for i, at := range [...]bool{c.X == b.Min.X, c.X == b.Max.X-1, c.Y == b.Min.Y, c.Y == b.Max.Y-1} {
		if at {
			sides |= 1 << i
		}
	}
	return borderGlyphs[sides]
}
