package media

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"golang.org/x/image/draw"
	"golang.org/x/sync/semaphore"
)

// MaxPixels is how large a picture may be to be decoded here. A picture of 35
// bytes can ask for gigabytes.
const MaxPixels = 64 << 20

// ErrTooLarge says that a picture has more pixels than are decoded here.
var ErrTooLarge = errors.New("the picture has too many pixels to be worked on here")

// decoders bounds how many pictures are in memory at a time, in pixels: one
// of the largest, or several small ones.
var decoders = semaphore.NewWeighted(MaxPixels)

// Picture is a decoded picture. Release it when it is not needed any more.
type Picture struct {
	Image   *image.NRGBA
	release func()
}

// Release gives the memory's share back.
func (p *Picture) Release() {
	if p.release != nil {
		p.release()
		p.release = nil
	}
}

// Decode decodes a picture and waits until there is room for it. Animated ones
// give their first frame. With an orientation other than 1 it is turned
// upright.
func Decode(ctx context.Context, r io.ReaderAt, size int64, orientation int) (*Picture, error) {
	config, format, err := image.DecodeConfig(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, fmt.Errorf("the picture cannot be decoded: %w", err)
	}
	if config.Width <= 0 || config.Height <= 0 {
		return nil, errors.New("the picture has no pixels")
	}
	pixels := int64(config.Width) * int64(config.Height)
	if pixels > MaxPixels {
		return nil, fmt.Errorf("%w: %d by %d (%s)", ErrTooLarge, config.Width, config.Height, format)
	}
	if err := decoders.Acquire(ctx, pixels); err != nil {
		return nil, err
	}
	p := &Picture{release: func() { decoders.Release(pixels) }}
	decoded, err := decode(io.NewSectionReader(r, 0, size))
	if err != nil {
		p.Release()
		return nil, fmt.Errorf("the picture cannot be decoded: %w", err)
	}
	if b := decoded.Bounds(); int64(b.Dx())*int64(b.Dy()) > pixels {
		p.Release()
		return nil, ErrTooLarge
	}
	upright, err := plain(ctx, decoded)
	if err != nil {
		p.Release()
		return nil, err
	}
	p.Image = Upright(upright, orientation)
	return p, nil
}

// decode calls the decoder and turns a panic of it into an error: pictures
// come from anywhere.
func decode(r io.Reader) (img image.Image, err error) {
	defer func() {
		if v := recover(); v != nil {
			img, err = nil, fmt.Errorf("the decoder failed: %v", v)
		}
	}()
	img, _, err = image.Decode(r)
	return img, err
}

// plain converts a picture to 8 bits per channel with its corner at 0,0.
func plain(ctx context.Context, img image.Image) (*image.NRGBA, error) {
	b := img.Bounds()
	if n, ok := img.(*image.NRGBA); ok && b.Min == (image.Point{}) {
		return n, nil
	}
	n := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	var to draw.Image = n
	switch img.(type) {
	case *image.YCbCr, *image.Gray, *image.CMYK:
		// Nothing of these is transparent, so that it is the same whether
		// alpha is multiplied in, for which there is a quick way.
		to = &image.RGBA{Pix: n.Pix, Stride: n.Stride, Rect: n.Rect}
	}
	err := Strips(ctx, b.Dx(), b.Dy(), func(from, until int) error {
		draw.Draw(to, image.Rect(0, from, b.Dx(), until), img, b.Min.Add(image.Pt(0, from)), draw.Src)
		return nil
	})
	return n, err
}

// Upright turns and mirrors a picture as an EXIF orientation asks for.
func Upright(img *image.NRGBA, orientation int) *image.NRGBA {
	if orientation < 2 || orientation > 8 {
		return img
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	outW, outH := UprightSize(w, h, orientation)
	out := image.NewNRGBA(image.Rect(0, 0, outW, outH))
	for y := range h {
		for x := range w {
			to := UprightPoint(image.Pt(x, y), w, h, orientation)
			copy(out.Pix[out.PixOffset(to.X, to.Y):][:4], img.Pix[img.PixOffset(x, y):][:4])
		}
	}
	return out
}

// UprightSize is the size of a picture of w by h pixels after turning.
func UprightSize(w, h, orientation int) (int, int) {
	if orientation >= 5 && orientation <= 8 {
		return h, w
	}
	return w, h
}

// UprightPoint is where the pixel p of a picture of w by h pixels comes to lie
// when it is turned upright.
func UprightPoint(p image.Point, w, h, orientation int) image.Point {
	switch orientation {
	case 2:
		return image.Pt(w-1-p.X, p.Y)
	case 3:
		return image.Pt(w-1-p.X, h-1-p.Y)
	case 4:
		return image.Pt(p.X, h-1-p.Y)
	case 5:
		return image.Pt(p.Y, p.X)
	case 6:
		return image.Pt(h-1-p.Y, p.X)
	case 7:
		return image.Pt(h-1-p.Y, w-1-p.X)
	case 8:
		return image.Pt(p.Y, w-1-p.X)
	}
	return p
}

// UprightRectangle is where the rectangle r of a picture of w by h pixels
// comes to lie when it is turned upright.
func UprightRectangle(r image.Rectangle, w, h, orientation int) image.Rectangle {
	a := UprightPoint(r.Min, w, h, orientation)
	b := UprightPoint(r.Max.Sub(image.Pt(1, 1)), w, h, orientation)
	turned := image.Rectangle{Min: a, Max: b}.Canon()
	turned.Max = turned.Max.Add(image.Pt(1, 1))
	return turned
}

// Fit scales a picture down so that neither side is longer than most.
func Fit(img *image.NRGBA, most int) *image.NRGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	if w <= most && h <= most {
		return img
	}
	w, h = fitted(w, h, most)
	return Scale(img, w, h)
}

// fitted is the size of a picture of w by h pixels when neither side is longer
// than most.
func fitted(w, h, most int) (int, int) {
	if w <= most && h <= most {
		return w, h
	}
	scale := float64(most) / float64(max(w, h))
	return max(1, int(float64(w)*scale+0.5)), max(1, int(float64(h)*scale+0.5))
}

// Means scales a picture down so that neither side is longer than most, by
// the mean of the pixels that fall on each one: the pixel x, y of img on
// x*w/img's width, y*h/img's height. It is not as even as Fit, and several
// times as quick.
func Means(ctx context.Context, img *image.NRGBA, most int) (*image.NRGBA, error) {
	fullW, fullH := img.Rect.Dx(), img.Rect.Dy()
	w, h := fitted(fullW, fullH, most)
	if w == fullW && h == fullH {
		return img, nil
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	columns, rows := parts(fullW, w), parts(fullH, h)
	err := Strips(ctx, fullW*(fullH/h), h, func(from, to int) error {
		sums := make([][4]uint64, w)
		for y := from; y < to; y++ {
			clear(sums)
			for row := rows[y]; row < rows[y+1]; row++ {
				pixels := img.Pix[row*img.Stride:][:4*fullW]
				for x := range sums {
					var r, g, b, a uint64
					for i, end := 4*columns[x], 4*columns[x+1]; i < end; i += 4 {
						p := pixels[i:][:4:4]
						alpha := uint64(p[3])
						r, g, b, a = r+uint64(p[0])*alpha, g+uint64(p[1])*alpha, b+uint64(p[2])*alpha, a+alpha
					}
					s := &sums[x]
					s[0], s[1], s[2], s[3] = s[0]+r, s[1]+g, s[2]+b, s[3]+a
				}
			}
			for x, s := range sums {
				if s[3] == 0 {
					continue // no colour shows
				}
				n := uint64((rows[y+1] - rows[y]) * (columns[x+1] - columns[x]))
				p := out.Pix[out.PixOffset(x, y):][:4:4]
				for k := range 3 {
					p[k] = uint8((s[k] + s[3]/2) / s[3])
				}
				p[3] = uint8((s[3] + n/2) / n)
			}
		}
		return nil
	})
	return out, err
}

// parts are where the pixels of a long side begin that fall on each one of a
// short side, and the end of the last.
func parts(long, short int) []int {
	list := make([]int, short+1)
	for i := range list {
		list[i] = (i*long + short - 1) / short
	}
	return list
}

// Cover scales a picture so that it fills w by h pixels, and cuts what is over
// at the edges.
func Cover(img *image.NRGBA, w, h int) *image.NRGBA {
	srcW, srcH := img.Rect.Dx(), img.Rect.Dy()
	cut := image.Rect(0, 0, srcW, srcH)
	if srcW*h > srcH*w { // too wide
		width := max(1, srcH*w/h)
		cut.Min.X = (srcW - width) / 2
		cut.Max.X = cut.Min.X + width
	} else {
		height := max(1, srcW*h/w)
		cut.Min.Y = (srcH - height) / 2
		cut.Max.Y = cut.Min.Y + height
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.CatmullRom.Scale(out, out.Rect, img, cut, draw.Src, nil)
	return out
}

// Scale scales a picture to w by h pixels.
func Scale(img *image.NRGBA, w, h int) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	// From a large picture every kernel reads all of it; halving quickly
	// first would save little and cost sharpness.
	draw.CatmullRom.Scale(out, out.Rect, img, img.Rect, draw.Src, nil)
	return out
}
