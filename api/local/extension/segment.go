package extension

import (
	"context"
	"errors"
	"image"
	"math"
	"slices"

	"mediadesk/api/media"
)

// segments is the result for the small picture.
type segments struct {
	w, h    int
	colors  []lab
	subject []bool // per pixel
	noise   float64
}

var (
	errNoBackground = errors.New("no clear background was found: its colors differ too much along the edges of the picture")
	errNoSubject    = errors.New("no clear subject was found in front of the background")
)

// segment separates subject and background. Similar colors along the border are background, as is
// everything connected with them without a step in color.
func segment(ctx context.Context, img *image.NRGBA) (*segments, error) {
	s := &segments{w: img.Rect.Dx(), h: img.Rect.Dy()}
	if s.w < 8 || s.h < 8 {
		return nil, errors.New("the picture is too small")
	}
	s.colors = make([]lab, s.w*s.h)
	err := media.Strips(ctx, s.w, s.h, func(from, to int) error {
		for i := from * s.w; i < to*s.w; i++ {
			p := img.Pix[4*i : 4*i+4]
			c := toLab(p[0], p[1], p[2])
			// Transparent areas are background, so alpha counts as part of the color.
			c.l -= 2 * (1 - float64(p[3])/255)
			s.colors[i] = c
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	grainy := s.colors
	s.colors, err = median(ctx, grainy, s.w, s.h)
	if err != nil {
		return nil, err
	}
	border := s.border()
	centers := s.borderColors(border)
	if len(centers) == 0 {
		return nil, errNoBackground
	}
	s.noise = s.borderNoise(border)
	if s.noise > 0.08 {
		return nil, errNoBackground
	}
	s.flood(border, centers)
	if err := s.openHoles(ctx); err != nil {
		return nil, err
	}
	// The walk needs smooth colors, the matte the original ones.
	s.colors = grainy
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

// border returns the pixels along the four edges.
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

// borderColors groups the colors along the border and returns those of the background, which must
// cover most of it. A subject may touch the border.
func (s *segments) borderColors(border []int) []lab {
	type group struct {
		sum lab
		n   int
	}
	var groups []group
	for _, i := range border {
		c := s.colors[i]
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
	var centers []lab
	covered := 0
	for _, g := range groups {
		if len(centers) == 4 || float64(g.n) < 0.08*float64(len(border)) {
			break
		}
		centers = append(centers, g.sum.times(1/float64(g.n)))
		covered += g.n
		if float64(covered) >= 0.85*float64(len(border)) {
			break
		}
	}
	if float64(covered) < 0.5*float64(len(border)) {
		return nil
	}
	return centers
}

// borderNoise returns how much neighbors along the border differ: the grain of the background. It
// is the upper quartile, so that a subject at the border hardly matters.
func (s *segments) borderNoise(border []int) float64 {
	var steps []float64
	for _, i := range border {
		if x := i % s.w; x > 0 {
			steps = append(steps, s.colors[i].distance(s.colors[i-1]))
		}
	}
	slices.Sort(steps)
	return steps[len(steps)*3/4]
}

// step is the largest difference between neighboring background colors.
func (s *segments) step() float64 { return math.Min(0.08, 0.024+2.5*s.noise) }

// flood walks from the border over the background. It compares each step with the mean color
// nearby, which follows gradual changes such as a vignette but not sudden ones.
func (s *segments) flood(border []int, centers []lab) {
	step := s.step()
	far := math.Min(0.17, 0.07+4*s.noise)
	s.subject = make([]bool, len(s.colors))
	for i := range s.subject {
		s.subject[i] = true
	}
	nearCenter := func(c lab) bool {
		return slices.ContainsFunc(centers, func(center lab) bool { return c.distance(center) < far })
	}
	var seeds []int
	for _, i := range border {
		if nearCenter(s.colors[i]) {
			seeds = append(seeds, i)
		}
	}
	s.walk(seeds, step)
}

// walk marks as background all that is reached from the seeds by steps in color up to step.
func (s *segments) walk(seeds []int, step float64) {
	mean := make([]lab, len(s.colors))
	var queue []int
	for _, i := range seeds {
		if s.subject[i] {
			s.subject[i], mean[i] = false, s.colors[i]
			queue = append(queue, i)
		}
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for _, next := range s.neighbors(i) {
			if c := s.colors[next]; s.subject[next] && c.distance(mean[i]) <= step {
				s.subject[next] = false
				mean[next] = mean[i].times(0.8).plus(c.times(0.2))
				queue = append(queue, next)
			}
		}
	}
}

// dropSpecks turns islands too small for a subject into background, such as grain and dust.
func (s *segments) dropSpecks() {
	least := max(16, len(s.subject)/2000)
	seen := make([]bool, len(s.subject))
	for start := range s.subject {
		if !s.subject[start] || seen[start] {
			continue
		}
		island := s.connected(start, seen, func(int) bool { return true })
		if len(island) < least {
			for _, i := range island {
				s.subject[i] = false
			}
		}
	}
}

// connected returns the wanted subject pixels connected with start and marks them as seen.
func (s *segments) connected(start int, seen []bool, wanted func(int) bool) []int {
	found := []int{start}
	seen[start] = true
	for at := 0; at < len(found); at++ {
		for _, next := range s.neighbors(found[at]) {
			if !seen[next] && s.subject[next] && wanted(next) {
				seen[next] = true
				found = append(found, next)
			}
		}
	}
	return found
}

// neighbors returns the pixels left, right, above and below a pixel.
func (s *segments) neighbors(i int) []int {
	list := make([]int, 0, 4)
	if i%s.w > 0 {
		list = append(list, i-1)
	}
	if (i+1)%s.w > 0 {
		list = append(list, i+1)
	}
	if i >= s.w {
		list = append(list, i-s.w)
	}
	if i+s.w < len(s.colors) {
		list = append(list, i+s.w)
	}
	return list
}

// median smooths grain but keeps edges: each channel gets the median of nine pixels.
func median(ctx context.Context, from []lab, w, h int) ([]lab, error) {
	to := make([]lab, len(from))
	err := media.Strips(ctx, w, h, func(first, end int) error {
		var l, a, b [9]float64
		for y := first; y < end; y++ {
			for x := range w {
				for n := range l {
					c := from[min(h-1, max(0, y+n/3-1))*w+min(w-1, max(0, x+n%3-1))]
					l[n], a[n], b[n] = c.l, c.a, c.b
				}
				to[y*w+x] = lab{middle(&l), middle(&a), middle(&b)}
			}
		}
		return nil
	})
	return to, err
}

// middle sorts nine values and returns the median.
func middle(v *[9]float64) float64 {
	for i := 1; i < len(v); i++ {
		for j := i; j > 0 && v[j] < v[j-1]; j-- {
			v[j], v[j-1] = v[j-1], v[j]
		}
	}
	return v[4]
}
