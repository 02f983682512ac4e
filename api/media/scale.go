package media

import (
	"context"
	"image"

	"golang.org/x/image/draw"
)

// Scale scales the part cut of a picture to a size, by a Catmull-Rom kernel. Width
// and height are scaled one after the other, in strips: the library's scaler for
// both at once keeps 32 bytes for each pixel between the two steps (1 GB from
// 8000 × 8000 to 4000 × 4000), this one 4. For its memory see [ScaleCost].
func Scale(ctx context.Context, img *image.NRGBA, cut image.Rectangle, to image.Point) (*image.NRGBA, error) {
	// The order that keeps less between the two steps.
	between := image.Pt(to.X, cut.Dy())
	if to.X*cut.Dy() > cut.Dx()*to.Y {
		between = image.Pt(cut.Dx(), to.Y)
	}
	half, err := stretch(ctx, img, cut, between)
	if err != nil {
		return nil, err
	}
	out, err := stretch(ctx, half, half.Rect, to)
	if err != nil {
		return nil, err
	}
	return straight(out), nil
}

// stretch scales to a size that has the width or the height of cut.
func stretch(ctx context.Context, img image.Image, cut image.Rectangle, to image.Point) (*image.RGBA, error) {
	out := image.NewRGBA(image.Rectangle{Max: to})
	if to.Y == cut.Dy() {
		return out, Strips(ctx, max(to.X, cut.Dx()), to.Y, func(from, end int) error {
			part := image.Rect(cut.Min.X, cut.Min.Y+from, cut.Max.X, cut.Min.Y+end)
			draw.CatmullRom.Scale(out, image.Rect(0, from, to.X, end), img, part, draw.Src, nil)
			return nil
		})
	}
	return out, Strips(ctx, max(to.Y, cut.Dy()), to.X, func(from, end int) error {
		part := image.Rect(cut.Min.X+from, cut.Min.Y, cut.Min.X+end, cut.Max.Y)
		draw.CatmullRom.Scale(out, image.Rect(from, 0, end, to.Y), img, part, draw.Src, nil)
		return nil
	})
}

// straight turns premultiplied alpha into straight alpha, in the same memory.
func straight(img *image.RGBA) *image.NRGBA {
	out := &image.NRGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}
	if img.Opaque() {
		return out
	}
	for p := out.Pix; len(p) >= 4; p = p[4:] {
		if a := uint32(p[3]); a > 0 && a < 255 {
			for i, v := range p[:3] {
				p[i] = uint8(min(255, (uint32(v)*255+a/2)/a))
			}
		}
	}
	return out
}

// FitSize is the size of a picture when neither side is longer than most.
func FitSize(size image.Point, most int) image.Point {
	long := max(size.X, size.Y)
	if long <= most {
		return size
	}
	side := func(n int) int { return max(1, (n*most+long/2)/long) }
	return image.Pt(side(size.X), side(size.Y))
}

// CoverCut is the middle part of a picture that has the proportions of to.
func CoverCut(size, to image.Point) image.Rectangle {
	cut := image.Rectangle{Max: size}
	if size.X*to.Y > size.Y*to.X { // too wide
		width := max(1, size.Y*to.X/to.Y)
		cut.Min.X = (size.X - width) / 2
		cut.Max.X = cut.Min.X + width
	} else {
		height := max(1, size.X*to.Y/to.X)
		cut.Min.Y = (size.Y - height) / 2
		cut.Max.Y = cut.Min.Y + height
	}
	return cut
}
