package picture

import (
	"context"
	"image"
	"os"

	"mediadesk/api/media"
)

// Picture is a decoded picture, upright and reduced. Its sizes and rectangles are in pixels
// of the full picture. It is immutable and safe for concurrent use.
type Picture struct {
	// pix holds the reduced pixels, upright.
	pix *image.RGBA
	// full is the upright size of the full picture.
	full image.Point
	// window is the visible part, in pixels of the full picture.
	window      image.Rectangle
	orientation media.Orientation
	alpha       bool
	// rough reports that the file has more detail than pix, even within Limits.Side.
	rough bool
	// converted reports that another program produced the picture, which is slow.
	converted bool
}

// New returns a picture from img, turned according to o. It does not retain img.
func New(img image.Image, o media.Orientation) *Picture { return shown(media.New(img, o)) }

// DecodeFile decodes a regular file; see [media.DecodeFile].
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

// shown returns a decoded picture with all of it visible.
func shown(p *media.Picture) *Picture {
	return &Picture{
		pix: p.Pixels, full: p.Size, window: image.Rectangle{Max: p.Size}, orientation: p.Orientation,
		alpha: !p.Pixels.Opaque(), rough: p.Rough, converted: p.Converted,
	}
}

// Size returns the size of the visible part in pixels.
func (p *Picture) Size() image.Point { return p.window.Size() }

// Stored returns the size as stored, before turning it upright.
func (p *Picture) Stored() image.Point { return p.orientation.Upright(p.full) }

// Orientation returns the orientation of the stored picture.
func (p *Picture) Orientation() media.Orientation { return p.orientation }

// HasAlpha reports whether any pixel is not fully opaque.
func (p *Picture) HasAlpha() bool { return p.alpha }

// Crop returns the part of p inside rect, in pixels of p. It shares the pixels of p.
func Crop(p *Picture, rect image.Rectangle) *Picture {
	c := *p
	c.window = rect.Add(p.window.Min).Intersect(p.window)
	return &c
}

// bytes returns the memory of the pixels.
func (p *Picture) bytes() int64 { return int64(len(p.pix.Pix)) }
