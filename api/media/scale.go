package media

import (
	"context"
	"image"
	"math"
)

// Scale scales the part cut of a picture to a size, by a Catmull-Rom kernel. A picture
// that shrinks to less than half is averaged first. For its memory see [ScaleCost].
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
	s := scaling{
		pix: img.Pix[img.PixOffset(cut.Min.X, cut.Min.Y):], stride: img.Stride, width: cut.Dx(), straight: true,
		across: kernel(cut.Dx(), to.X), down: kernel(cut.Dy(), to.Y),
	}
	out := image.NewNRGBA(image.Rectangle{Max: to})
	return out, Strips(ctx, max(to.X, s.width)/8, to.Y, func(from, to int) error {
		s.lines(from, to, out.Pix, out.Stride)
		return nil
	})
}

// Sample draws the rectangle part of a picture with size pixels. img is the whole
// picture, reduced from the size full, in whose pixels part is counted. Each pixel is
// the mean of the area under it. Part and size must not be empty.
func Sample(img *image.RGBA, full image.Point, part image.Rectangle, size image.Point) *image.RGBA {
	have := img.Rect.Size()
	s := scaling{
		pix: img.Pix, stride: img.Stride, width: have.X,
		across: averages(part.Min.X, part.Max.X, full.X, have.X, size.X), down: averages(part.Min.Y, part.Max.Y, full.Y, have.Y, size.Y),
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	s.lines(0, size.Y, out.Pix, out.Stride)
	return out
}

// shrinkage is the reduction before scaling: the kernel gets twice the target size.
func shrinkage(from, to image.Point) int { return max(1, min(from.X/to.X, from.Y/to.Y)/2) }

// scaling makes each pixel of a picture from a rectangle of weighted pixels of another.
type scaling struct {
	pix           []uint8
	stride, width int
	straight      bool // the alpha of the pixels is not premultiplied
	across, down  []tap
}

// lines fills the lines from to before end, of 4 bytes for each pixel.
func (s *scaling) lines(from, end int, out []uint8, stride int) {
	sums := make([]float32, 4*s.width)
	for y := from; y < end; y++ {
		clear(sums)
		for i, w := range s.down[y].weights {
			s.addLine(sums, s.pix[(s.down[y].first+i)*s.stride:][:4*s.width], w)
		}
		s.sumAcross(out[y*stride:], sums)
	}
}

// tap holds the source of a pixel: pixels from first on with weights that sum to 1.
type tap struct {
	first   int
	weights []float32
}

// kernel returns the taps of a side of want pixels made of have, by Catmull-Rom.
func kernel(have, want int) []tap {
	scale := float64(have) / float64(want)
	stretch := max(1, scale) // of the kernel, which is 2 wide on each side
	return taps(want, int(4*stretch+1), func(i int) (first, last int, weight func(at int) float64) {
		center := (float64(i)+0.5)*scale - 0.5
		first, last = max(0, int(math.Ceil(center-2*stretch))), min(have-1, int(center+2*stretch))
		return first, last, func(at int) float64 { return catmullRom(math.Abs(float64(at)-center) / stretch) }
	})
}

// averages returns the taps of a side of want equal parts of from..to, in pixels of a side
// of full, of which have are there.
func averages(from, to, full, have, want int) []tap {
	scale := float64(have) / float64(full)
	start, step := float64(from)*scale, float64(to-from)*scale/float64(want)
	return taps(want, int(step)+2, func(i int) (first, last int, weight func(at int) float64) {
		a, b := start+float64(i)*step, start+float64(i+1)*step
		first = max(0, min(int(a), have-1))
		last = max(first, min(int(math.Ceil(b))-1, have-1))
		return first, last, func(at int) float64 { return max(1e-6, min(b, float64(at+1))-max(a, float64(at))) }
	})
}

// taps makes n taps of about that many weights.
func taps(n, each int, of func(i int) (first, last int, weight func(at int) float64)) []tap {
	list, weights := make([]tap, n), make([]float32, 0, n*each)
	for i := range list {
		first, last, weight := of(i)
		from, sum := len(weights), float32(0)
		for at := first; at <= last; at++ {
			w := float32(weight(at))
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
func (s *scaling) addLine(sums []float32, line []uint8, weight float32) {
	for ; len(line) >= 4 && len(sums) >= 4; line, sums = line[4:], sums[4:] {
		w := weight
		if s.straight && line[3] != 255 {
			w *= float32(line[3]) / 255
		}
		sums[0] += w * float32(line[0])
		sums[1] += w * float32(line[1])
		sums[2] += w * float32(line[2])
		sums[3] += weight * float32(line[3])
	}
}

// sumAcross makes a line of pixels of sums of premultiplied ones.
func (s *scaling) sumAcross(out []uint8, sums []float32) {
	for _, t := range s.across {
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
			light := float32(1)
			if s.straight {
				light = 255 / a
			}
			out[0], out[1], out[2], out[3] = channel(r*light), channel(g*light), channel(b*light), channel(a)
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
