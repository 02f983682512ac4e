package picture

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"time"

	tea "charm.land/bubbletea/v2"
)

// RegionView draws a picture with a moving rectangle. The outside is darkened, and a line runs
// along the inside of the rectangle. The picture is fitted once, bright and dark, and each cell
// shows one of them. With glyphs the line takes whole cells. With pixels the cells that the border
// crosses show a third picture, composed of both for every position. Except for its commands it is
// not safe for concurrent use.
type RegionView struct {
	// Handle is the part that stands out: what the arrow keys move. NoHandle shows none.
	Handle Handle

	cols, rows int
	area       image.Rectangle
	size       image.Point
	o          Options
	// bright and dark are the cells of area, line by line.
	bright, dark []cell
	ink          paint // of the border

	// images are the normal and the darkened picture, if the terminal shows pixels, then the one of
	// the border of framed, in pixels of the images; framed is empty without a border.
	images [3]*Image
	pixels [2]*image.RGBA
	framed image.Rectangle
	marked Handle // of the border
	busy   bool   // a border is being made
	closed bool   // no longer shown, or never in pixels
}

// NewRegionView fits p into cols × rows cells.
func NewRegionView(p *Picture, cols, rows int, o Options) *RegionView {
	v := &RegionView{cols: cols, rows: rows, size: p.Size(), o: o}
	v.area = Fit(v.size, cols, rows, o.CellAspect)
	size := v.area.Size()
	v.bright, v.dark = drawCells(p, size, o, fullLight), drawCells(p, size, o, dimLight)
	switch o.Color { // white on the darkened picture is visible everywhere
	case TrueColor:
		v.ink = exact([3]float32{255, 255, 255})
	case Color256:
		v.ink, _ = nearest([3]float32{255, 255, 255})
	case NoColor:
	}
	return v
}

// Transmit switches to pixels: it sends the picture twice, normal and darkened. Call it before
// using the view. Glyphs are drawn until [ViewReady], and after an error. It returns nil if the
// terminal shows no pixels.
func (v *RegionView) Transmit(g *ImageStore, p *Picture) tea.Cmd {
	if g == nil || !v.o.Method.Pixels() || v.area.Empty() {
		return nil
	}
	size, failed := v.area.Size(), ViewReady{v.Delete}
	return func() tea.Msg {
		bright, light, err := g.newImage(p, size, v.o, fullLight)
		if err != nil {
			return failed
		}
		dark, shade, err := g.newImage(p, size, v.o, dimLight)
		if err != nil {
			bright.Drop()
			return failed
		}
		return tea.Sequence(tea.Raw(bright.data), tea.Raw(dark.data), func() tea.Msg {
			return ViewReady{func() tea.Cmd {
				v.images, v.pixels = [3]*Image{bright, dark}, [2]*image.RGBA{light, shade}
				if v.closed {
					return v.Delete()
				}
				return nil
			}}
		})()
	}
}

// frameInterval is the least time between two borders, so that a slow connection keeps up with the
// mouse.
const frameInterval = 50 * time.Millisecond

// Follow sends the border of rect if it is new. Call it at the end of each Update that may change
// the rectangle; the previous border stays until the terminal has the new one. It may return nil
// and is safe on nil.
func (v *RegionView) Follow(g *ImageStore, rect func() image.Rectangle) tea.Cmd {
	if v == nil || v.images[0] == nil || v.busy || v.onPixels(rect()) == v.framed && v.Handle == v.marked {
		return nil
	}
	v.busy = true
	return tea.Tick(frameInterval, func(time.Time) tea.Msg {
		return ViewReady{func() tea.Cmd { return v.sendBorder(g, v.onPixels(rect())) }}
	})
}

func (v *RegionView) sendBorder(g *ImageStore, on image.Rectangle) tea.Cmd {
	v.busy = !v.closed && !on.Empty()
	if v.marked = v.Handle; !v.busy {
		return v.setBorder(nil, on)
	}
	handle := v.Handle
	return func() tea.Msg {
		border, err := g.pixelImage(v.borderPixels(on, handle), v.area.Size(), v.o)
		if border != nil {
			border.composed = true
		}
		done := ViewReady{func() tea.Cmd {
			v.busy = false
			return v.setBorder(border, on)
		}}
		if err != nil {
			return done // with a border of glyphs
		}
		return tea.Sequence(tea.Raw(border.data), func() tea.Msg { return done })()
	}
}

func (v *RegionView) setBorder(border *Image, on image.Rectangle) tea.Cmd {
	if v.closed {
		return border.Delete()
	}
	old := v.images[2]
	v.images[2], v.framed = border, on
	return old.Delete()
}

func (v *RegionView) onPixels(rect image.Rectangle) image.Rectangle {
	rect = rect.Intersect(image.Rectangle{Max: v.size})
	if rect.Empty() || v.pixels[0] == nil {
		return image.Rectangle{}
	}
	return Scaled(rect, v.size, v.pixels[0].Rect.Size())
}

// handleSide returns the side of a handle in pixels of the images.
func (v *RegionView) handleSide() int { return max(3, v.pixels[0].Rect.Dy()/v.area.Dy()/2) }

// handleBox returns handle h of a rectangle in pixels of the images; empty if there is no room.
func (v *RegionView) handleBox(h int, on image.Rectangle) image.Rectangle {
	side, at := v.handleSide(), handles[h].side
	if h == 0 || min(on.Dx(), on.Dy()) < 4*side {
		return image.Rectangle{}
	}
	corner := on.Min.Add(image.Pt((at.X+1)*(on.Dx()-side)/2, (at.Y+1)*(on.Dy()-side)/2))
	return image.Rectangle{Min: corner, Max: corner.Add(image.Pt(side, side))}
}

// borderPixels composes the cells that the border of a rectangle and its handles cross; all cells
// for sixel, whose bands of six lines reach into the next row. The line is dashed, black and
// white, so that it is visible on any picture.
func (v *RegionView) borderPixels(on image.Rectangle, marked Handle) *image.RGBA {
	out := image.NewRGBA(v.pixels[0].Rect)
	inside, dash := on.Inset(max(1, out.Rect.Dy()/v.area.Dy()/8)), out.Rect.Dx()/v.area.Dx()
	for y := range v.area.Dy() {
		for x := range v.area.Dx() {
			cell := v.cellPixels(x, y)
			if v.o.Method != MethodSixel && (!cell.Overlaps(on) || cell.In(on.Inset(v.handleSide()))) {
				continue
			}
			draw.Draw(out, cell, v.pixels[1], cell.Min, draw.Src)
			line := cell.Intersect(on)
			for py := line.Min.Y; py < line.Max.Y; py++ {
				for px := line.Min.X; px < line.Max.X; px++ {
					out.SetRGBA(px, py, dashes[(px+py)/dash%len(dashes)])
				}
			}
			bright := cell.Intersect(inside)
			draw.Draw(out, bright, v.pixels[0], bright.Min, draw.Src)
		}
	}
	for h := range handles {
		if marked == NoHandle {
			break
		}
		box, fill := v.handleBox(h, on), dashes[0]
		if marked == 0 || marked == Handle(h) {
			fill = markedColor
		}
		draw.Draw(out, box, image.NewUniform(dashes[1]), image.Point{}, draw.Src)
		draw.Draw(out, box.Inset(1), image.NewUniform(fill), image.Point{}, draw.Src)
	}
	return out
}

var (
	dashes      = [...]color.RGBA{{255, 255, 255, 255}, {0, 0, 0, 255}}
	markedColor = color.RGBA{255, 190, 60, 255}
)

// cellPixels returns the pixels of the images in a cell.
func (v *RegionView) cellPixels(x, y int) image.Rectangle {
	size, of := v.pixels[0].Rect.Size(), v.area.Size()
	return image.Rect(x*size.X/of.X, y*size.Y/of.Y, (x+1)*size.X/of.X, (y+1)*size.Y/of.Y)
}

// Delete deletes the pictures from the terminal, now or on arrival. It may return nil and is safe
// on nil. The view must not be used afterwards.
func (v *RegionView) Delete() tea.Cmd {
	if v == nil {
		return nil
	}
	v.closed = true
	images := v.images
	v.images = [3]*Image{}
	return tea.Batch(images[0].Delete(), images[1].Delete(), images[2].Delete())
}

// Waits reports whether Transmit has not switched to pixels yet, but may.
func (v *RegionView) Waits() bool { return v.images[0] == nil && v.o.Method.Pixels() && !v.closed }

// Render draws a frame with rect, in pixels of the picture: the outside is darkened, with a border
// along rect. rect is clipped to the picture; an empty one marks nothing.
func (v *RegionView) Render(rect image.Rectangle) []string {
	border := v.cells(rect)
	line := make([]cell, v.area.Dx())
	return frame(v.cols, v.rows, v.area, func(y int) []byte {
		if v.images[0] != nil && (border.Empty() || v.images[2] != nil || v.busy) {
			return v.placeholders(y, !border.Empty() && v.images[2] != nil)
		}
		for x := range line {
			line[x] = v.cell(image.Pt(x, y), border)
		}
		return encode(nil, line)
	})
}

func (v *RegionView) placeholders(y int, framed bool) []byte {
	inside := v.framed.Inset(v.handleSide())
	of := func(x int) *Image {
		switch cell := v.cellPixels(x, y); {
		case !framed || cell.In(inside):
			return v.images[0]
		case cell.Overlaps(v.framed):
			return v.images[2]
		}
		return v.images[1]
	}
	var b []byte
	for x := 0; x < v.area.Dx(); {
		i, end := of(x), x+1
		for end < v.area.Dx() && of(end) == i {
			end++
		}
		b = i.appendCells(b, x, end, y)
		x = end
	}
	return b
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

func (v *RegionView) cell(c image.Point, border image.Rectangle) cell {
	i := c.Y*v.area.Dx() + c.X
	switch {
	case border.Empty():
		return v.bright[i]
	case !c.In(border):
		return v.dark[i]
	}
	if g := borderGlyph(c, border); g != 0 {
		if at, size := v.Handle.side(), border.Size().Sub(image.Pt(1, 1)); v.Handle > 0 &&
			c == border.Min.Add(image.Pt((at.X+1)*size.X/2, (at.Y+1)*size.Y/2)) {
			g = '■'
		}
		return cell{glyph: g, fg: v.ink, bg: v.dark[i].bg}
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

// Handle is the part of a rectangle that arrow keys move: 0 for all of it, then corners and sides
// clockwise from the upper left.
type Handle int

// Handles is the number of handles, NoHandle none of them.
const Handles, NoHandle = Handle(len(handles)), Handle(-1)

var handles = [...]struct {
	words string
	side  image.Point // -1 left or top, 1 right or bottom, 0 neither
}{
	{"all of it", image.Pt(0, 0)},
	{"the upper left corner", image.Pt(-1, -1)},
	{"the upper edge", image.Pt(0, -1)},
	{"the upper right corner", image.Pt(1, -1)},
	{"the right edge", image.Pt(1, 0)},
	{"the lower right corner", image.Pt(1, 1)},
	{"the lower edge", image.Pt(0, 1)},
	{"the lower left corner", image.Pt(-1, 1)},
	{"the left edge", image.Pt(-1, 0)},
}

// String names the handle, such as "upper left corner".
func (g Handle) String() string { return handles[g].words }

func (g Handle) side() image.Point { return handles[max(0, g)].side }

// Next returns the handle by steps further, cyclically.
func (g Handle) Next(by int) Handle {
	n := len(handles)
	return Handle((int(g) + by + n) % n)
}

// Ratio is the locked proportion of a rectangle; the zero Ratio is free.
type Ratio struct{ W, H int }

// Locked reports whether a proportion is set.
func (r Ratio) Locked() bool { return r.W > 0 && r.H > 0 }

// height returns the height for a width, and width the width for a height; both at least 1.
func (r Ratio) height(w int) int { return scaled(w, r.H, r.W) }
func (r Ratio) width(h int) int  { return scaled(h, r.W, r.H) }

func scaled(n, by, of int) int {
	return max(1, int(math.Round(float64(n)*float64(by)/float64(of))))
}

// Moved moves the handle of a rectangle within a picture of a size. It stops at the border and
// keeps at least one pixel. With a locked ratio the other side follows.
func (g Handle) Moved(rect image.Rectangle, d, size image.Point, lock Ratio) image.Rectangle {
	side := g.side()
	if side == (image.Point{}) {
		d.X = clamp(d.X, -rect.Min.X, size.X-rect.Max.X)
		d.Y = clamp(d.Y, -rect.Min.Y, size.Y-rect.Max.Y)
		return rect.Add(d)
	}
	was := rect
	rect.Min.X, rect.Max.X = stretched(rect.Min.X, rect.Max.X, side.X, d.X, size.X)
	rect.Min.Y, rect.Max.Y = stretched(rect.Min.Y, rect.Max.Y, side.Y, d.Y, size.Y)
	if !lock.Locked() || rect == was {
		return rect
	}
	return lock.follow(rect, side, size, rect.Dx() != was.Dx())
}

func stretched(from, to, side, by, limit int) (newFrom, newTo int) {
	switch side {
	case -1:
		return clamp(from+by, 0, to-1), to
	case 1:
		return from, clamp(to+by, from+1, limit)
	}
	return from, to
}

// follow applies the ratio to a rectangle. The opposite corner stays; byWidth keeps the width.
func (r Ratio) follow(rect image.Rectangle, side, size image.Point, byWidth bool) image.Rectangle {
	w, h := rect.Dx(), rect.Dy()
	if byWidth {
		h = r.height(w)
	} else {
		w = r.width(h)
	}
	room := image.Pt(size.X-rect.Min.X, size.Y-rect.Min.Y)
	if side.X < 0 {
		room.X = rect.Max.X
	}
	if side.Y < 0 {
		room.Y = rect.Max.Y
	}
	if w > room.X {
		w, h = room.X, r.height(room.X)
	}
	if h > room.Y {
		w, h = min(r.width(room.Y), room.X), room.Y
	}
	if side.X < 0 {
		rect.Min.X = rect.Max.X - w
	}
	if side.Y < 0 {
		rect.Min.Y = rect.Max.Y - h
	}
	return image.Rectangle{Min: rect.Min, Max: rect.Min.Add(image.Pt(w, h))}
}

// Centered centers a rectangle in the picture; an empty one gets half its width and height.
func Centered(rect image.Rectangle, size image.Point) image.Rectangle {
	if rect.Empty() {
		rect = image.Rect(0, 0, max(1, size.X/2), max(1, size.Y/2))
	}
	at := image.Pt((size.X-rect.Dx())/2, (size.Y-rect.Dy())/2)
	return image.Rectangle{Min: at, Max: at.Add(rect.Size())}
}
