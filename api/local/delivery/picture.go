package delivery

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"io"

	"golang.org/x/image/draw"

	"mediadesk/api"
	"mediadesk/api/local/media"
)

// CannotError says that no picture can be made of a content.
type CannotError struct{ Err error }

func (e *CannotError) Error() string { return e.Err.Error() }

// Unwrap gives the reason.
func (e *CannotError) Unwrap() error { return e.Err }

// Make makes the picture that is asked for and returns its bytes and type:
// PNG where it is transparent anywhere, else JPEG. The picture stands upright
// whatever its metadata say. region are the custom coordinates in pixels of
// the stored picture; empty: none.
func Make(ctx context.Context, content io.ReaderAt, size int64, mime string, a Asked, region string) ([]byte, string, error) {
	orientation := media.ReadShot(mime, content, size).Orientation
	picture, err := media.Decode(ctx, content, size, orientation)
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return nil, "", err
		}
		return nil, "", &CannotError{err}
	}
	defer picture.Release()
	img := picture.Image
	for _, s := range a.Steps {
		if s.Custom {
			img = crop(img, region, orientation)
		}
		if s.Fit > 0 {
			img = media.Fit(img, s.Fit)
		}
		img = resize(img, pixels(s.Width, img.Rect.Dx()), pixels(s.Height, img.Rect.Dy()))
	}
	return encode(ctx, img)
}

// pixels is a side that was asked for, of a picture whose side is full.
func pixels(asked float64, full int) int {
	if asked > 0 && asked < 1 {
		return min(maxSide, max(1, int(asked*float64(full)+0.5)))
	}
	return int(asked)
}

// crop cuts the region out. It counts pixels as they are stored, the picture
// here stands upright.
func crop(img *image.NRGBA, region string, orientation int) *image.NRGBA {
	r, err := api.ParseRegion(region)
	if err != nil {
		return img // without a region all of it is of interest
	}
	// Turning back swaps the sides again where turning did.
	w, h := media.UprightSize(img.Rect.Dx(), img.Rect.Dy(), orientation)
	cut := media.UprightRectangle(r.Rectangle(), w, h, orientation).Intersect(img.Rect)
	if cut.Empty() {
		return img
	}
	out := image.NewNRGBA(image.Rect(0, 0, cut.Dx(), cut.Dy()))
	draw.Draw(out, out.Rect, img, cut.Min, draw.Src)
	return out
}

// resize scales to a width or a height and keeps the sides' ratio; with both
// it fills them and cuts what is over at the edges.
func resize(img *image.NRGBA, w, h int) *image.NRGBA {
	srcW, srcH := img.Rect.Dx(), img.Rect.Dy()
	switch {
	case w == 0 && h == 0:
		return img
	case h == 0:
		return media.Scale(img, w, min(maxSide, max(1, (srcH*w+srcW/2)/srcW)))
	case w == 0:
		return media.Scale(img, min(maxSide, max(1, (srcW*h+srcH/2)/srcH)), h)
	}
	return media.Cover(img, w, h)
}

func encode(ctx context.Context, img *image.NRGBA) ([]byte, string, error) {
	if img.Opaque() {
		var b bytes.Buffer
		err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 85})
		return b.Bytes(), "image/jpeg", err
	}
	file, err := media.EncodePNG(ctx, img)
	return file, "image/png", err
}
