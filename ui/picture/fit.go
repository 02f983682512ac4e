package picture

import "image"

// Sub-pixels of a cell, divisible into halves, quarters and eighths.
const (
	fitWidth  = 8
	fitHeight = 24
	fitAll    = fitWidth * fitHeight
)

var (
	// lower and left are filled by 1 to 7 eighths.
	lower = [...]rune{'▁', '▂', '▃', '▄', '▅', '▆', '▇'}
	left  = [...]rune{'▏', '▎', '▍', '▌', '▋', '▊', '▉'}
	// quadrants are upper left, upper right, lower left, lower right. Three quadrants are one with
	// swapped colors.
	quadrants = [...]rune{'▘', '▝', '▖', '▗'}
)

const (
	diagonal  = '▚' // upper left and lower right
	upperHalf = '▀'
)

// minGain is how much better than a plain cell a glyph must be, in squared color steps per
// sub-pixel; less is invisible.
const minGain = 2.0

// fitted is the best drawing of a cell with two colors: ink for the glyph on part of the cell,
// paper for the rest.
type fitted struct {
	glyph      rune
	ink, paper [3]float32
	part       float32 // of the cell, 0 to 1
}

type sums [3]int32

func (s *sums) add(o sums) {
	s[0] += o[0]
	s[1] += o[1]
	s[2] += o[2]
}

func (s sums) minus(o sums) sums { return sums{s[0] - o[0], s[1] - o[1], s[2] - o[2]} }

// score returns |S|²/n.
func (s sums) score(n int) float32 {
	r, g, b := float32(s[0]), float32(s[1]), float32(s[2])
	return (r*r + g*g + b*b) / float32(n)
}

type fit struct {
	all   sums
	score float32
	glyph rune
	ink   sums
	n     int // sub-pixels of the ink
}

// fitCell finds the glyph and colors that best match the sub-pixels at the start of pix, 4 bytes
// each. For a given glyph the mean colors are best, and the squared error shrinks by |S1|²/n1 +
// |S0|²/n0, so the glyph with the largest sum wins.
func fitCell(pix []uint8, stride int) fitted {
	var cols [fitWidth]sums
	var halves [fitHeight][2]sums
	var f fit
	for y := range fitHeight {
		line := pix[y*stride:][:4*fitWidth]
		for i := range fitWidth {
			r, g, b := int32(line[4*i]), int32(line[4*i+1]), int32(line[4*i+2])
			cols[i][0] += r
			cols[i][1] += g
			cols[i][2] += b
			h := &halves[y][i/(fitWidth/2)]
			h[0] += r
			h[1] += g
			h[2] += b
		}
		f.all.add(halves[y][0])
		f.all.add(halves[y][1])
	}
	f.glyph, f.score = ' ', f.all.score(fitAll)+minGain*fitAll
	f.sides(&halves, &cols)
	var quarters [4]sums
	for y, h := range halves {
		quarters[y/(fitHeight/2)*2].add(h[0])
		quarters[y/(fitHeight/2)*2+1].add(h[1])
	}
	for i, q := range quarters {
		f.try(quadrants[i], fitAll/4, q)
	}
	quarters[0].add(quarters[3])
	f.try(diagonal, fitAll/2, quarters[0])
	return f.result()
}

func (f *fit) try(glyph rune, n int, ink sums) {
	if v := ink.score(n) + f.all.minus(ink).score(fitAll-n); v > f.score {
		f.score, f.glyph, f.n, f.ink = v, glyph, n, ink
	}
}

func (f *fit) sides(halves *[fitHeight][2]sums, cols *[fitWidth]sums) {
	var s sums
	const step = fitHeight / 8
	for i := range lower {
		for y := range step {
			line := &halves[fitHeight-1-i*step-y]
			s.add(line[0])
			s.add(line[1])
		}
		f.try(lower[i], (i+1)*step*fitWidth, s)
	}
	s = sums{}
	for i := range left {
		s.add(cols[i])
		f.try(left[i], (i+1)*fitHeight, s)
	}
}

func (f *fit) result() fitted {
	r := fitted{glyph: f.glyph, part: float32(f.n) / fitAll}
	for c := range 3 {
		r.paper[c] = float32(f.all[c]-f.ink[c]) / float32(fitAll-f.n)
		if f.n > 0 {
			r.ink[c] = float32(f.ink[c]) / float32(f.n)
		}
	}
	return r
}

// Fit returns the largest rectangle of cells with the proportions of size, centered in cols × rows.
// aspect is the height of a cell divided by its width; zero means 2. The result is empty if size or
// the space is empty, else at least one cell.
func Fit(size image.Point, cols, rows int, aspect float64) image.Rectangle {
	if size.X <= 0 || size.Y <= 0 || cols <= 0 || rows <= 0 {
		return image.Rectangle{}
	}
	if aspect <= 0 {
		aspect = defaultAspect
	}
	// ratio is columns per row.
	ratio := float64(size.X) / float64(size.Y) * aspect
	w, h := cols, rows
	if float64(cols) > ratio*float64(rows) {
		w = clamp(int(ratio*float64(rows)+0.5), 1, cols)
	} else {
		h = clamp(int(float64(cols)/ratio+0.5), 1, rows)
	}
	p := image.Pt((cols-w)/2, (rows-h)/2)
	return image.Rectangle{Min: p, Max: p.Add(image.Pt(w, h))}
}

const defaultAspect = 2.0

func clamp(v, lo, hi int) int { return max(lo, min(v, hi)) }
