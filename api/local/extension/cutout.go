package extension

import (
	"errors"
	"image"
	"math"
	"slices"

	"mediadesk/api/media"
)

// rgb is a color with channels from 0 to 255.
type rgb [3]float32

func (c rgb) distance(o rgb) float32 {
	var sum float32
	for k := range c {
		sum += (c[k] - o[k]) * (c[k] - o[k])
	}
	return float32(math.Sqrt(float64(sum / 3)))
}

// mix returns c with a share of o.
func (c rgb) mix(o rgb, share float32) rgb {
	for k := range c {
		c[k] += (o[k] - c[k]) * share
	}
	return c
}

const (
	workSide = 900 // longest side of the picture in which the background is found
	alike    = 36  // distance of the border colors that are background
	step     = 9   // distance of neighbors that are both background
)

// cutout is the picture in which the background is found.
type cutout struct {
	w, h   int
	colors []rgb
	behind []rgb  // the background, also where the subject hides it
	back   []bool // is background
}

// cutOut makes the background of img transparent: what the border color reaches in small steps, and
// what is enclosed and looks the same. The edge is soft and has no background in its color.
func cutOut(img *image.NRGBA) error {
	small := media.Scale(img, img.Rect, media.FitSize(img.Rect.Size(), workSide))
	c := &cutout{w: small.Rect.Dx(), h: small.Rect.Dy()}
	if c.w < 8 || c.h < 8 {
		return errors.New("the picture is too small")
	}
	n := c.w * c.h
	c.colors, c.behind, c.back = make([]rgb, n), make([]rgb, n), make([]bool, n)
	for i := range n {
		p := small.Pix[small.PixOffset(i%c.w, i/c.w):]
		clear := 2 * (255 - float32(p[3])) // what is transparent is unlike any color
		c.colors[i] = rgb{float32(p[0]) - clear, float32(p[1]) - clear, float32(p[2]) - clear}
	}
	seeds, err := c.border()
	if err != nil {
		return err
	}
	c.flood(seeds)
	c.hide()
	c.flood(c.holes())
	visible := 0
	for _, area := range c.areas(func(i int) bool { return !c.back[i] }) {
		if len(area) < max(16, n/2000) { // dust
			for _, i := range area {
				c.back[i] = true
			}
			continue
		}
		visible += len(area)
	}
	if visible < n/200 || visible > n*97/100 {
		return errors.New("no clear subject was found in front of the background")
	}
	c.matte(img)
	return nil
}

// border returns the pixels along the edges with about the color of most of them.
func (c *cutout) border() (seeds []int, err error) {
	var all []int
	for i := range c.colors {
		if x, y := i%c.w, i/c.w; x == 0 || y == 0 || x == c.w-1 || y == c.h-1 {
			all = append(all, i)
		}
	}
	var middle rgb
	for k := range middle {
		slices.SortFunc(all, func(a, b int) int { return int(c.colors[a][k] - c.colors[b][k]) })
		middle[k] = c.colors[all[len(all)/2]][k]
	}
	steps := 0
	for _, i := range all {
		if c.colors[i].distance(middle) < alike {
			seeds = append(seeds, i)
			if c.behind[i] = c.colors[i]; i%c.w > 0 && c.colors[i].distance(c.colors[i-1]) > 2*step {
				steps++
			}
		}
	}
	if len(seeds) < len(all)*2/5 || steps > len(seeds)/4 {
		return nil, errors.New("no clear background was found: its colors differ too much along the edges of the picture")
	}
	return seeds, nil
}

// flood marks what is reached from seeds. It compares each step with the mean color of the way,
// which follows gradual changes of light but no edges.
func (c *cutout) flood(queue []int) {
	for _, i := range queue {
		c.back[i] = true
	}
	for at := 0; at < len(queue); at++ {
		i := queue[at]
		for _, next := range c.neighbors(i) {
			if !c.back[next] && c.colors[next].distance(c.behind[i]) <= step {
				c.back[next], c.behind[next] = true, c.behind[i].mix(c.colors[next], 0.2)
				queue = append(queue, next)
			}
		}
	}
}

// neighbors returns the pixels left, right, above and below a pixel, or itself for none.
func (c *cutout) neighbors(i int) [4]int {
	x, y := i%c.w, i/c.w
	return [4]int{i - min(x, 1), i + min(c.w-1-x, 1), i - c.w*min(y, 1), i + c.w*min(c.h-1-y, 1)}
}

// hide fills in the background behind the subject: in each line, from its last background pixel on
// the left to the next one on the right.
func (c *cutout) hide() {
	for y := range c.h {
		back, behind, last := c.back[y*c.w:][:c.w], c.behind[y*c.w:], -1
		for x := 0; x <= c.w; x++ {
			if x < c.w && !back[x] {
				continue
			}
			from, to := last, x
			if from < 0 {
				from = to
			}
			if to == c.w {
				to = from
			}
			for i := last + 1; i < x && to < c.w; i++ {
				behind[i] = behind[from].mix(behind[to], float32(i-from)/float32(max(1, to-from)))
			}
			last = x
		}
	}
}

// holes returns the pixels of enclosed areas in the color of the background with a sharp edge, such
// as the opening of a handle. If they are most of the subject, it has the color of the background
// and none is a hole.
func (c *cutout) holes() (holes []int) {
	left := 0
	for _, back := range c.back {
		if !back {
			left++
		}
	}
	near := func(i int) bool { return !c.back[i] && c.colors[i].distance(c.behind[i]) < step }
	for _, area := range c.areas(near) {
		edge, sharp := 0, 0
		for _, i := range area {
			for _, next := range c.neighbors(i) {
				beyond := max(0, min(i+4*(next-i), len(c.colors)-1))
				if near(next) || near(beyond) { // or grain
					continue
				}
				if edge++; c.colors[beyond].distance(c.behind[beyond]) > 3*step {
					sharp++
				}
			}
		}
		if len(area) >= max(60, len(c.colors)/4000) && sharp > edge*7/10 {
			holes = append(holes, area...)
		}
	}
	if len(holes) > left/2 {
		return nil
	}
	return holes
}

// areas returns the connected areas of wanted pixels.
func (c *cutout) areas(requested func(i int) bool) (areas [][]int) {
	seen := make([]bool, len(c.colors))
	for start := range c.colors {
		if seen[start] || !requested(start) {
			continue
		}
		area := []int{start}
		seen[start] = true
		for at := 0; at < len(area); at++ {
			for _, next := range c.neighbors(area[at]) {
				if !seen[next] && requested(next) {
					seen[next] = true
					area = append(area, next)
				}
			}
		}
		areas = append(areas, area)
	}
	return areas
}

// matte sets the alpha of the full picture. Along the edge it takes the share of the background out
// of the color, which leaves no rim.
func (c *cutout) matte(img *image.NRGBA) {
	mask := image.NewNRGBA(image.Rect(0, 0, c.w, c.h))
	for i := range c.back {
		inside := 0
		for _, next := range c.neighbors(i) {
			for _, j := range [...]int{i, next} {
				if !c.back[j] {
					inside++
				}
			}
		}
		mask.Pix[4*i+3] = uint8(255 * inside / 8)
	}
	mask = media.Scale(mask, mask.Rect, img.Rect.Size())
	w, h := img.Rect.Dx(), img.Rect.Dy()
	for y := range h {
		for x := range w {
			p := img.Pix[img.PixOffset(x, y):][:4:4]
			alpha := max(0, float32(mask.Pix[mask.PixOffset(x, y)+3])/255*2-1)
			if alpha == 0 {
				clear(p)
				continue
			}
			b := c.behind[y*c.h/h*c.w+x*c.w/w]
			for k := range b {
				p[k] = uint8(max(0, min((float32(p[k])-(1-alpha)*b[k])/alpha+0.5, 255)))
			}
			p[3] = uint8(float32(p[3])*alpha + 0.5)
		}
	}
}
