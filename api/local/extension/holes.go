package extension

import (
	"context"
	"math"
	"slices"

	"mediadesk/api/media"
)

// openHoles finds background enclosed by the subject, such as the opening of a handle, which the
// walk from the border cannot reach. A hole must have the color that the background would have
// there, a sharp edge, and more than the width of a line. A painted area of exactly that color
// looks like a hole. Pictures without a smooth background get no holes.
func (s *segments) openHoles(ctx context.Context) error {
	model, spread, ok := s.background()
	if !ok {
		return nil
	}
	near := math.Max(0.014, 1.5*spread)
	off := make([]float64, len(s.colors)) // distance of each pixel from the expected background
	err := media.Strips(ctx, s.w, s.h, func(from, to int) error {
		for i := from * s.w; i < to*s.w; i++ {
			off[i] = s.colors[i].distance(model.at(i%s.w, i/s.w, s.w, s.h))
		}
		return nil
	})
	if err != nil {
		return err
	}
	seen, within := make([]bool, len(s.colors)), make([]bool, len(s.colors))
	var seeds []int
	left, cut := 0, 0
	for i := range s.colors {
		if s.subject[i] {
			left++
		}
	}
	for start := range s.colors {
		if seen[start] || !s.subject[start] || off[start] > near {
			continue
		}
		hole := s.connected(start, seen, func(i int) bool { return off[i] <= near })
		if core := s.hole(hole, within, off, near); core != nil {
			seeds = append(seeds, core...)
			cut += len(hole)
		}
	}
	// If most of the subject would go, it has the background's color.
	if cut > left-cut {
		return nil
	}
	s.walk(seeds, s.step())
	return nil
}

// hole returns the inner pixels of a hole, or nil if found is not one. within has one false element
// per pixel.
func (s *segments) hole(found []int, within []bool, off []float64, near float64) []int {
	if len(found) < max(60, len(s.colors)/4000) {
		return nil
	}
	for _, i := range found {
		within[i] = true
	}
	defer func() {
		for _, i := range found {
			within[i] = false
		}
	}()
	const rim = 3 // pixels, of which two can be a mixture of both sides
	var core []int
	edge, clear := 0, 0
	for _, i := range found {
		x, y := i%s.w, i/s.w
		inner := true
		for _, d := range [4][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
			for far := 1; far <= rim; far++ {
				nx, ny := x+far*d[0], y+far*d[1]
				if nx < 0 || ny < 0 || nx >= s.w || ny >= s.h {
					break
				}
				if j := ny*s.w + nx; within[j] {
					continue
				}
				inner = false
				if far > 1 {
					break
				}
				// The color changes abruptly at an edge, but gradually in a shine or shade.
				edge++
				fx, fy := min(s.w-1, max(0, x+(rim+1)*d[0])), min(s.h-1, max(0, y+(rim+1)*d[1]))
				if off[fy*s.w+fx] > 4*near && off[fy*s.w+fx] > 0.08 {
					clear++
				}
				break
			}
		}
		if inner {
			core = append(core, i)
		}
	}
	if len(core) < len(found)/4 || edge == 0 || clear*10 < edge*8 {
		return nil
	}
	return core
}

// surface is a smoothly changing color: a quadratic polynomial per channel.
type surface [3][6]float64

func terms(x, y, w, h int) [6]float64 {
	u, v := 2*float64(x)/float64(w)-1, 2*float64(y)/float64(h)-1
	return [6]float64{1, u, v, u * u, u * v, v * v}
}

func (f *surface) at(x, y, w, h int) lab {
	t := terms(x, y, w, h)
	var c [3]float64
	for k := range c {
		for i, v := range t {
			c[k] += f[k][i] * v
		}
	}
	return lab{c[0], c[1], c[2]}
}

// background fits a surface to the known background. spread is the typical distance from it; ok is
// false for a bad fit.
func (s *segments) background() (f surface, spread float64, ok bool) {
	var sums [6][6]float64
	var right [3][6]float64
	every := max(1, len(s.colors)/40000)
	for i := 0; i < len(s.colors); i += every {
		if s.subject[i] {
			continue
		}
		t := terms(i%s.w, i/s.w, s.w, s.h)
		c := [3]float64{s.colors[i].l, s.colors[i].a, s.colors[i].b}
		for a := range t {
			for b := range t {
				sums[a][b] += t[a] * t[b]
			}
			for k := range c {
				right[k][a] += t[a] * c[k]
			}
		}
	}
	for k := range f {
		if f[k], ok = solve(sums, right[k]); !ok {
			return f, 0, false
		}
	}
	var off []float64
	for i := 0; i < len(s.colors); i += every {
		if !s.subject[i] {
			off = append(off, s.colors[i].distance(f.at(i%s.w, i/s.w, s.w, s.h)))
		}
	}
	if len(off) == 0 {
		return f, 0, false
	}
	slices.Sort(off)
	spread = off[len(off)*9/10]
	return f, spread, spread < 0.03
}

// solve solves six linear equations by elimination.
func solve(m [6][6]float64, right [6]float64) (x [6]float64, ok bool) {
	for col := range m {
		best := col
		for row := col + 1; row < len(m); row++ {
			if math.Abs(m[row][col]) > math.Abs(m[best][col]) {
				best = row
			}
		}
		if math.Abs(m[best][col]) < 1e-9 {
			return x, false
		}
		m[col], m[best] = m[best], m[col]
		right[col], right[best] = right[best], right[col]
		for row := col + 1; row < len(m); row++ {
			by := m[row][col] / m[col][col]
			for k := col; k < len(m); k++ {
				m[row][k] -= by * m[col][k]
			}
			right[row] -= by * right[col]
		}
	}
	for row := len(m) - 1; row >= 0; row-- {
		x[row] = right[row]
		for k := row + 1; k < len(m); k++ {
			x[row] -= m[row][k] * x[k]
		}
		x[row] /= m[row][row]
	}
	return x, true
}
