package media

import (
	"image"
	"math"
	"slices"
)

const (
	// mostSuggested is the largest share of a picture that a suggestion covers.
	mostSuggested = 0.6

	suggestSide  = 64              // longer side of the salience map
	detailSide   = 4 * suggestSide // longer side of the copy for measuring detail
	centerSpread = 0.4             // distance from the center, in sides, at which a pixel counts 60 %
	standsOut    = 1.5             // times the mean; pixels below count 0
	nearFull     = 0.85            // share of a side from which a window without ratio takes all of it
)

// Suggest returns up to most parts of a picture worth cropping to, best first, in pixels of
// img. Each has about the given ratio of width to height; a zero ratio means any. Of a
// transparent picture the first is the box of all that is visible, with a margin. No other
// covers more than [mostSuggested] of the picture; every second one has half the area of
// the previous one. It returns nil if nothing stands out. It takes a few milliseconds.
//
// A pixel stands out if a barrier of color separates it from the borders, or if it is
// sharp, since backgrounds are often blurred. Pixels near the center count more. A
// suggestion is centered on the mean of these pixels and has the proportions of their
// spread.
func Suggest(img *image.RGBA, ratio image.Point, most int) []image.Rectangle {
	full := img.Rect.Size()
	if min(full.X, full.Y) < 8 {
		return nil
	}
	m := newSalience(img)
	var out []image.Rectangle
	if box := visibleBox(img); !box.Empty() && box != img.Rect {
		out = append(out, widened(box, ratio, full))
	}
	share := mostSuggested
	for i := range most - len(out) {
		part, ok := m.window(ratio, share)
		if !ok {
			break
		}
		share = float64(part.Dx()*part.Dy()) / float64(2*m.size.X*m.size.Y)
		if i%2 == 1 {
			share = mostSuggested
			for y := part.Min.Y; y < part.Max.Y; y++ { // the next suggestion is elsewhere
				clear(m.v[y*m.size.X+part.Min.X : y*m.size.X+part.Max.X])
			}
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

func visibleBox(img *image.RGBA) (box image.Rectangle) {
	const minAlpha, margin = 24, 0.04 // least alpha that is seen; share of the longer side
	for y := range img.Rect.Dy() {
		line := img.Pix[y*img.Stride:][:4*img.Rect.Dx()]
		for x := range img.Rect.Dx() {
			if line[4*x+3] >= minAlpha {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if box.Empty() {
		return box
	}
	return box.Inset(-int(math.Ceil(margin * float64(max(box.Dx(), box.Dy()))))).Intersect(img.Rect)
}

func widened(box image.Rectangle, ratio, full image.Point) image.Rectangle {
	if ratio.X < 1 || ratio.Y < 1 {
		return box
	}
	w, h := float64(ratio.X), float64(ratio.Y)
	k := min(max(float64(box.Dx())/w, float64(box.Dy())/h), float64(full.X)/w, float64(full.Y)/h)
	return Around(box, image.Pt(int(math.Round(w*k)), int(math.Round(h*k))), full)
}

// salience is a small map of how much each part of a picture stands out.
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

// opponents returns the lightness, red-green and yellow-blue channels of a reduced copy.
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

// barriers returns the distance of each pixel from the borders, with a mean of 1: the
// smallest range of values along any path to a border, per channel (minimum barrier
// distance). The distance is about the same all over an isolated object.
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
		for range 3 { // forward and backward scans approximate the exact distance
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

// detail returns how much neighboring pixels of a larger copy differ in lightness, with a mean of 1.
func (m *salience) detail(img *image.RGBA) []float64 {
	size := FitSize(img.Rect.Size(), detailSide)
	light := opponents(img, size)[0]
	sums := make([]float64, m.size.X*m.size.Y)
	for y := 1; y < size.Y; y++ {
		for x := 1; x < size.X; x++ {
			i := y*size.X + x
			sums[y*m.size.Y/size.Y*m.size.X+x*m.size.X/size.X] += math.Abs(light[i]-light[i-1]) +
				math.Abs(light[i]-light[i-size.X])
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

// even scales values to a mean of 1 and caps outliers.
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

// window returns the part with the given share of the map around the pixels that stand out.
// Each of its steps considers only the part of the step before.
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
