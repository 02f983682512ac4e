package picture

import (
	"context"
	"image"
)

// Picture is a decoded picture, upright and reduced to what a terminal can show.
// Its sizes and rectangles are those of the whole, unreduced picture. It does not
// change and is safe for concurrent use.
type Picture struct {
	// pix holds the reduced pixels of the whole picture, upright.
	pix *image.RGBA
	// full is the upright size of the whole picture.
	full image.Point
	// window is the part that is shown, in pixels of the whole picture.
	window      image.Rectangle
	orientation Orientation
	alpha       bool
	// rough: the file has more detail than pix, though Side would allow it.
	rough bool
	// converted: another program made it, which takes long.
	converted bool
}

// New makes a picture from an image in memory, which is turned as o says and is
// not kept.
func New(img image.Image, o Orientation) *Picture {
	p, err := newPicture(context.Background(), img, img.Bounds(), o, defaultSide)
	if err != nil {
		// Only an ended context stops the work, and this one has no end.
		return &Picture{pix: image.NewRGBA(image.Rectangle{}), orientation: Normal}
	}
	return p
}

func newPicture(ctx context.Context, img image.Image, full image.Rectangle, o Orientation, side int) (*Picture, error) {
	small, err := reduce(ctx, img, full, side)
	if err != nil {
		return nil, err
	}
	alpha := !small.Opaque()
	size := o.Upright(full.Size())
	return &Picture{
		pix: turn(small, o), full: size, window: image.Rectangle{Max: size},
		orientation: o.valid(), alpha: alpha,
	}, nil
}

// Size is the size of the picture as shown, in pixels; of a crop, the size of the
// crop.
func (p *Picture) Size() image.Point { return p.window.Size() }

// Stored is the size of the whole picture as stored, before it is turned upright.
func (p *Picture) Stored() image.Point { return p.orientation.Upright(p.full) }

// Orientation is how the stored picture was turned to stand upright.
func (p *Picture) Orientation() Orientation { return p.orientation }

// HasAlpha reports whether any pixel is not fully opaque.
func (p *Picture) HasAlpha() bool { return p.alpha }

// Crop is the part of p inside rect, which is in pixels of p as shown. What lies
// outside of p is left out; the rest shares the pixels of p.
func Crop(p *Picture, rect image.Rectangle) *Picture {
	c := *p
	c.window = rect.Add(p.window.Min).Intersect(p.window)
	return &c
}

// bytes is the memory that the pixels take.
func (p *Picture) bytes() int64 { return int64(len(p.pix.Pix)) }

// turn makes a stored image upright.
func turn(src *image.RGBA, o Orientation) *image.RGBA {
	if !o.Turned() {
		return src
	}
	stored := src.Bounds().Size()
	dst := image.NewRGBA(image.Rectangle{Max: o.Upright(stored)})
	// One step to the right or down in dst is a constant step in src.
	origin := pixelAt(o, stored, 0, 0)
	right := pixelAt(o, stored, 1, 0).Sub(origin)
	down := pixelAt(o, stored, 0, 1).Sub(origin)
	stepX := right.X*4 + right.Y*src.Stride
	for y := range dst.Rect.Max.Y {
		from := origin.Add(down.Mul(y))
		i := from.X*4 + from.Y*src.Stride
		j := y * dst.Stride
		for range dst.Rect.Max.X {
			copy(dst.Pix[j:j+4], src.Pix[i:i+4])
			i += stepX
			j += 4
		}
	}
	return dst
}

// pixelAt is where the pixel x, y of the picture as shown is stored.
func pixelAt(o Orientation, stored image.Point, x, y int) image.Point {
	return ToStored(o, stored, image.Rect(x, y, x+1, y+1)).Min
}
