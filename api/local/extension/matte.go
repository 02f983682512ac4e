package extension

import (
	"context"
	"image"
	"math"

	"mediadesk/api/media"
)

// band is the distance from the edge, in pixels of the small picture, at which subject and
// background can mix.
const band = 2

// matte makes the background of the full-size picture img transparent. Pixels along the edge mix
// the subject and background colors near them: the shares give the alpha, and the background's
// share is subtracted to avoid a rim.
func (s *segments) matte(ctx context.Context, img *image.NRGBA) (*image.NRGBA, error) {
	edge := s.edge()
	front, back := s.spread(edge, true), s.spread(edge, false)
	w, h := img.Rect.Dx(), img.Rect.Dy()
	columns := make([]int, w) // columns of the small picture by column of img
	for x := range columns {
		columns[x] = min(s.w-1, x*s.w/w)
	}
	err := media.Strips(ctx, w, h, func(from, to int) error {
		for y := from; y < to; y++ {
			sy := min(s.h-1, y*s.h/h)
			for x, sx := range columns {
				i := sy*s.w + sx
				p := img.Pix[img.PixOffset(x, y):][:4:4]
				if edge[i] {
					f, okF := front[i].mean()
					b, okB := back[i].mean()
					if okF && okB {
						unmix(p, f, b, s.subject[i])
						continue
					}
				}
				if !s.subject[i] {
					clear(p)
				}
			}
		}
		return nil
	})
	return img, err
}

// edge marks the pixels within the band on both sides of the edge.
func (s *segments) edge() []bool {
	marked := make([]bool, len(s.subject))
	for i, subject := range s.subject {
		x, y := i%s.w, i/s.w
		if x+1 < s.w && s.subject[i+1] != subject || y+1 < s.h && s.subject[i+s.w] != subject {
			for dy := -band; dy <= band; dy++ {
				for dx := -band; dx <= band; dx++ {
					if nx, ny := x+dx, y+dy; nx >= 0 && ny >= 0 && nx < s.w && ny < s.h {
						marked[ny*s.w+nx] = true
					}
				}
			}
		}
	}
	return marked
}

// total is a sum of colors in linear light.
type total struct {
	r, g, b float64
	n       float64
}

func (t total) mean() ([3]float64, bool) {
	if t.n == 0 {
		return [3]float64{}, false
	}
	return [3]float64{t.r / t.n, t.g / t.n, t.b / t.n}, true
}

// spread returns, for every pixel of the band, the mean color of the certain pixels of one side
// near it, in linear light.
func (s *segments) spread(edge []bool, subject bool) []total {
	const reach = band + 3
	out := make([]total, len(edge))
	for i, within := range edge {
		if !within {
			continue
		}
		x, y := i%s.w, i/s.w
		for dy := -reach; dy <= reach; dy++ {
			for dx := -reach; dx <= reach; dx++ {
				nx, ny := x+dx, y+dy
				if nx < 0 || ny < 0 || nx >= s.w || ny >= s.h {
					continue
				}
				j := ny*s.w + nx
				if edge[j] || s.subject[j] != subject {
					continue
				}
				c := s.colors[j].linear()
				weight := 1 / float64(1+dx*dx+dy*dy)
				out[i].r += c[0] * weight
				out[i].g += c[1] * weight
				out[i].b += c[2] * weight
				out[i].n += weight
			}
		}
	}
	return out
}

// linear returns the three channels in linear light.
func (c lab) linear() [3]float64 {
	l := cube(c.l + 0.3963377774*c.a + 0.2158037573*c.b)
	m := cube(c.l - 0.1055613458*c.a - 0.0638541728*c.b)
	s := cube(c.l - 0.0894841775*c.a - 1.2914855480*c.b)
	return [3]float64{
		4.0767416621*l - 3.3077115913*m + 0.2309699292*s,
		-1.2684380046*l + 2.6097574011*m - 0.3413193965*s,
		-0.0041960863*l - 0.7034186147*m + 1.7076147010*s,
	}
}

func cube(v float64) float64 { return v * v * v }

// unmix splits a pixel into subject f and background b.
func unmix(p []uint8, f, b [3]float64, inside bool) {
	v := [3]float64{linear[p[0]], linear[p[1]], linear[p[2]]}
	var along, length float64
	for k := range v {
		along += (v[k] - b[k]) * (f[k] - b[k])
		length += (f[k] - b[k]) * (f[k] - b[k])
	}
	alpha := 0.0
	if length > 1e-4 {
		alpha = math.Max(0, math.Min(1, along/length))
	} else if inside {
		alpha = 1 // both look the same, so trust the walk
	}
	// Round almost pure values, since grain would leave a veil.
	alpha = math.Max(0, math.Min(1, (alpha-0.06)/0.88))
	if alpha == 0 {
		copy(p, []uint8{0, 0, 0, 0})
		return
	}
	if alpha < 1 {
		for k := range v {
			p[k] = toByte((v[k] - (1-alpha)*b[k]) / alpha)
		}
	}
	p[3] = uint8(float64(p[3])*alpha + 0.5)
}

// toByte converts linear light to a channel value.
func toByte(v float64) uint8 {
	v = math.Max(0, math.Min(1, v))
	if v <= 0.0031308 {
		v *= 12.92
	} else {
		v = 1.055*math.Pow(v, 1/2.4) - 0.055
	}
	return uint8(v*255 + 0.5)
}
