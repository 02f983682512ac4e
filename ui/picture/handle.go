package picture

import (
	"image"
	"math"
)

// Handle is the part of a rectangle that arrow keys move: 0 for all of it, then corners and edges
// clockwise from the upper left.
type Handle int

// Handles is the number of handles.
const Handles = Handle(len(handles))

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

func (g Handle) side() image.Point { return handles[g].side }

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
