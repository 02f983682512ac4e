package picture

import "math/bits"

// fullHeight is how many sub-pixels down a cell is looked at for the large sets:
// it can be divided into halves, thirds, quarters and eighths.
const fullHeight = 24

// sextants and octants are the glyphs by mask: bit 0 is the upper left part, bit
// 1 the upper right one, and so on down. Those that need more than one colour
// exchanged are zero; their complement is drawn instead, with the two colours
// changed places.
var (
	sextants = sextantGlyphs()
	octants  = octantGlyphs()
)

func sextantGlyphs() (glyphs [64]rune) {
	next := rune(0x1fb00)
	for mask := 1; mask < 63; mask++ {
		// The left and the right half are block elements of old.
		if mask == 0b010101 || mask == 0b101010 {
			continue
		}
		glyphs[mask] = next
		next++
	}
	glyphs[0b010101], glyphs[0b101010] = '▌', '▐'
	return glyphs
}

func octantGlyphs() (glyphs [256]rune) {
	// What Unicode had before octants: quadrants by the four bits upper left,
	// upper right, lower left, lower right, and quarters of the height.
	older := map[int]rune{0b11: '🮂', 0b11000000: '▂', 0b11111100: '▆', 0b00111111: '🮅'}
	quadrant := [16]rune{' ', '▘', '▝', '▀', '▖', '▌', '▞', '▛', '▗', '▚', '▐', '▜', '▄', '▙', '▟', '█'}
	for q, glyph := range quadrant {
		mask := 0
		for i, part := range [...]int{0b0101, 0b1010, 0b01010000, 0b10100000} {
			if q>>i&1 != 0 {
				mask |= part
			}
		}
		older[mask] = glyph
	}
	// Six stand by themselves elsewhere in Unicode, and terminals that draw the
	// rest often lack them.
	odd := map[int]bool{1: true, 2: true, 1 << 6: true, 1 << 7: true, 0b010100: true, 0b101000: true}
	next := rune(0x1cd00)
	for mask := range glyphs {
		switch glyph, is := older[mask]; {
		case is:
			glyphs[mask] = glyph
		case !odd[mask]:
			glyphs[mask] = next
			next++
		}
	}
	return glyphs
}

// fitFull finds the glyph and the two colours that come closest to the 8×24
// sub-pixels at x of a band, among the eighths, the sextants and, where they are
// wanted, the octants; see [fitBlocks].
func fitFull(band []uint8, stride, x int, withOctants bool) fitted {
	var cols [blockSide]sums
	var halves [fullHeight][2]sums
	var all sums
	for y := range fullHeight {
		line := band[y*stride+3*x:][:3*blockSide]
		for i := range blockSide {
			r, g, b := int32(line[3*i]), int32(line[3*i+1]), int32(line[3*i+2])
			cols[i][0] += r
			cols[i][1] += g
			cols[i][2] += b
			h := &halves[y][i/4]
			h[0] += r
			h[1] += g
			h[2] += b
		}
		all.add(halves[y][0])
		all.add(halves[y][1])
	}
	const n = blockSide * fullHeight
	best := fit{all: all, n: n, score: score(all, n) + minGain*n}
	best.sides(&halves, &cols)
	var parts [8]sums
	for i := range 6 {
		for y := range 8 {
			parts[i].add(halves[i/2*8+y][i%2])
		}
	}
	best.masks(parts[:6], sextants[:])
	if withOctants {
		parts = [8]sums{}
		for i := range 8 {
			for y := range 6 {
				parts[i].add(halves[i/2*6+y][i%2])
			}
		}
		best.masks(parts[:], octants[:])
		return best.result()
	}
	var quad [4]sums
	for i := range quad {
		for y := range 12 {
			quad[i].add(halves[i/2*12+y][i%2])
		}
		best.try(shape{quadrants[i], n / 4}, quad[i])
	}
	s := quad[0]
	s.add(quad[3])
	best.try(shape{diagonal, n / 2}, s)
	return best.result()
}

// sides tries the glyphs that are filled from one side.
func (f *fit) sides(halves *[fullHeight][2]sums, cols *[blockSide]sums) {
	var s sums
	const step = fullHeight / 8
	for i := range lower {
		for y := range step {
			line := &halves[fullHeight-1-i*step-y]
			s.add(line[0])
			s.add(line[1])
		}
		f.try(shape{lower[i], (i + 1) * step * blockSide}, s)
	}
	s = sums{}
	for i := range left {
		s.add(cols[i])
		f.try(shape{left[i], (i + 1) * fullHeight}, s)
	}
}

// masks tries every way to divide equal parts in two. It walks through the masks
// by the Gray code, in which each differs from the one before in one part; a mask
// and its complement are the same division, so half of them are enough.
func (f *fit) masks(parts []sums, glyphs []rune) {
	n := f.n / len(parts)
	var ink sums
	mask, whole := 0, len(glyphs)-1
	for i := 1; i < len(glyphs)/2; i++ {
		bit := bits.TrailingZeros(uint(i))
		mask ^= 1 << bit
		p := &parts[bit]
		if mask>>bit&1 != 0 {
			ink.add(*p)
		} else {
			ink = sums{ink[0] - p[0], ink[1] - p[1], ink[2] - p[2]}
		}
		count := bits.OnesCount(uint(mask))
		if glyph := glyphs[mask]; glyph != 0 {
			f.try(shape{glyph, count * n}, ink)
			continue
		}
		rest := sums{f.all[0] - ink[0], f.all[1] - ink[1], f.all[2] - ink[2]}
		f.try(shape{glyphs[whole^mask], (len(parts) - count) * n}, rest)
	}
}
