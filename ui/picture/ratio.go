package picture

import (
	"image"
	"math"
	"strconv"

	"mediadesk/api/media"
)

// String returns the ratio, such as "4:3".
func (r Ratio) String() string {
	if !r.Locked() {
		return "free"
	}
	return strconv.Itoa(r.W) + ":" + strconv.Itoa(r.H)
}

// Turned returns the ratio with width and height swapped.
func (r Ratio) Turned() Ratio { return Ratio{r.H, r.W} }

// Ratios are the most common ratios of pictures.
var Ratios = []Ratio{{1, 1}, {4, 3}, {3, 2}, {16, 9}}

// Largest returns the largest centered rectangle of the ratio; all of the picture if the ratio is
// free.
func (r Ratio) Largest(size image.Point) image.Rectangle {
	if !r.Locked() || size.X < 1 || size.Y < 1 {
		return image.Rectangle{Max: size}
	}
	return Centered(image.Rectangle{Max: r.within(size)}, size)
}

func (r Ratio) within(room image.Point) image.Point {
	if h := r.height(room.X); h <= room.Y {
		return image.Pt(room.X, h)
	}
	return image.Pt(min(r.width(room.Y), room.X), room.Y)
}

// Apply gives a rectangle the ratio, keeping its center and about its area, within the picture.
func (r Ratio) Apply(rect image.Rectangle, size image.Point) image.Rectangle {
	if !r.Locked() || rect.Empty() {
		return rect
	}
	area := float64(rect.Dx()) * float64(rect.Dy())
	w := max(1, int(math.Round(math.Sqrt(area*float64(r.W)/float64(r.H)))))
	want := image.Pt(w, r.height(w))
	if want.X > size.X || want.Y > size.Y {
		want = r.within(image.Pt(min(want.X, size.X), min(want.Y, size.Y)))
	}
	return around(rect, want, size)
}

// Grown grows a rectangle around its center by pixels, or shrinks it if by is negative. It keeps at
// least one pixel, and a locked ratio.
func Grown(rect image.Rectangle, by, size image.Point, lock Ratio) image.Rectangle {
	if rect.Empty() {
		return rect
	}
	want := image.Pt(clamp(rect.Dx()+by.X, 1, size.X), clamp(rect.Dy()+by.Y, 1, size.Y))
	if lock.Locked() {
		want = image.Pt(want.X, lock.height(want.X))
		if want.Y > size.Y {
			want = lock.within(size)
		}
	}
	return around(rect, want, size)
}

// Drawn returns the rectangle between two corners. With a locked ratio the longer side decides,
// within the picture.
func (r Ratio) Drawn(from, to, size image.Point) image.Rectangle {
	rect := image.Rectangle{Min: from, Max: to}.Canon().Intersect(image.Rectangle{Max: size})
	if !r.Locked() || rect.Empty() {
		return rect
	}
	side := image.Pt(1, 1)
	if to.X < from.X {
		side.X = -1
	}
	if to.Y < from.Y {
		side.Y = -1
	}
	return r.follow(rect, side, size, rect.Dx()*r.H >= rect.Dy()*r.W)
}

// around returns a rectangle of another size around the center of rect, moved into the picture.
func around(rect image.Rectangle, want, size image.Point) image.Rectangle {
	at := image.Pt(
		clamp((rect.Min.X+rect.Max.X-want.X)/2, 0, size.X-want.X),
		clamp((rect.Min.Y+rect.Max.Y-want.Y)/2, 0, size.Y-want.Y),
	)
	return image.Rectangle{Min: at, Max: at.Add(want)}
}

// Scaled scales a rectangle from one picture size to another.
func Scaled(rect image.Rectangle, from, to image.Point) image.Rectangle {
	if from.X < 1 || from.Y < 1 || to.X < 1 || to.Y < 1 {
		return image.Rectangle{}
	}
	x0, x1 := spanned(rect.Min.X, rect.Max.X, from.X, to.X)
	y0, y1 := spanned(rect.Min.Y, rect.Max.Y, from.Y, to.Y)
	return image.Rect(x0, y0, x1, y1)
}

func spanned(a, b, from, to int) (int, int) {
	at := func(v int) int { return int(math.Round(float64(v) * float64(to) / float64(from))) }
	a = clamp(at(a), 0, to-1)
	return a, clamp(at(b), a+1, to)
}

// Suggest returns up to most parts worth cropping to, best first; see [media.Suggest]. It
// takes a few milliseconds.
func (p *Picture) Suggest(lock Ratio, most int) []image.Rectangle {
	list := media.Suggest(p.full.Pixels, image.Pt(lock.W, lock.H), most)
	for i, part := range list {
		list[i] = lock.Apply(Scaled(part, p.full.Pixels.Rect.Size(), p.full.Size), p.full.Size)
	}
	return list
}
