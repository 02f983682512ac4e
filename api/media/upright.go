package media

import (
	"context"
	"image"
	"image/draw"
)

// upright converts the part full of an image to 8 bits per channel with straight alpha,
// turned according to o. It may return or reuse img.
func upright(ctx context.Context, img image.Image, full image.Rectangle, o Orientation) (*image.NRGBA, error) {
	if img.Bounds() == full && full.Min == (image.Point{}) && !o.Turned() {
		switch img := img.(type) {
		case *image.NRGBA:
			return img, nil
		case *image.RGBA:
			return straight(img), nil
		}
	}
	stored := full.Size()
	out := image.NewNRGBA(image.Rectangle{Max: o.Upright(stored)})
	w := stored.X
	err := Strips(ctx, w, stored.Y, func(from, to int) error {
		var strip *image.NRGBA
		if o.Turned() {
			strip = image.NewNRGBA(image.Rect(0, 0, w, to-from))
		} else {
			strip = out.SubImage(image.Rect(0, from, w, to)).(*image.NRGBA)
		}
		var dst draw.Image = strip
		switch img.(type) {
		case *image.YCbCr, *image.Gray, *image.CMYK:
			// These images are opaque, so premultiplied alpha gives the same result, and
			// package draw has a fast path for it.
			dst = &image.RGBA{Pix: strip.Pix, Stride: strip.Stride, Rect: strip.Rect}
		}
		draw.Draw(dst, strip.Rect, img, full.Min.Add(image.Pt(0, from)), draw.Src)
		if o.Turned() {
			turnPixels(out.Pix, out.Stride, stored, o, strip.Pix, strip.Stride, from, to)
		}
		return nil
	})
	return out, err
}

// turn is Turn for premultiplied alpha.
func turn(src *image.RGBA, o Orientation) *image.RGBA {
	return (*image.RGBA)(Turn((*image.NRGBA)(src), o))
}

// Turn returns a stored image upright. It may return src.
func Turn(src *image.NRGBA, o Orientation) *image.NRGBA {
	if !o.Turned() {
		return src
	}
	stored := src.Rect.Size()
	dst := image.NewNRGBA(image.Rectangle{Max: o.Upright(stored)})
	turnPixels(dst.Pix, dst.Stride, stored, o, src.Pix, src.Stride, 0, stored.Y)
	return dst
}

// turnPixels copies the lines from..to of a picture of the size stored to the upright
// picture dst. src begins with the line from. A pixel has 4 bytes.
func turnPixels(dst []uint8, dstStride int, stored image.Point, o Orientation, src []uint8, srcStride, from, to int) {
	place := func(x, y int) int {
		p := ToDisplay(o, stored, image.Rect(x, y, x+1, y+1)).Min
		return p.Y*dstStride + 4*p.X
	}
	// One step to the right in the stored picture is a constant step in dst.
	step := 0
	if stored.X > 1 {
		step = place(1, 0) - place(0, 0)
	}
	for y := from; y < to; y++ {
		j := place(0, y)
		for i := (y - from) * srcStride; i < (y-from)*srcStride+4*stored.X; i += 4 {
			copy(dst[j:j+4], src[i:i+4])
			j += step
		}
	}
}
