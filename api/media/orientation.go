package media

import (
	"image"
	"image/draw"
)

// Orientation is the EXIF orientation of a stored picture, 1 to 8: how to turn or mirror it
// upright. Zero and any other value mean 1.
type Orientation int

// Normal is the orientation of a picture that is stored upright.
const Normal Orientation = 1

func (o Orientation) valid() Orientation {
	if o < 1 || o > 8 {
		return Normal
	}
	return o
}

// Turned reports whether the picture as shown differs from the stored one.
func (o Orientation) Turned() bool { return o.valid() != Normal }

// Swapped reports whether width and height are swapped when shown.
func (o Orientation) Swapped() bool { return o.valid() >= 5 }

// String describes how the stored picture is transformed for display.
func (o Orientation) String() string {
	return [...]string{
		"upright", "mirrored", "turned by 180°", "mirrored top to bottom",
		"mirrored and turned left", "turned right", "mirrored and turned right", "turned left",
	}[o.valid()-1]
}

// Upright returns the size as shown of a picture with the given stored size.
func (o Orientation) Upright(stored image.Point) image.Point {
	if o.Swapped() {
		return image.Pt(stored.Y, stored.X)
	}
	return stored
}

// ToStored maps a rectangle of the picture as shown to pixels of the stored picture, whose
// size is stored. It does not clamp; a rectangle inside the picture stays inside.
func ToStored(o Orientation, stored image.Point, display image.Rectangle) image.Rectangle {
	p, size := display.Min, o.Upright(display.Size())
	if o.Swapped() {
		p = image.Pt(p.Y, p.X)
	}
	// Then it is mirrored left to right, top to bottom, or both.
	switch o {
	case 2, 3, 7, 8:
		p.X = stored.X - p.X - size.X
	}
	switch o {
	case 3, 4, 6, 7:
		p.Y = stored.Y - p.Y - size.Y
	}
	return image.Rectangle{Min: p, Max: p.Add(size)}
}

// ToDisplay maps a rectangle of the stored picture, whose size is stored, to the
// picture as shown. It is the inverse of [ToStored].
func ToDisplay(o Orientation, stored image.Point, rect image.Rectangle) image.Rectangle {
	inverse := o.valid()
	if inverse == 6 || inverse == 8 { // all but the quarter turns are their own inverse
		inverse = 14 - inverse
	}
	// Undoing a turn is itself a turn, of the upright picture.
	return ToStored(inverse, o.Upright(stored), rect)
}

// upright converts the part full of an image to 8 bits per channel with straight alpha,
// turned according to o. It may return or reuse img.
func upright(img image.Image, full image.Rectangle, o Orientation) *image.NRGBA {
	if img.Bounds() == full && full.Min == (image.Point{}) {
		switch img := img.(type) {
		case *image.NRGBA:
			return Turn(img, o)
		case *image.RGBA:
			return Turn(straight(img), o)
		}
	}
	out := image.NewNRGBA(image.Rectangle{Max: full.Size()})
	var dst draw.Image = out
	switch img.(type) {
	case *image.YCbCr, *image.Gray, *image.CMYK:
		// These images are opaque, so premultiplied alpha gives the same result, and
		// package draw has a fast path for it.
		dst = (*image.RGBA)(out)
	}
	draw.Draw(dst, out.Rect, img, full.Min, draw.Src)
	return Turn(out, o)
}

// turn is Turn for premultiplied alpha.
func turn(src *image.RGBA, o Orientation) *image.RGBA {
	return (*image.RGBA)(Turn((*image.NRGBA)(src), o))
}

// Turn returns a stored image upright. It may return src.
func Turn(src *image.NRGBA, o Orientation) *image.NRGBA {
	if !o.Turned() {
		return src
	}
	stored := src.Rect.Size()
	dst := image.NewNRGBA(image.Rectangle{Max: o.Upright(stored)})
	place := func(x, y int) int {
		p := ToDisplay(o, stored, image.Rect(x, y, x+1, y+1)).Min
		return p.Y*dst.Stride + 4*p.X
	}
	// One step to the right in the stored picture is a constant step in dst.
	step := 0
	if stored.X > 1 {
		step = place(1, 0) - place(0, 0)
	}
	for y := range stored.Y {
		j := place(0, y)
		for line := src.Pix[y*src.Stride:][:4*stored.X]; len(line) > 0; line = line[4:] {
			copy(dst.Pix[j:j+4], line[:4])
			j += step
		}
	}
	return dst
}
