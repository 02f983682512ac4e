package media

import (
	"bytes"
	"context"
	"image"
	"io"
)

const (
	maxSegment   = 1 << 16 // bytes; EXIF has room for no more than a segment of JPEG
	maxThumbnail = 1024    // pixels of a side
	// thumbnailCost is the memory of the largest one, as a progressive JPEG and then in RGBA.
	thumbnailCost = (15 + 2*4) * maxThumbnail * maxThumbnail
)

// Thumbnail is the small picture in the metadata of a JPEG, upright and in the
// proportions of the whole; nil if there is none that can be used.
func Thumbnail(ctx context.Context, rs io.ReadSeeker, limits Limits) *Picture {
	limits = limits.orDefaults()
	h, shot, err := open(ctx, rs, limits)
	if err != nil || h.format.mime != "image/jpeg" || shot.thumbnail[1] < 4 || shot.thumbnail[1] > maxSegment {
		return nil
	}
	small := readAt(newSource(ctx, rs, maxHeader), shot.thumbnail[0], shot.thumbnail[1])
	release, err := limits.Budget.Reserve(ctx, thumbnailCost)
	if err != nil {
		return nil
	}
	defer release()
	img, err := h.format.decodeSafe(small)
	if err != nil {
		return nil
	}
	p, err := newPicture(ctx, img, unbarred(img.Bounds(), h.size), shot.Orientation, limits.Side)
	if err != nil {
		return nil
	}
	p.Size, p.Rough = shot.Orientation.Upright(h.size), true
	return p
}

// unbarred is the part of a thumbnail that has the proportions of the picture:
// cameras fill the rest with black bars.
func unbarred(thumb image.Rectangle, size image.Point) image.Rectangle {
	w, h := thumb.Dx(), thumb.Dy()
	if h > w*size.Y/size.X+1 {
		bar := (h - w*size.Y/size.X) / 2
		thumb.Min.Y, thumb.Max.Y = thumb.Min.Y+bar, thumb.Max.Y-bar
	} else if w > h*size.X/size.Y+1 {
		bar := (w - h*size.X/size.Y) / 2
		thumb.Min.X, thumb.Max.X = thumb.Min.X+bar, thumb.Max.X-bar
	}
	return thumb
}

// decodeSafe decodes a picture in memory. A panic of the decoder is an error.
func (f *format) decodeSafe(data []byte) (img image.Image, err error) {
	defer recoverTo(&err, f.name)
	config, err := f.config(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if config.Width > maxThumbnail || config.Height > maxThumbnail {
		return nil, errTooFar // no thumbnail, and it would take long
	}
	return f.decode(bytes.NewReader(data))
}
