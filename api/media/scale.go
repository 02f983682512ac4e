package media

import (
	"image"
	"image/color"
	"math"

	"golang.org/x/image/draw"
)

// Scale scales the part cut of a picture to the size to. It averages where the picture shrinks, and
// interpolates where it grows. It takes little memory besides the result, where
// golang.org/x/image/draw takes 1.09 GB from 8000 × 8000 to 4000 × 4000 pixels.
func Scale(img *image.NRGBA, cut image.Rectangle, to image.Point) *image.NRGBA {
	small := image.Pt(min(cut.Dx(), to.X), min(cut.Dy(), to.Y))
	if small != cut.Size() {
		s := scaling{
			pix: img.Pix[img.PixOffset(cut.Min.X, cut.Min.Y):], stride: img.Stride, straight: true,
			width: cut.Dx(), across: averages(0, cut.Dx(), cut.Dx(), cut.Dx(), small.X),
			down: averages(0, cut.Dy(), cut.Dy(), cut.Dy(), small.Y),
		}
		img, cut = image.NewNRGBA(image.Rectangle{Max: small}), image.Rectangle{Max: small}
		s.lines(img.Pix, img.Stride)
	}
	if small == to {
		return img.SubImage(cut).(*image.NRGBA) // always an NRGBA
	}
	out := image.NewRGBA(image.Rectangle{Max: to})
	draw.ApproxBiLinear.Scale(out, out.Rect, img, cut, draw.Src, nil)
	return straight(out)
}

// Sample draws the rectangle part of a picture with size pixels. img is the picture reduced
// from the size full; part is in pixels of full. Each pixel is the mean of the area under
// it. part and size must not be empty.
func Sample(img *image.RGBA, full image.Point, part image.Rectangle, size image.Point) *image.RGBA {
	have := img.Rect.Size()
	s := scaling{
		pix: img.Pix, stride: img.Stride, width: have.X,
		across: averages(part.Min.X, part.Max.X, full.X, have.X, size.X),
		down:   averages(part.Min.Y, part.Max.Y, full.Y, have.Y, size.Y),
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	s.lines(out.Pix, out.Stride)
	return out
}

// scaling computes each pixel of a picture from a rectangle of weighted source pixels.
type scaling struct {
	pix           []uint8
	stride, width int
	straight      bool // the alpha of the pixels is not premultiplied
	across, down  []tap
}

func (s *scaling) lines(out []uint8, stride int) {
	sums := make([]float32, 4*s.width)
	for y, t := range s.down {
		clear(sums)
		for i, w := range t.weights {
			s.addLine(sums, s.pix[(t.first+i)*s.stride:][:4*s.width], w)
		}
		s.sumAcross(out[y*stride:], sums)
	}
}

// tap holds the weights of the source pixels from first on; they sum to 1.
type tap struct {
	first   int
	weights []float32
}

// averages returns the taps that average from..to, in pixels of a side of full, into want
// equal parts. The source has have pixels for the side.
func averages(from, to, full, have, want int) []tap {
	scale := float64(have) / float64(full)
	start, step := float64(from)*scale, float64(to-from)*scale/float64(want)
	list, weights := make([]tap, want), make([]float32, 0, want*(int(step)+2))
	for i := range list {
		a, b := start+float64(i)*step, start+float64(i+1)*step
		first := max(0, min(int(a), have-1))
		last := max(first, min(int(math.Ceil(b))-1, have-1))
		at, sum := len(weights), float32(0)
		for p := first; p <= last; p++ {
			w := float32(max(1e-6, min(b, float64(p+1))-max(a, float64(p))))
			weights = append(weights, w)
			sum += w
		}
		list[i] = tap{first, weights[at:]}
		for j := range list[i].weights {
			list[i].weights[j] /= sum
		}
	}
	return list
}

// addLine adds a weighted line of pixels to premultiplied sums.
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

// sumAcross converts premultiplied sums to a line of pixels.
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

func channel(v float32) uint8 { return uint8(max(0, min(v+0.5, 255))) }

// straight converts premultiplied to straight alpha in place.
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

// reduce copies the part full of img to premultiplied RGBA. It divides both sides by the
// smallest integer that makes the longer one at most side. Each pixel is the average of a
// square of pixels, so no resampling is needed.
func reduce(img image.Image, full image.Rectangle, side int) *image.RGBA {
	k := reduction(full.Size(), side)
	dst := image.NewRGBA(image.Rect(0, 0, (full.Dx()+k-1)/k, (full.Dy()+k-1)/k))
	if y, ok := img.(*image.YCbCr); ok && k > 1 && y.Rect == full {
		reduceYCbCr(dst, y, k)
		return dst
	}
	if k == 1 {
		draw.Draw(dst, dst.Rect, img, full.Min, draw.Src)
		return dst
	}
	line := image.NewRGBA(image.Rect(0, 0, full.Dx(), 1))
	sums := make([]uint64, 4*dst.Rect.Dx())
	for y := range full.Dy() {
		clear(line.Pix) // a frame smaller than the picture does not draw all pixels
		draw.Draw(line, line.Rect, img, full.Min.Add(image.Pt(0, y)), draw.Src)
		addSquares(sums, line.Pix, k)
		if lines := y%k + 1; lines == k || y == full.Dy()-1 {
			meanSquares(dst.Pix[y/k*dst.Stride:], sums, lines, full.Dx(), k)
			clear(sums)
		}
	}
	return dst
}

// reduction returns the divisor that makes the longer side at most side.
func reduction(size image.Point, side int) int { return max(1, (max(size.X, size.Y)+side-1)/side) }

// addSquares adds every k pixels of a line to the sum of their square.
func addSquares(sums []uint64, line []uint8, k int) {
	for ; len(line) > 0; sums = sums[4:] {
		part := line[:min(4*k, len(line))]
		line = line[len(part):]
		var r, g, b, a uint64
		for ; len(part) >= 4; part = part[4:] {
			r += uint64(part[0])
			g += uint64(part[1])
			b += uint64(part[2])
			a += uint64(part[3])
		}
		sums[0] += r
		sums[1] += g
		sums[2] += b
		sums[3] += a
	}
}

// meanSquares converts the sums over the given number of lines, each w pixels wide, to pixels.
func meanSquares(out []uint8, sums []uint64, lines, w, k int) {
	for i, sum := range sums {
		n := uint64(lines * min(k, w-i/4*k))
		out[i] = uint8((sum + n/2) / n)
	}
}

// reduceYCbCr averages squares of k × k pixels on the planes of a JPEG or WebP and converts only
// the averages to RGB, which saves half a second for a photograph of 24 megapixels.
func reduceYCbCr(dst *image.RGBA, img *image.YCbCr, k int) {
	size, n := img.Rect.Size(), dst.Rect.Dx()
	// The size of the chroma planes says how many pixels share a sample.
	block := image.NewYCbCr(image.Rect(0, 0, 4, 4), img.SubsampleRatio)
	sx, sy := 4/block.CStride, 4*block.CStride/len(block.Cb)
	planes := [3][]uint8{make([]uint8, n), make([]uint8, n), make([]uint8, n)}
	chroma := image.Pt((size.X+sx-1)/sx, (size.Y+sy-1)/sy)
	for by := range dst.Rect.Dy() {
		boxes(planes[0], img.Y, img.YStride, size, by, k, 1, 1)
		boxes(planes[1], img.Cb, img.CStride, chroma, by, k, sx, sy)
		boxes(planes[2], img.Cr, img.CStride, chroma, by, k, sx, sy)
		for out, x := dst.Pix[by*dst.Stride:], 0; x < n; x++ {
			p := out[4*x : 4*x+4 : 4*x+4]
			p[0], p[1], p[2] = color.YCbCrToRGB(planes[0][x], planes[1][x], planes[2][x])
			p[3] = 255
		}
	}
}

// boxes averages the boxes of k × k pixels in line by of a plane. Each of its samples covers
// sx × sy pixels.
func boxes(out, pix []uint8, stride int, size image.Point, by, k, sx, sy int) {
	y0, y1 := span(by, k, sy, size.Y)
	for i := range out {
		x0, x1 := span(i, k, sx, size.X)
		var sum uint64
		for y := y0; y < y1; y++ {
			var s uint32 // at most MaxSide times 255
			for _, v := range pix[y*stride:][x0:x1] {
				s += uint32(v)
			}
			sum += uint64(s)
		}
		n := uint64((y1 - y0) * (x1 - x0))
		out[i] = uint8((sum + n/2) / n)
	}
}

// span returns the range of samples that box i of k pixels touches. Each of the limit
// samples covers s pixels. The range is never empty.
func span(i, k, s, limit int) (from, to int) {
	from = min(i*k/s, limit-1)
	to = min(((i+1)*k+s-1)/s, limit)
	return from, max(to, from+1)
}

// FitSize returns the size of a picture scaled down so that neither side is longer than most.
func FitSize(size image.Point, most int) image.Point {
	long := max(size.X, size.Y)
	if long <= most {
		return size
	}
	side := func(n int) int { return max(1, (n*most+long/2)/long) }
	return image.Pt(side(size.X), side(size.Y))
}

// CoverCut returns the centered part of a picture that has the proportions of to.
func CoverCut(size, to image.Point) image.Rectangle {
	part := size
	if size.X*to.Y > size.Y*to.X { // too wide
		part.X = max(1, size.Y*to.X/to.Y)
	} else {
		part.Y = max(1, size.X*to.Y/to.X)
	}
	at := size.Sub(part).Div(2)
	return image.Rectangle{Min: at, Max: at.Add(part)}
}

// Around returns a rectangle of another size around the center of rect, moved into a picture of the size.
func Around(rect image.Rectangle, want, size image.Point) image.Rectangle {
	at := image.Pt(
		max(0, min((rect.Min.X+rect.Max.X-want.X)/2, size.X-want.X)),
		max(0, min((rect.Min.Y+rect.Max.Y-want.Y)/2, size.Y-want.Y)),
	)
	return image.Rectangle{Min: at, Max: at.Add(want)}
}
