package media

import (
	"image"
	"math"
	"slices"
)

const (
	// MostSuggested is the greatest share of a picture that a suggestion takes.
	MostSuggested = 0.6

	suggestSide  = 64              // of the map of salience
	detailSide   = 4 * suggestSide // of the copy in which fine detail is measured
	centerSpread = 0.4             // how far from the middle, in sides, a pixel counts 60 %
	standsOut    = 1.5             // times the mean from which a pixel counts at all
	nearFull     = 0.85            // of a side from which a free window takes all of it
)

// Suggest returns at most so many parts of a picture that are worth cropping to, best
// first, in pixels of img. Each has about the ratio, width to height; the zero ratio
// leaves that free. None takes more than [MostSuggested] of the picture; every second one
// is half of the one before. None at all: nothing stands out. It takes a few milliseconds.
//
// A pixel stands out if a barrier of color fences it off from the borders, or if it is
// sharp, since backgrounds are often blurred; the middle counts more. The suggestion lies
// about the mean of these pixels and has the proportions in which they are spread.
func Suggest(img *image.RGBA, ratio image.Point, most int) []image.Rectangle {
	full := img.Rect.Size()
	if min(full.X, full.Y) < 8 {
		return nil
	}
	m := newSalience(img)
	var out []image.Rectangle
	share := MostSuggested
	for i := range most {
		part, ok := m.window(ratio, share)
		if !ok {
			break
		}
		share = float64(part.Dx()*part.Dy()) / float64(2*m.size.X*m.size.Y)
		if i%2 == 1 {
			share = MostSuggested
			m.forget(part) // what follows is another part
		}
		part = image.Rect(
			part.Min.X*full.X/m.size.X, part.Min.Y*full.Y/m.size.Y,
			part.Max.X*full.X/m.size.X, part.Max.Y*full.Y/m.size.Y,
		)
		if !part.Empty() && !slices.Contains(out, part) {
			out = append(out, part)
		}
	}
	return out
}

// salience is a small map of how much each part of a picture stands out; 0 where it does
// not.
type salience struct {
	size image.Point
	v    []float64
}

func newSalience(img *image.RGBA) *salience {
	m := &salience{size: FitSize(img.Rect.Size(), suggestSide)}
	m.v = m.detail(img)
	for i, v := range m.barriers(opponents(img, m.size)) {
		x, y := float64(i%m.size.X)/float64(m.size.X)-0.5, float64(i/m.size.X)/float64(m.size.Y)-0.5
		m.v[i] = (m.v[i] + v) * math.Exp(-(x*x+y*y)/(2*centerSpread*centerSpread))
	}
	for i, v := range even(m.v) {
		if v < standsOut {
			m.v[i] = 0
		}
	}
	return m
}

// opponents are light, red to green and yellow to blue of the pixels of a copy.
func opponents(img *image.RGBA, size image.Point) (channels [3][]float64) {
	full := img.Rect.Size()
	pix := Sample(img, full, image.Rectangle{Max: full}, size).Pix
	for ; len(pix) > 0; pix = pix[4:] {
		r, g, b := float64(pix[0]), float64(pix[1]), float64(pix[2])
		for c, v := range [3]float64{(r + g + b) / 3, r - g, (r+g)/2 - b} {
			channels[c] = append(channels[c], v)
		}
	}
	return channels
}

// barriers is how much each pixel is fenced off from the borders, with a mean of 1: the
// least range of values on a way there, in each channel (the minimum barrier distance). A
// thing that stands alone has about the same value all over.
func (m *salience) barriers(channels [3][]float64) []float64 {
	out := make([]float64, m.size.X*m.size.Y)
	w, h := m.size.X, m.size.Y
	for _, v := range channels {
		far, high, low := make([]float64, len(v)), slices.Clone(v), slices.Clone(v)
		for i := range far {
			if x, y := i%w, i/w; x > 0 && y > 0 && x < w-1 && y < h-1 {
				far[i] = math.Inf(1)
			}
		}
		visit := func(i, from int) {
			if top, bottom := max(high[from], v[i]), min(low[from], v[i]); top-bottom < far[i] {
				far[i], high[i], low[i] = top-bottom, top, bottom
			}
		}
		for range 3 { // scans to and fro come close to the exact distance
			for i := w + 1; i < len(v); i++ {
				visit(i, i-1)
				visit(i, i-w)
			}
			for i := len(v) - w - 2; i >= 0; i-- {
				visit(i, i+1)
				visit(i, i+w)
			}
		}
		for i, d := range even(far) {
			out[i] += d
		}
	}
	return even(out)
}

// detail is how much neighboring pixels of a larger copy differ in light, with a mean
// of 1.
func (m *salience) detail(img *image.RGBA) []float64 {
	size := FitSize(img.Rect.Size(), detailSide)
	light := opponents(img, size)[0]
	sums := make([]float64, m.size.X*m.size.Y)
	for y := 1; y < size.Y; y++ {
		for x := 1; x < size.X; x++ {
			i := y*size.X + x
			sums[y*m.size.Y/size.Y*m.size.X+x*m.size.X/size.X] += math.Abs(light[i]-light[i-1]) + math.Abs(light[i]-light[i-size.X])
		}
	}
	const around = 2
	out := make([]float64, len(sums))
	for i := range out {
		n := 0.0
		for y := max(0, i/m.size.X-around); y <= min(m.size.Y-1, i/m.size.X+around); y++ {
			for x := max(0, i%m.size.X-around); x <= min(m.size.X-1, i%m.size.X+around); x++ {
				out[i] += sums[y*m.size.X+x]
				n++
			}
		}
		out[i] /= n
	}
	return even(out)
}

// even scales values to a mean of 1 and cuts the few that are far above it.
func even(values []float64) []float64 {
	for range 2 {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		for i := range values {
			values[i] = min(values[i]*float64(len(values))/max(sum, 1e-9), 4)
		}
	}
	return values
}

// window is the part that takes a share of the map about what stands out. It is found in
// steps, each of which looks only at the part before.
func (m *salience) window(ratio image.Point, share float64) (part image.Rectangle, ok bool) {
	part = image.Rectangle{Max: m.size}
	width, height := float64(m.size.X), float64(m.size.Y)
	for range 3 {
		var n, sx, sy, xx, yy float64
		for y := part.Min.Y; y < part.Max.Y; y++ {
			for x := part.Min.X; x < part.Max.X; x++ {
				v, fx, fy := m.v[y*m.size.X+x], float64(x)+0.5, float64(y)+0.5
				n, sx, sy, xx, yy = n+v, sx+v*fx, sy+v*fy, xx+v*fx*fx, yy+v*fy*fy
			}
		}
		if n == 0 {
			return part, false
		}
		w, h := math.Sqrt(xx/n-sx/n*sx/n+1), math.Sqrt(yy/n-sy/n*sy/n+1) // the spread
		if ratio.X > 0 && ratio.Y > 0 {
			w, h = float64(ratio.X), float64(ratio.Y)
		}
		k := math.Sqrt(share * width * height / (w * h))
		w, h = w*k, h*k
		switch free := ratio.X < 1 || ratio.Y < 1; {
		case !free:
			k = min(1, width/w, height/h)
			w, h = w*k, h*k
		case w > nearFull*width && w/width > h/height:
			w, h = width, share*height
		case h > nearFull*height:
			w, h = share*width, height
		}
		x, y := max(0, min(sx/n-w/2, width-w)), max(0, min(sy/n-h/2, height-h))
		part = image.Rect(int(math.Round(x)), int(math.Round(y)), int(x+w), int(y+h))
	}
	return part, true
}

// forget takes a part out of the map.
func (m *salience) forget(part image.Rectangle) {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		clear(m.v[y*m.size.X+part.Min.X : y*m.size.X+part.Max.X])
	}
}
