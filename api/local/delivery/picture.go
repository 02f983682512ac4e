package delivery

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"io"

	"mediadesk/api"
	"mediadesk/api/media"
)

// CannotError says that no picture can be made of a content.
type CannotError struct{ Err error }

func (e *CannotError) Error() string { return media.Reason(e.Err) }

// Unwrap gives the reason.
func (e *CannotError) Unwrap() error { return e.Err }

// Make makes the picture that is asked for and returns its bytes and type:
// PNG where it is transparent anywhere, else JPEG. The picture stands upright
// whatever its metadata say. region are the custom coordinates in pixels of
// the stored picture; empty: none. What takes more memory than the budget of
// package media has is a [*CannotError].
func Make(ctx context.Context, content io.ReadSeeker, a Asked, region string) ([]byte, string, error) {
	var steps []step
	picture, err := media.DecodeFull(ctx, content, func(size image.Point, o media.Orientation) (cost int64, err error) {
		steps, cost, err = plan(a, size, o, region)
		return cost, err
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, "", err
		}
		return nil, "", &CannotError{err}
	}
	defer picture.Release()
	img := picture.Image
	for _, s := range steps {
		if img, err = s.do(ctx, img); err != nil {
			return nil, "", err
		}
	}
	return encode(ctx, img)
}

// step makes a picture of the size to from the part cut of another.
type step struct {
	cut image.Rectangle
	to  image.Point
}

func (s step) do(ctx context.Context, img *image.NRGBA) (*image.NRGBA, error) {
	if s.cut.Size() != s.to {
		return media.Scale(ctx, img, s.cut, s.to)
	}
	part := img.SubImage(s.cut).(*image.NRGBA) // an NRGBA's always is one
	part.Rect = image.Rectangle{Max: s.to}
	return part, nil
}

// plan says by which steps the picture is made that is asked for, and what they
// cost, before there is any pixel.
func plan(a Asked, size image.Point, o media.Orientation, region string) (steps []step, cost int64, err error) {
	for _, asked := range a.Steps {
		if asked.Custom {
			cut := crop(size, o, region)
			steps, size = append(steps, step{cut, cut.Size()}), cut.Size()
		}
		if asked.Fit > 0 {
			steps = append(steps, step{image.Rectangle{Max: size}, media.FitSize(size, asked.Fit)})
			size = steps[len(steps)-1].to
		}
		s := resize(size, pixels(asked.Width, size.X), pixels(asked.Height, size.Y))
		if s.to != size && max(s.to.X, s.to.Y) > maxSide {
			return nil, cost, fmt.Errorf("it would have %d × %d pixels, and no side may have more than %d", s.to.X, s.to.Y, maxSide)
		}
		steps, size = append(steps, s), s.to
	}
	for _, s := range steps {
		if s.cut.Size() != s.to {
			cost += media.ScaleCost(s.cut.Size(), s.to)
		}
	}
	return steps, cost + media.EncodeCost(size), nil
}

// pixels is a side that was asked for, of a picture whose side is full.
func pixels(asked float64, full int) int {
	if asked > 0 && asked < 1 {
		return max(1, int(asked*float64(full)+0.5))
	}
	return int(asked)
}

// crop is the region in a picture that stands upright and has that size. The region
// counts pixels as they are stored.
func crop(size image.Point, o media.Orientation, region string) image.Rectangle {
	all := image.Rectangle{Max: size}
	r, err := api.ParseRegion(region)
	if err != nil {
		return all // without a region, the picture itself
	}
	// Turning back swaps the sides again where turning did.
	cut := media.ToDisplay(o, o.Upright(size), r.Rectangle()).Intersect(all)
	if cut.Empty() {
		return all
	}
	return cut
}

// resize scales to a width or a height and keeps the ratio of the sides. With both it
// fills them and crops the rest.
func resize(size image.Point, w, h int) step {
	all := image.Rectangle{Max: size}
	switch {
	case w == 0 && h == 0:
		return step{all, size}
	case h == 0:
		return step{all, image.Pt(w, max(1, (size.Y*w+size.X/2)/size.X))}
	case w == 0:
		return step{all, image.Pt(max(1, (size.X*h+size.Y/2)/size.Y), h)}
	}
	return step{media.CoverCut(size, image.Pt(w, h)), image.Pt(w, h)}
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
