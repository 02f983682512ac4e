package media

import (
	"bytes"
	"context"
	"image"
	"io"
)

const (
	maxSegment   = 1 << 16 // bytes; EXIF data fits in one JPEG segment
	maxThumbnail = 1024    // pixels per side
	// thumbnailCost is the memory for the largest thumbnail, as a progressive JPEG and then in RGBA.
	thumbnailCost = (15 + 2*4) * maxThumbnail * maxThumbnail
)

// Thumbnail returns the thumbnail in the metadata of a JPEG, upright and in the proportions
// of the picture; nil if none is usable.
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

// unbarred returns the part of a thumbnail that has the proportions of the picture, without
// the black bars that cameras add.
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

// decodeSafe decodes a thumbnail. It returns a panic of the decoder as an error.
func (f *format) decodeSafe(data []byte) (img image.Image, err error) {
	defer recoverTo(&err, f.name)
	config, err := f.config(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if config.Width > maxThumbnail || config.Height > maxThumbnail {
		return nil, errTooFar // too large for a thumbnail
	}
	return f.decode(bytes.NewReader(data))
}
