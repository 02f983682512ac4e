package picture

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

// sextants and octants are glyphs by mask: bit 0 is the upper left part, bit 1 the upper right one,
// and so on. For zero the complement is drawn with swapped colors.
var (
	sextants = sextantGlyphs()
	octants  = octantGlyphs()
)

func sextantGlyphs() (glyphs [64]rune) {
	next := rune(0x1fb00)
	for mask := 1; mask < 63; mask++ {
		// The half blocks are older characters.
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
	// Characters older than octants: quadrants by four bits, and quarters of the height.
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
	// Six are elsewhere in Unicode and often missing in terminals.
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
