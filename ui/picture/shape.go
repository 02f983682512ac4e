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

// within returns the largest size of the ratio that fits.
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

// thirds are the crossings of the lines of thirds, clockwise.
var thirds = [...]image.Point{{1, 1}, {2, 1}, {2, 2}, {1, 2}}

// Third moves the center of a rectangle to the next crossing of thirds, clockwise, as close
// as the border allows. From any other position it moves to the upper left one.
func Third(rect image.Rectangle, size image.Point) image.Rectangle {
	if rect.Empty() {
		return rect
	}
	next := 0
	for i, t := range thirds {
		if around(image.Rectangle{Min: crossing(t, size), Max: crossing(t, size)}, rect.Size(), size) == rect {
			next = (i + 1) % len(thirds)
		}
	}
	// A large rectangle may be in the same place for several crossings.
	for i := range thirds {
		c := crossing(thirds[(next+i)%len(thirds)], size)
		if to := around(image.Rectangle{Min: c, Max: c}, rect.Size(), size); to != rect {
			return to
		}
	}
	return rect
}

func crossing(t, size image.Point) image.Point {
	return image.Pt(size.X*t.X/3, size.Y*t.Y/3)
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

var (
	// lower and left are filled by 1 to 7 eighths.
	lower = [...]rune{'▁', '▂', '▃', '▄', '▅', '▆', '▇'}
	left  = [...]rune{'▏', '▎', '▍', '▌', '▋', '▊', '▉'}
	// quadrants are upper left, upper right, lower left, lower right. Three quadrants are one with
	// swapped colors.
	quadrants = [...]rune{'▘', '▝', '▖', '▗'}
)

const (
	diagonal  = '▚' // upper left and lower right
	upperHalf = '▀'
)

// sextants and octants are glyphs by mask: bit 0 is the upper left part, bit 1 the upper right one,
// and so on. For zero the complement is drawn with swapped colors.
var (
	sextants = sextantGlyphs()
	octants  = octantGlyphs()
)

func sextantGlyphs() (glyphs [64]rune) {
	next := rune(0x1fb00)
	for mask := 1; mask < 63; mask++ {
		// The half blocks are older characters.
		if mask == 0b010101 || mask == 0b101010 {
			continue
		}
		glyphs[mask] = next
		next++
	}
	glyphs[0b010101], glyphs[0b101010] = '▌', '▐'
	return glyphs
}

func octantGlyphs() (glyphs [256]rune) {
	// Characters older than octants: quadrants by four bits, and quarters of the height.
	older := map[int]rune{0b11: '🮂', 0b11000000: '▂', 0b11111100: '▆', 0b00111111: '🮅'}
	quadrant := [16]rune{' ', '▘', '▝', '▀', '▖', '▌', '▞', '▛', '▗', '▚', '▐', '▜', '▄', '▙', '▟', '█'}
	for q, glyph := range quadrant {
		mask := 0
		for i, part := range [...]int{0b0101, 0b1010, 0b01010000, 0b10100000} {
			if q>>i&1 != 0 {
				mask |= part
			}
		}
		older[mask] = glyph
	}
	// Six are elsewhere in Unicode and often missing in terminals.
	odd := map[int]bool{1: true, 2: true, 1 << 6: true, 1 << 7: true, 0b010100: true, 0b101000: true}
	next := rune(0x1cd00)
	for mask := range glyphs {
		switch glyph, is := older[mask]; {
		case is:
			glyphs[mask] = glyph
		case !odd[mask]:
			glyphs[mask] = next
			next++
		}
	}
	return glyphs
}
