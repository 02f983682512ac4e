package details

import (
	"image"
	"math"

	"mediadesk/api"
	"mediadesk/ui/picture"
)

// plane is what the numbers of a region count in: the pixels of the stored
// picture, which may have to be turned to stand upright. Rectangles are moved as
// they are seen, upright.
type plane struct {
	size image.Point
	o    picture.Orientation
}

// planeOf finds the plane for a record and its picture, which may be nil; false
// where the size is not known.
func planeOf(f *api.File, p *picture.Picture) (plane, bool) {
	w, h, known := f.PixelSize()
	size := image.Pt(w, h)
	switch {
	case p == nil:
		return plane{size, picture.Normal}, known
	case !known:
		return plane{p.Stored(), p.Orientation()}, !p.Stored().Eq(image.Point{})
	case p.Orientation().Swapped() && size == p.Size() && size != p.Stored():
		// The service counts the pixels of the upright picture.
		return plane{size, picture.Normal}, true
	}
	return plane{size, p.Orientation()}, true
}

// upright is the size of the picture as it is seen.
func (p plane) upright() image.Point { return p.o.Upright(p.size) }

// seen is a region as a rectangle of the upright picture.
func (p plane) seen(r api.Region) image.Rectangle {
	return picture.ToDisplay(p.o, p.size, r.Rectangle())
}

// region is a rectangle of the upright picture as a region.
func (p plane) region(rect image.Rectangle) api.Region {
	return api.RegionOf(picture.ToStored(p.o, p.size, rect))
}

// grip is what of the rectangle the arrows move: 0 is all of it, then come the
// corners and edges, clockwise from the upper left corner.
type grip int

var grips = [...]struct {
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

func (g grip) String() string { return grips[g].words }

// next is the grip that many after this one, round the end.
func (g grip) next(by int) grip {
	n := len(grips)
	return grip((int(g) + by + n) % n)
}

// ratio is the proportion that a rectangle keeps; the zero ratio is none.
type ratio struct{ w, h int }

func (r ratio) locked() bool { return r.w > 0 && r.h > 0 }

// height is what belongs to a width, width what belongs to a height; both are
// at least 1.
func (r ratio) height(w int) int { return scaled(w, r.h, r.w) }
func (r ratio) width(h int) int  { return scaled(h, r.w, r.h) }

func scaled(n, by, of int) int {
	return max(1, int(math.Round(float64(n)*float64(by)/float64(of))))
}

// moved moves the grip of a rectangle within a picture of that size. What would
// leave the picture stops at its border, and the rectangle keeps at least one
// pixel. With a locked ratio the side that is not moved follows.
func (g grip) moved(rect image.Rectangle, d, size image.Point, lock ratio) image.Rectangle {
	side := grips[g].side
	if side == (image.Point{}) {
		d.X = clamp(d.X, -rect.Min.X, size.X-rect.Max.X)
		d.Y = clamp(d.Y, -rect.Min.Y, size.Y-rect.Max.Y)
		return rect.Add(d)
	}
	was := rect
	rect.Min.X, rect.Max.X = stretched(rect.Min.X, rect.Max.X, side.X, d.X, size.X)
	rect.Min.Y, rect.Max.Y = stretched(rect.Min.Y, rect.Max.Y, side.Y, d.Y, size.Y)
	if !lock.locked() || rect == was {
		return rect
	}
	return lock.follow(rect, side, size, rect.Dx() != was.Dx())
}

// stretched moves one end of a side.
func stretched(from, to, side, by, limit int) (newFrom, newTo int) {
	switch side {
	case -1:
		return clamp(from+by, 0, to-1), to
	case 1:
		return from, clamp(to+by, from+1, limit)
	}
	return from, to
}

// follow gives a rectangle the ratio. The corner opposite to the side that was
// moved stays; the width leads where byWidth says so.
func (r ratio) follow(rect image.Rectangle, side, size image.Point, byWidth bool) image.Rectangle {
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

// centred is a rectangle in the middle of the picture; an empty one becomes half
// as wide and high as it.
func centred(rect image.Rectangle, size image.Point) image.Rectangle {
	if rect.Empty() {
		rect = image.Rect(0, 0, max(1, size.X/2), max(1, size.Y/2))
	}
	at := image.Pt((size.X-rect.Dx())/2, (size.Y-rect.Dy())/2)
	return image.Rectangle{Min: at, Max: at.Add(rect.Size())}
}

func clamp(v, least, most int) int { return max(least, min(v, most)) }
