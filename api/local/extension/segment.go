package extension

import (
	"context"
	"errors"
	"image"
	"math"
	"slices"

	"mediadesk/api/media"
)

// segments is what was found in the small picture.
type segments struct {
	w, h    int
	colours []lab
	subject []bool // per pixel; else background
	noise   float64
}

var (
	errNoBackground = errors.New("no clear background was found: its colours differ too much along the edges of the picture")
	errNoSubject    = errors.New("no clear subject was found before the background")
)

// segment tells subject from background: what is along the edges and looks
// alike is background, and so is whatever can be reached from there without a
// step in colour.
func segment(ctx context.Context, img *image.NRGBA) (*segments, error) {
	s := &segments{w: img.Rect.Dx(), h: img.Rect.Dy()}
	if s.w < 8 || s.h < 8 {
		return nil, errors.New("the picture is too small")
	}
	s.colours = make([]lab, s.w*s.h)
	err := media.Strips(ctx, s.w, s.h, func(from, to int) error {
		for i := from * s.w; i < to*s.w; i++ {
			p := img.Pix[4*i : 4*i+4]
			c := toLab(p[0], p[1], p[2])
			// Where the picture is transparent already there is nothing but
			// background; alpha counts as a colour of its own.
			c.l -= 2 * (1 - float64(p[3])/255)
			s.colours[i] = c
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	grainy := s.colours
	s.colours, err = median(ctx, grainy, s.w, s.h)
	if err != nil {
		return nil, err
	}
	border := s.border()
	centres := s.borderColours(border)
	if len(centres) == 0 {
		return nil, errNoBackground
	}
	s.noise = s.borderNoise(border)
	if s.noise > 0.08 {
		return nil, errNoBackground
	}
	s.flood(border, centres)
	if err := s.openHoles(ctx); err != nil {
		return nil, err
	}
	// The walk needed calm colours; the matte wants those that are there.
	s.colours = grainy
	s.dropSpecks()
	covered := 0
	for _, subject := range s.subject {
		if subject {
			covered++
		}
	}
	share := float64(covered) / float64(len(s.subject))
	if share < 0.005 || share > 0.97 {
		return nil, errNoSubject
	}
	return s, nil
}

// border are the pixels along the four edges.
func (s *segments) border() []int {
	var list []int
	for x := range s.w {
		list = append(list, x, (s.h-1)*s.w+x)
	}
	for y := 1; y < s.h-1; y++ {
		list = append(list, y*s.w, y*s.w+s.w-1)
	}
	return list
}

// borderColours groups the colours along the edges, and returns the groups
// that make up the background: together they must be most of the border. A
// subject may touch the border.
func (s *segments) borderColours(border []int) []lab {
	type group struct {
		sum lab
		n   int
	}
	var groups []group
	for _, i := range border {
		c := s.colours[i]
		best, nearest := -1, 0.09
		for g := range groups {
			if d := c.distance(groups[g].sum.times(1 / float64(groups[g].n))); d < nearest {
				best, nearest = g, d
			}
		}
		if best < 0 {
			groups = append(groups, group{})
			best = len(groups) - 1
		}
		groups[best].sum = groups[best].sum.plus(c)
		groups[best].n++
	}
	slices.SortFunc(groups, func(a, b group) int { return b.n - a.n })
	var centres []lab
	covered := 0
	for _, g := range groups {
		if len(centres) == 4 || float64(g.n) < 0.08*float64(len(border)) {
			break
		}
		centres = append(centres, g.sum.times(1/float64(g.n)))
		covered += g.n
		if float64(covered) >= 0.85*float64(len(border)) {
			break
		}
	}
	if float64(covered) < 0.5*float64(len(border)) {
		return nil
	}
	return centres
}

// borderNoise is how much neighbours along the edges differ: the grain of the
// background. It is the upper quartile, which a subject at the border or an
// edge hardly moves.
func (s *segments) borderNoise(border []int) float64 {
	var steps []float64
	for _, i := range border {
		if x := i % s.w; x > 0 {
			steps = append(steps, s.colours[i].distance(s.colours[i-1]))
		}
	}
	slices.Sort(steps)
	return steps[len(steps)*3/4]
}

// step is how far colours of the background may be from those beside them.
func (s *segments) step() float64 { return math.Min(0.08, 0.024+2.5*s.noise) }

// flood walks from the border over everything that is background. Each step
// is measured against the mean colour of the background around it, which
// follows slow changes (a gradient, a vignette) and no sudden ones.
func (s *segments) flood(border []int, centres []lab) {
	step := s.step()
	far := math.Min(0.17, 0.07+4*s.noise)
	s.subject = make([]bool, len(s.colours))
	for i := range s.subject {
		s.subject[i] = true
	}
	nearCentre := func(c lab) bool {
		return slices.ContainsFunc(centres, func(centre lab) bool { return c.distance(centre) < far })
	}
	var seeds []int
	for _, i := range border {
		if nearCentre(s.colours[i]) {
			seeds = append(seeds, i)
		}
	}
	s.walk(seeds, step)
}

// walk makes background of everything that is reached from the seeds by steps
// in colour no greater than step.
func (s *segments) walk(seeds []int, step float64) {
	mean := make([]lab, len(s.colours))
	var queue []int
	for _, i := range seeds {
		if s.subject[i] {
			s.subject[i], mean[i] = false, s.colours[i]
			queue = append(queue, i)
		}
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		x, y := i%s.w, i/s.w
		for _, next := range [4]int{i - 1, i + 1, i - s.w, i + s.w} {
			nx, ny := next%s.w, next/s.w
			if next < 0 || ny >= s.h || abs(nx-x)+abs(ny-y) != 1 || !s.subject[next] {
				continue
			}
			c := s.colours[next]
			if c.distance(mean[i]) > step {
				continue
			}
			s.subject[next] = false
			mean[next] = mean[i].times(0.8).plus(c.times(0.2))
			queue = append(queue, next)
		}
	}
}

func abs(n int) int { return max(n, -n) }

// dropSpecks gives islands that are too small to be a subject to the
// background: grain, dust, the odd pixel of a compressed picture.
func (s *segments) dropSpecks() {
	least := max(16, len(s.subject)/2000)
	seen := make([]bool, len(s.subject))
	for start := range s.subject {
		if !s.subject[start] || seen[start] {
			continue
		}
		island := []int{start}
		seen[start] = true
		for at := 0; at < len(island); at++ {
			i := island[at]
			x := i % s.w
			for _, next := range [4]int{i - 1, i + 1, i - s.w, i + s.w} {
				if next < 0 || next >= len(s.subject) || abs(next%s.w-x) > 1 || !s.subject[next] || seen[next] {
					continue
				}
				seen[next] = true
				island = append(island, next)
			}
		}
		if len(island) < least {
			for _, i := range island {
				s.subject[i] = false
			}
		}
	}
}

// median calms grain and keeps edges: each pixel gets the middle value of the
// nine around it, channel by channel.
func median(ctx context.Context, from []lab, w, h int) ([]lab, error) {
	to := make([]lab, len(from))
	err := media.Strips(ctx, w, h, func(first, end int) error {
		for y := first; y < end; y++ {
			above, here, below := from[max(0, y-1)*w:][:w], from[y*w:][:w], from[min(h-1, y+1)*w:][:w]
			// Columns of three are sorted once, each serves three pixels.
			column := func(x int) column {
				a, b, c := above[x], here[x], below[x]
				return column{inOrder(a.l, b.l, c.l), inOrder(a.a, b.a, c.a), inOrder(a.b, b.b, c.b)}
			}
			right := column(0)
			left, middle := right, right
			for x := range w {
				if x+1 < w {
					right = column(x + 1)
				}
				to[y*w+x] = lab{medianOf(left[0], middle[0], right[0]), medianOf(left[1], middle[1], right[1]), medianOf(left[2], middle[2], right[2])}
				left, middle = middle, right
			}
		}
		return nil
	})
	return to, err
}

// column are three values, from the least to the greatest, for each channel.
type column [3][3]float64

func inOrder(a, b, c float64) [3]float64 {
	if a > b {
		a, b = b, a
	}
	if b > c {
		b, c = c, b
	}
	if a > b {
		a, b = b, a
	}
	return [3]float64{a, b, c}
}

// medianOf is the middle one of nine values in columns that are in order: the
// middle one of the greatest of the least, the middle one of the middle ones,
// and the least of the greatest.
func medianOf(a, b, c [3]float64) float64 {
	low, high := a[0], a[2]
	if b[0] > low {
		low = b[0]
	}
	if c[0] > low {
		low = c[0]
	}
	if b[2] < high {
		high = b[2]
	}
	if c[2] < high {
		high = c[2]
	}
	return inOrder(low, inOrder(a[1], b[1], c[1])[1], high)[1]
}
