package picture

// fitted is the best picture of a cell with two colours: ink where the glyph has
// ink, on n1 of n sub-pixels, and ground elsewhere.
type fitted struct {
	glyph      rune
	ink, paper [3]float32
	n1, n      int
}

// blockSide is how many sub-pixels across and down a cell is looked at: eighths
// are the finest that the glyphs below tell apart.
const blockSide = 8

// shape is a glyph whose ink is one of the sums that fitBlocks gathers.
type shape struct {
	glyph rune
	n1    int
}

var (
	// lower and left are filled from one side, by 1 to 7 eighths.
	lower = [...]rune{'▁', '▂', '▃', '▄', '▅', '▆', '▇'}
	left  = [...]rune{'▏', '▎', '▍', '▌', '▋', '▊', '▉'}
	// quadrants are: upper left, upper right, lower left, lower right. Three
	// quadrants are one with the colours swapped.
	quadrants = [...]rune{'▘', '▝', '▖', '▗'}
)

const (
	diagonal  = '▚' // upper left and lower right
	upperHalf = '▀'
)

// minGain is by how much a glyph must come closer than a plain cell to be worth
// it: in squared colour steps per sub-pixel, less than the eye sees.
const minGain = 2.0

// sums are the red, green and blue of some sub-pixels, added up.
type sums [3]int32

func (s *sums) add(o sums) {
	s[0] += o[0]
	s[1] += o[1]
	s[2] += o[2]
}

// fitBlocks finds the glyph and the two colours that come closest to the 8×8
// sub-pixels at x of a band. For a given glyph the means of the two parts are the
// best colours, and the squared error that is left shrinks by |S1|²/n1 + |S0|²/n0:
// the glyph with the largest such sum is the best of all.
func fitBlocks(band []uint8, stride, x int) fitted {
	var rows, cols [blockSide]sums
	var quad [4]sums
	var all sums
	for y := range blockSide {
		line := band[y*stride+3*x:][:3*blockSide]
		for i := range blockSide {
			r, g, b := int32(line[3*i]), int32(line[3*i+1]), int32(line[3*i+2])
			cols[i][0] += r
			cols[i][1] += g
			cols[i][2] += b
			rows[y][0] += r
			rows[y][1] += g
			rows[y][2] += b
			q := &quad[y/4*2+i/4]
			q[0] += r
			q[1] += g
			q[2] += b
		}
		all.add(rows[y])
	}
	const n = blockSide * blockSide
	best := fit{all: all, n: n, score: score(all, n) + minGain*n}
	var s sums
	for i := range lower {
		s.add(rows[blockSide-1-i])
		best.try(shape{lower[i], (i + 1) * blockSide}, s)
	}
	s = sums{}
	for i := range left {
		s.add(cols[i])
		best.try(shape{left[i], (i + 1) * blockSide}, s)
	}
	for i, q := range quad {
		best.try(shape{quadrants[i], n / 4}, q)
	}
	s = quad[0]
	s.add(quad[3])
	best.try(shape{diagonal, n / 2}, s)
	return best.result()
}

// fit is the search for the best shape of one cell.
type fit struct {
	all   sums
	n     int // sub-pixels of the cell
	score float32
	shape shape
	ink   sums
}

// score is |S|²/n.
func score(s sums, n int32) float32 {
	r, g, b := float32(s[0]), float32(s[1]), float32(s[2])
	return (r*r + g*g + b*b) / float32(n)
}

func (f *fit) try(s shape, ink sums) {
	rest := sums{f.all[0] - ink[0], f.all[1] - ink[1], f.all[2] - ink[2]}
	n1 := int32(s.n1)
	if v := score(ink, n1) + score(rest, int32(f.n)-n1); v > f.score {
		f.score, f.shape, f.ink = v, s, ink
	}
}

// result turns the best shape into colours; a cell that none improves is plain.
func (f *fit) result() fitted {
	n := f.n
	r := fitted{glyph: f.shape.glyph, n1: f.shape.n1, n: n}
	if r.glyph == 0 {
		r.glyph = ' '
	}
	for c := range 3 {
		r.paper[c] = float32(f.all[c]-f.ink[c]) / float32(n-r.n1)
		if r.n1 > 0 {
			r.ink[c] = float32(f.ink[c]) / float32(r.n1)
		}
	}
	return r
}

// fitHalf is the cell of two sub-pixels, one above the other, at x of a band.
func fitHalf(band []uint8, stride, x int) fitted {
	up, down := band[3*x:][:3], band[stride+3*x:][:3]
	r := fitted{glyph: upperHalf, n1: 1, n: 2}
	for c := range 3 {
		r.ink[c], r.paper[c] = float32(up[c]), float32(down[c])
	}
	if r.ink == r.paper {
		r.glyph, r.n1 = ' ', 0
	}
	return r
}
