package picture

import (
	"image"
	"math"
)

// scaler reduces or enlarges the shown part of a picture to a grid, one line after
// the other. Every pixel of the grid is the exact average of the area below it,
// laid over a checkerboard where the picture is transparent.
type scaler struct {
	p     *Picture
	width int
	// across and down say which pixels make up a column and a line of the grid.
	across, down []tap
	weights      []float32
	// check is the size of a square of the checkerboard, in pixels of the grid.
	check image.Point
	// line is the source line that was averaged across last, number lineY.
	line  []float32
	lineY int
	sum   []float32
}

// tap is a run of source pixels: from first, weighted by weights[at:at+n].
type tap struct{ first, n, at int }

// The two greys of the checkerboard, dark enough for light pictures and light
// enough for dark ones. Both are densities of shades, which keeps them calm there.
const (
	checkDark  = 0x40
	checkLight = 0x80
)

// newScaler makes a grid of width × height. The picture must not be empty.
func newScaler(p *Picture, width, height int, check image.Point) *scaler {
	s := &scaler{
		p: p, width: width, check: check, lineY: -1,
		line: make([]float32, 4*width), sum: make([]float32, 4*width),
	}
	size := p.pix.Rect.Size()
	s.across = s.taps(p.window.Min.X, p.window.Max.X, p.full.X, size.X, width)
	s.down = s.taps(p.window.Min.Y, p.window.Max.Y, p.full.Y, size.Y, height)
	return s
}

// taps divides the pixels from..to of a side of the whole picture, full pixels
// long, into n equal parts, in terms of its have reduced pixels.
func (s *scaler) taps(from, to, full, have, n int) []tap {
	scale := float64(have) / float64(full)
	start, step := float64(from)*scale, float64(to-from)*scale/float64(n)
	taps := make([]tap, n)
	for i := range taps {
		a, b := start+float64(i)*step, start+float64(i+1)*step
		first := clamp(int(a), 0, have-1)
		last := clamp(int(math.Ceil(b))-1, first, have-1)
		taps[i] = tap{first: first, n: last - first + 1, at: len(s.weights)}
		total := float32(0)
		for x := first; x <= last; x++ {
			w := float32(max(1e-6, min(b, float64(x+1))-max(a, float64(x))))
			s.weights = append(s.weights, w)
			total += w
		}
		for j := taps[i].at; j < len(s.weights); j++ {
			s.weights[j] /= total
		}
	}
	return taps
}

// row writes line y of the grid to dst, three bytes per pixel.
func (s *scaler) row(y int, dst []uint8) {
	t := s.down[y]
	clear(s.sum)
	for i := range t.n {
		s.average(t.first + i)
		w := s.weights[t.at+i]
		for j, v := range s.line {
			s.sum[j] += v * w
		}
	}
	s.compose(y, dst)
}

// average averages source line y across into s.line.
func (s *scaler) average(y int) {
	if y == s.lineY {
		return
	}
	s.lineY = y
	pix := s.p.pix.Pix[y*s.p.pix.Stride:]
	for i, t := range s.across {
		var r, g, b, a float32
		for j := range t.n {
			p := pix[4*(t.first+j):]
			_ = p[3]
			w := s.weights[t.at+j]
			r += float32(p[0]) * w
			g += float32(p[1]) * w
			b += float32(p[2]) * w
			a += float32(p[3]) * w
		}
		o := s.line[4*i : 4*i+4 : 4*i+4]
		o[0], o[1], o[2], o[3] = r, g, b, a
	}
}

// compose lays the summed line over the checkerboard.
func (s *scaler) compose(y int, dst []uint8) {
	for x := range s.width {
		c := s.sum[4*x : 4*x+4 : 4*x+4]
		under := float32(0)
		if s.p.alpha {
			under = checkDark
			if (x/s.check.X+y/s.check.Y)%2 == 0 {
				under = checkLight
			}
			under *= 1 - c[3]/255
		}
		for i := range 3 {
			dst[3*x+i] = uint8(min(255, c[i]+under+0.5))
		}
	}
}
