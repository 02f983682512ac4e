// Package picture draws images in terminal cells. Package media decodes files to a reduced size;
// [Render] draws a picture, [RegionView] a picture with a marked rectangle, and [Loader] a file,
// with a cache in memory. A terminal shows pixels by one of four protocols, see
// [Method]. Screens draw the same placeholder cells for all: each names an [Image] and its part.
// Terminals with Unicode placeholders draw them; for others a [Painter] sits between renderer and
// terminal.
package picture

import (
	"context"
	"image"
	"image/color"
	"os"

	"mediadesk/api/media"
)

// Picture is a decoded picture, upright and reduced. Its sizes and rectangles are in pixels
// of the full picture. It is immutable and safe for concurrent use.
type Picture struct {
	full   *media.Picture
	window image.Rectangle // the visible part
	alpha  bool
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

func shown(p *media.Picture) *Picture {
	return &Picture{p, image.Rectangle{Max: p.Size}, !p.Pixels.Opaque()}
}

// Size returns the size of the visible part in pixels.
func (p *Picture) Size() image.Point { return p.window.Size() }

// Stored returns the size as stored, before turning it upright.
func (p *Picture) Stored() image.Point { return p.full.Orientation.Upright(p.full.Size) }

// Orientation returns the orientation of the stored picture.
func (p *Picture) Orientation() media.Orientation { return p.full.Orientation }

// Crop returns the part of p inside rect, in pixels of p. It shares the pixels of p.
func Crop(p *Picture, rect image.Rectangle) *Picture {
	c := *p
	c.window = rect.Add(p.window.Min).Intersect(p.window)
	return &c
}

// framed returns p with a white line along the inside of rect and all outside of it darkened.
func (p *Picture) framed(rect image.Rectangle) *Picture {
	full, from := *p.full, p.full.Pixels
	full.Pixels = image.NewRGBA(from.Rect)
	on := Scaled(rect, full.Size, from.Rect.Size())
	inside := on.Inset(max(1, min(from.Rect.Dx(), from.Rect.Dy())/64))
	for y := range from.Rect.Dy() {
		for x := range from.Rect.Dx() {
			at, c := image.Pt(x, y), from.RGBAAt(x, y)
			switch {
			case at.In(inside):
			case at.In(on):
				c = color.RGBA{255, 255, 255, 255}
			default:
				c.R, c.G, c.B = dimmed(c.R), dimmed(c.G), dimmed(c.B)
			}
			full.Pixels.SetRGBA(x, y, c)
		}
	}
	return &Picture{&full, p.window, p.alpha}
}

func dimmed(c uint8) uint8 { return uint8(int(c) * dimLight / fullLight) }
