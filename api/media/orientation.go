package media

import "image"

// Orientation is the EXIF orientation of a stored picture, 1 to 8: how it must be
// turned or mirrored to stand upright. Zero and any other value mean 1.
type Orientation int

// Normal is the orientation of a picture that is stored upright.
const Normal Orientation = 1

// valid returns o, or Normal where o is not a value of EXIF.
func (o Orientation) valid() Orientation {
	if o < 1 || o > 8 {
		return Normal
	}
	return o
}

// Turned reports whether the stored picture differs from what is shown.
func (o Orientation) Turned() bool { return o.valid() != Normal }

// Swapped reports whether width and height change places when shown.
func (o Orientation) Swapped() bool { return o.valid() >= 5 }

// String describes what is done to the stored picture to show it.
func (o Orientation) String() string {
	return [...]string{
		"upright", "mirrored", "turned by 180°", "mirrored top to bottom",
		"mirrored and turned left", "turned right", "mirrored and turned right", "turned left",
	}[o.valid()-1]
}

// Upright is the size at which a picture of this stored size is shown.
func (o Orientation) Upright(stored image.Point) image.Point {
	if o.Swapped() {
		return image.Pt(stored.Y, stored.X)
	}
	return stored
}

// inverse is the orientation that undoes o; all but the quarter turns undo
// themselves.
func (o Orientation) inverse() Orientation {
	switch o = o.valid(); o {
	case 6:
		return 8
	case 8:
		return 6
	default:
		return o
	}
}

// ToStored maps a rectangle of the picture as shown to the pixels of the picture
// as stored, whose size is stored. Rectangles inside stay inside; nothing is
// clamped.
func ToStored(o Orientation, stored image.Point, display image.Rectangle) image.Rectangle {
	x, y, w, h := display.Min.X, display.Min.Y, display.Dx(), display.Dy()
	sw, sh := stored.X, stored.Y
	var p image.Point
	switch o.valid() {
	case 2:
		p = image.Pt(sw-x-w, y)
	case 3:
		p = image.Pt(sw-x-w, sh-y-h)
	case 4:
		p = image.Pt(x, sh-y-h)
	case 5:
		p = image.Pt(y, x)
	case 6:
		p = image.Pt(y, sh-x-w)
	case 7:
		p = image.Pt(sw-y-h, sh-x-w)
	case 8:
		p = image.Pt(sw-y-h, x)
	default:
		p = image.Pt(x, y)
	}
	if o.Swapped() {
		w, h = h, w
	}
	return image.Rectangle{Min: p, Max: p.Add(image.Pt(w, h))}
}

// ToDisplay maps a rectangle of the stored picture, whose size is stored, to the
// picture as shown. It is the inverse of [ToStored].
func ToDisplay(o Orientation, stored image.Point, rect image.Rectangle) image.Rectangle {
	// Undoing a turn is itself a turn, of the upright picture.
	return ToStored(o.inverse(), o.Upright(stored), rect)
}
