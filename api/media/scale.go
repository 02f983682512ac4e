package media

import (
	"context"
	"image"
	"math"
)

// Scale scales the part cut of a picture to a size, by a Catmull-Rom kernel. What
// shrinks to less than half is averaged first. For its memory see [ScaleCost].
//
// golang.org/x/image/draw keeps 32 bytes for each pixel between its two steps: from
// 8000 × 8000 to 4000 × 4000 pixels it allocates 1.09 GB. This takes 76 MB and less than
// half of the time in the same run; for a thumbnail a quarter (BenchmarkScale, 2 cores).
func Scale(ctx context.Context, img *image.NRGBA, cut image.Rectangle, to image.Point) (*image.NRGBA, error) {
	if k := shrinkage(cut.Size(), to); k > 1 {
		small, err := reduceBy(ctx, img, cut, k)
		if err != nil {
			return nil, err
		}
		img, cut = straight(small), small.Rect
	}
	out := image.NewNRGBA(image.Rectangle{Max: to})
	across, down := taps(cut.Dx(), to.X), taps(cut.Dy(), to.Y)
	return out, Strips(ctx, max(to.X, cut.Dx())/8, to.Y, func(from, end int) error {
		sums := make([]float32, 4*cut.Dx())
		for y := from; y < end; y++ {
			clear(sums)
			for i, w := range down[y].weights {
				line := img.Pix[img.PixOffset(cut.Min.X, cut.Min.Y+down[y].first+i):][:4*cut.Dx()]
				addLine(sums, line, w)
			}
			sumAcross(out.Pix[y*out.Stride:][:4*to.X], sums, across)
		}
		return nil
	})
}

// shrinkage is by what a picture is reduced before it is scaled: twice the size that
// is asked for is left for the kernel.
func shrinkage(from, to image.Point) int { return max(1, min(from.X/to.X, from.Y/to.Y)/2) }

// tap is what one pixel is made of: pixels from first on, by weights that sum up to 1.
type tap struct {
	first   int
	weights []float32
}

// taps are those of a side of want pixels made of have.
func taps(have, want int) []tap {
	scale := float64(have) / float64(want)
	stretch := max(1, scale) // of the kernel, which is 2 wide on each side
	list := make([]tap, want)
	weights := make([]float32, 0, int(float64(want)*(4*stretch+1)))
	for i := range list {
		center := (float64(i)+0.5)*scale - 0.5
		first, last := max(0, int(math.Ceil(center-2*stretch))), min(have-1, int(center+2*stretch))
		from, sum := len(weights), float32(0)
		for at := first; at <= last; at++ {
			w := float32(catmullRom(math.Abs(float64(at)-center) / stretch))
			weights = append(weights, w)
			sum += w
		}
		list[i] = tap{first, weights[from:]}
		for j := range list[i].weights {
			list[i].weights[j] /= sum
		}
	}
	return list
}

func catmullRom(t float64) float64 {
	switch {
	case t < 1:
		return (1.5*t-2.5)*t*t + 1
	case t < 2:
		return ((2.5-0.5*t)*t-4)*t + 2
	}
	return 0
}

// addLine adds a line of pixels to sums of premultiplied ones.
func addLine(sums []float32, line []uint8, weight float32) {
	for ; len(line) >= 4 && len(sums) >= 4; line, sums = line[4:], sums[4:] {
		w := weight
		if line[3] != 255 {
			w *= float32(line[3]) / 255
		}
		sums[0] += w * float32(line[0])
		sums[1] += w * float32(line[1])
		sums[2] += w * float32(line[2])
		sums[3] += w * 255
	}
}

// sumAcross makes a line of pixels of sums of premultiplied ones.
func sumAcross(out []uint8, sums []float32, across []tap) {
	for _, t := range across {
		var r, g, b, a float32
		part := sums[4*t.first:]
		for _, w := range t.weights {
			r += w * part[0]
			g += w * part[1]
			b += w * part[2]
			a += w * part[3]
			part = part[4:]
		}
		if a >= 0.5 {
			full := 255 / a
			out[0], out[1], out[2], out[3] = channel(r*full), channel(g*full), channel(b*full), channel(a)
		}
		out = out[4:]
	}
}

// channel rounds to the value of a channel; the kernel can lead beyond both ends.
func channel(v float32) uint8 { return uint8(max(0, min(v+0.5, 255))) }

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
