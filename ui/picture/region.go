package picture

import (
	"bytes"
	"image"
	"strings"

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
	// ground is the colour under the border in each cell of area.
	ink    paint
	ground []paint
	// images are the picture as it is and darkened, where the terminal shows it;
	// the cells between which a frame chooses are theirs then.
	images [2]*Image
	left   bool // nobody shows the view any more
}

// RenderRegion draws p with rect marked, which is in pixels of p as shown: outside
// of it the picture is darkened, and a border runs along it. What of rect lies
// outside of p is left out; an empty rect marks nothing. For more than one frame
// use [NewRegionView].
func RenderRegion(p *Picture, cols, rows int, rect image.Rectangle, o Options) Rendered {
	return NewRegionView(p, cols, rows, o).Render(rect)
}

// NewRegionView fits p into cols × rows cells.
func NewRegionView(p *Picture, cols, rows int, o Options) *RegionView {
	v := &RegionView{cols: max(0, cols), rows: max(0, rows), size: p.Size()}
	v.area = Fit(v.size, v.cols, v.rows, o.CellAspect)
	size := v.area.Size()
	v.bright = drawAll(newDrawing(p, size, o), size)
	dark := newDrawing(p, size, o)
	if dark == nil {
		return v
	}
	dark.dim = dimLight
	v.dark = drawAll(dark, size)
	v.ink, v.ground = borderColors(p, size, o)
	return v
}

func drawAll(d *drawing, size image.Point) []cell {
	cells := make([]cell, size.X*size.Y)
	for y := range size.Y {
		d.next(cells[y*size.X:][:size.X])
	}
	return cells
}

// borderColors is white ink on the darkened mean of each cell, which is seen on
// light pictures as well as on dark ones.
func borderColors(p *Picture, size image.Point, o Options) (ink paint, ground []paint) {
	ground = make([]paint, size.X*size.Y)
	if o.Color == NoColor {
		return noPaint, ground
	}
	s := newScaler(p, size.X, size.Y, image.Pt(2, 1))
	line := make([]uint8, 3*size.X)
	for y := range size.Y {
		s.row(y, line)
		for x := range size.X {
			var c [3]float32
			for i := range c {
				c[i] = float32(int(line[3*x+i]) * dimLight / fullLight)
			}
			g := exact(c)
			if o.Color == Color256 {
				g, _ = nearest(c)
			}
			ground[y*size.X+x] = g
		}
	}
	if o.Color == Color256 {
		ink, _ = nearest([3]float32{255, 255, 255})
		return ink, ground
	}
	return rgb(255, 255, 255), ground
}

// Transmit prepares to show real pictures in place of glyphs: the picture is sent
// twice, as it is and darkened, and each frame chooses between the two cell by
// cell, so nothing is sent again while the rectangle moves. It must be called
// before the view is used. Where there is no way to show pictures it changes
// nothing and the command is nil; otherwise glyphs are drawn until [RegionView.Up].
func (v *RegionView) Transmit(g *ImageStore, p *Picture, o Options) tea.Cmd {
	if g == nil || o.Method != MethodKitty || v.area.Empty() {
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
			return TransmittedRegion{View: v, images: [2]*Image{bright, dark}}
		})()
	}
}

// TransmittedRegion tells that the terminal has the pictures of a view: see
// [RegionView.Up].
type TransmittedRegion struct {
	View   *RegionView
	images [2]*Image
}

// Up has the view show the pictures from now on; where it was left meanwhile they
// are taken down again.
func (v *RegionView) Up(h TransmittedRegion) tea.Cmd {
	if v.left {
		return tea.Batch(h.images[0].Delete(), h.images[1].Delete())
	}
	v.images = h.images
	return nil
}

// Delete has the terminal forget the pictures, now or when they arrive; nil
// where there are none. It is safe on a nil view, which is not used any more then.
func (v *RegionView) Delete() tea.Cmd {
	if v == nil {
		return nil
	}
	v.left = true
	if v.images[0] == nil {
		return nil
	}
	images := v.images
	v.images = [2]*Image{}
	return tea.Batch(images[0].Delete(), images[1].Delete())
}

// places appends a line of cells of the two pictures.
func (v *RegionView) places(b []byte, row int, border image.Rectangle) []byte {
	width, bright, dark := v.area.Dx(), v.images[0], v.images[1]
	switch {
	case border.Empty():
		return bright.place(b, 0, width, row)
	case row < border.Min.Y || row >= border.Max.Y:
		return dark.place(b, 0, width, row)
	}
	b = dark.place(b, 0, border.Min.X, row)
	if inside := border.Inset(1); inside.Empty() || row < inside.Min.Y || row >= inside.Max.Y {
		b = v.appendBorder(b, border.Min.X, border.Max.X, row, border)
	} else {
		b = v.appendBorder(b, border.Min.X, inside.Min.X, row, border)
		b = bright.place(b, inside.Min.X, inside.Max.X, row)
		b = v.appendBorder(b, inside.Max.X, border.Max.X, row, border)
	}
	return dark.place(b, border.Max.X, width, row)
}

// appendBorder appends the cells of the border from x to before end.
func (v *RegionView) appendBorder(b []byte, x, end, row int, border image.Rectangle) []byte {
	line := make([]cell, 0, end-x)
	for ; x < end; x++ {
		line = append(line, v.cell(image.Pt(x, row), border))
	}
	return encode(b, line)
}

// Render draws a frame with rect marked; see [RenderRegion].
func (v *RegionView) Render(rect image.Rectangle) Rendered {
	r := Rendered{Lines: make([]string, 0, v.rows), Area: v.area, size: v.size}
	border := v.cells(rect)
	width := v.area.Dx()
	line := make([]cell, width)
	var buf []byte
	for y := range v.rows {
		if y < v.area.Min.Y || y >= v.area.Max.Y {
			r.Lines = append(r.Lines, strings.Repeat(" ", v.cols))
			continue
		}
		row := y - v.area.Min.Y
		if v.images[0] != nil {
			b := bytes.Repeat([]byte{' '}, v.area.Min.X)
			b = v.places(b, row, border)
			b = append(b, bytes.Repeat([]byte{' '}, v.cols-v.area.Max.X)...)
			r.Lines = append(r.Lines, string(b))
			continue
		}
		for x := range line {
			line[x] = v.cell(image.Pt(x, row), border)
		}
		buf = r.frame(buf[:0], line, v.cols)
		r.Lines = append(r.Lines, string(buf))
	}
	return r
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
