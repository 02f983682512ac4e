package picture

import (
	"context"
	"image"
	"os"

	"mediadesk/api/media"
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
	orientation media.Orientation
	alpha       bool
	// rough: the file has more detail than pix, though Side would allow it.
	rough bool
	// converted: another program made it, which takes long.
	converted bool
}

// New makes a picture from an image in memory, which is turned as o says and is
// not kept.
func New(img image.Image, o media.Orientation) *Picture { return shown(media.New(img, o)) }

// DecodeFile decodes the picture in a regular file, see [media.DecodeFile].
func DecodeFile(ctx context.Context, path string, limits media.Limits) (*Picture, error) {
	f, _, err := media.OpenFile(path)
	if err != nil {
		return nil, media.WithPath(path, err)
	}
	defer func() { _ = f.Close() }()
	return decodeFile(ctx, f, limits)
}

func decodeFile(ctx context.Context, f *os.File, limits media.Limits) (*Picture, error) {
	p, err := media.DecodeFile(ctx, f, limits)
	if err != nil {
		return nil, err
	}
	return shown(p), nil
}

// shown is a decoded picture of which all is shown.
func shown(p *media.Picture) *Picture {
	return &Picture{
		pix: p.Pixels, full: p.Size, window: image.Rectangle{Max: p.Size}, orientation: p.Orientation,
		alpha: !p.Pixels.Opaque(), rough: p.Rough, converted: p.Converted,
	}
}

// Size is the size of the picture as shown, in pixels; of a crop, the size of the
// crop.
func (p *Picture) Size() image.Point { return p.window.Size() }

// Stored is the size of the whole picture as stored, before it is turned upright.
func (p *Picture) Stored() image.Point { return p.orientation.Upright(p.full) }

// Orientation is how the stored picture was turned to stand upright.
func (p *Picture) Orientation() media.Orientation { return p.orientation }

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
