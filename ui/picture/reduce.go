package picture

import (
	"context"
	"image"
	"image/color"
	"image/draw"
)

// reduce copies the part full of img into premultiplied RGBA, dividing both sides
// by the smallest whole number that brings the longer one to at most side. Each
// pixel is the average of a square of pixels, which needs no resampling at all.
func reduce(ctx context.Context, img image.Image, full image.Rectangle, side int) (*image.RGBA, error) {
	w, h := full.Dx(), full.Dy()
	k := max(1, (max(w, h)+side-1)/side)
	dst := image.NewRGBA(image.Rect(0, 0, (w+k-1)/k, (h+k-1)/k))
	if y, ok := img.(*image.YCbCr); ok && k > 1 && y.Rect == full {
		return dst, reduceYCbCr(ctx, dst, y, k)
	}
	if k == 1 {
		draw.Draw(dst, dst.Rect, img, full.Min, draw.Src)
		return dst, ctx.Err()
	}
	return dst, reduceAny(ctx, dst, img, full, k)
}

// reduceAny averages squares of k × k pixels of any image. It converts a strip of
// k lines at a time, which package draw does fast for all usual images.
func reduceAny(ctx context.Context, dst *image.RGBA, img image.Image, full image.Rectangle, k int) error {
	w, h := full.Dx(), full.Dy()
	strip := image.NewRGBA(image.Rect(0, 0, w, k))
	sums := make([]uint64, 4*dst.Rect.Dx())
	for by := range dst.Rect.Dy() {
		if err := ctx.Err(); err != nil {
			return err
		}
		lines := min(k, h-by*k)
		// A frame that is smaller than the picture leaves pixels untouched.
		clear(strip.Pix)
		clear(sums)
		area := image.Rect(0, 0, w, lines)
		draw.Draw(strip, area, img, full.Min.Add(image.Pt(0, by*k)), draw.Src)
		for y := range lines {
			line := strip.Pix[y*strip.Stride:][:4*w]
			for bx, x := 0, 0; x < w; bx++ {
				var r, g, b, a uint32
				for end := min(x+k, w); x < end; x++ {
					p := line[4*x : 4*x+4 : 4*x+4]
					r += uint32(p[0])
					g += uint32(p[1])
					b += uint32(p[2])
					a += uint32(p[3])
				}
				s := sums[4*bx : 4*bx+4 : 4*bx+4]
				s[0] += uint64(r)
				s[1] += uint64(g)
				s[2] += uint64(b)
				s[3] += uint64(a)
			}
		}
		out := dst.Pix[by*dst.Stride:]
		for bx := range dst.Rect.Dx() {
			n := uint64(lines * min(k, w-bx*k))
			for c := range 4 {
				out[4*bx+c] = uint8((sums[4*bx+c] + n/2) / n)
			}
		}
	}
	return nil
}

// reduceYCbCr averages squares of k × k pixels on the planes of a JPEG, and
// converts only the averages to RGB.
func reduceYCbCr(ctx context.Context, dst *image.RGBA, img *image.YCbCr, k int) error {
	n := dst.Rect.Dx()
	luma := newPlane(img.Y, img.YStride, img.Rect.Dx(), img.Rect.Dy(), 1, 1, k, n)
	sx, sy := subsampling(img.SubsampleRatio)
	cw, ch := (img.Rect.Dx()+sx-1)/sx, (img.Rect.Dy()+sy-1)/sy
	cb := newPlane(img.Cb, img.CStride, cw, ch, sx, sy, k, n)
	cr := newPlane(img.Cr, img.CStride, cw, ch, sx, sy, k, n)
	for by := range dst.Rect.Dy() {
		if err := ctx.Err(); err != nil {
			return err
		}
		luma.average(by)
		cb.average(by)
		cr.average(by)
		out := dst.Pix[by*dst.Stride:]
		for bx := range n {
			p := out[4*bx : 4*bx+4 : 4*bx+4]
			p[0], p[1], p[2] = color.YCbCrToRGB(luma.out[bx], cb.out[bx], cr.out[bx])
			p[3] = 255
		}
	}
	return nil
}

// subsampling is how many pixels share one chroma sample across and down.
func subsampling(r image.YCbCrSubsampleRatio) (x, y int) {
	switch r {
	case image.YCbCrSubsampleRatio422:
		return 2, 1
	case image.YCbCrSubsampleRatio420:
		return 2, 2
	case image.YCbCrSubsampleRatio440:
		return 1, 2
	case image.YCbCrSubsampleRatio411:
		return 4, 1
	case image.YCbCrSubsampleRatio410:
		return 4, 2
	default:
		return 1, 1
	}
}

// plane averages boxes of one plane of samples.
type plane struct {
	pix    []uint8
	stride int
	height int
	sy, k  int
	// from and to bound the samples of each box across.
	from, to []int
	sums     []uint64
	out      []uint8
}

// newPlane prepares a plane of width × height samples, of which each stands for
// sx × sy pixels, for n boxes of k × k pixels across.
func newPlane(pix []uint8, stride, width, height, sx, sy, k, n int) *plane {
	p := &plane{
		pix: pix, stride: stride, height: height, sy: sy, k: k,
		from: make([]int, n), to: make([]int, n), sums: make([]uint64, n), out: make([]uint8, n),
	}
	for i := range n {
		p.from[i], p.to[i] = span(i, k, sx, width)
	}
	return p
}

// span is the range of samples that box i of k pixels touches, where a sample
// stands for s pixels and there are limit of them. It is never empty.
func span(i, k, s, limit int) (from, to int) {
	from = min(i*k/s, limit-1)
	to = min(((i+1)*k+s-1)/s, limit)
	return from, max(to, from+1)
}

// average fills out with the averages of line by of boxes.
func (p *plane) average(by int) {
	y0, y1 := span(by, p.k, p.sy, p.height)
	clear(p.sums)
	for y := y0; y < y1; y++ {
		line := p.pix[y*p.stride:]
		for i := range p.sums {
			var s uint32
			for _, v := range line[p.from[i]:p.to[i]] {
				s += uint32(v)
			}
			p.sums[i] += uint64(s)
		}
	}
	for i, s := range p.sums {
		n := uint64((y1 - y0) * (p.to[i] - p.from[i]))
		p.out[i] = uint8((s + n/2) / n)
	}
}
