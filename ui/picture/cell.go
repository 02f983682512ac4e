package picture

import "strconv"

// cell is a character cell: glyph, foreground and background.
type cell struct {
	glyph  rune
	fg, bg paint
}

// paint is a terminal color: none, one of 256, or RGB.
type paint uint32

const (
	noPaint  paint = 0
	rgbPaint paint = 1 << 24
	palPaint paint = 2 << 24
)

// exact returns a paint for RGB from 0 to 255.
func exact(c [3]float32) paint {
	return rgbPaint | paint(c[0]+0.5)<<16 | paint(c[1]+0.5)<<8 | paint(c[2]+0.5)
}

// encode appends a line of cells with as few escape sequences as possible. It ends in the default
// colors.
func encode(b []byte, cells []cell) []byte {
	fg, bg := noPaint, noPaint
	for _, c := range cells {
		// The foreground of a space is invisible and need not change.
		newFg := c.fg
		if c.glyph == ' ' && c.fg == noPaint && c.bg != noPaint {
			newFg = fg
		}
		if newFg != fg || c.bg != bg {
			b = sequence(b, fg, newFg, bg, c.bg)
			fg, bg = newFg, c.bg
		}
		b = append(b, string(c.glyph)...)
	}
	if fg != noPaint || bg != noPaint {
		b = append(b, "\x1b[m"...)
	}
	return b
}

// sequence appends the change between two pairs of colors.
func sequence(b []byte, oldFg, fg, oldBg, bg paint) []byte {
	b = append(b, "\x1b["...)
	n := len(b)
	if fg != oldFg {
		b = appendPaint(b, fg, '3')
	}
	if bg != oldBg {
		if len(b) > n {
			b = append(b, ';')
		}
		b = appendPaint(b, bg, '4')
	}
	return append(b, 'm')
}

// appendPaint appends the parameters of a color; layer is '3' for foreground and '4' for
// background.
func appendPaint(b []byte, p paint, layer byte) []byte {
	b = append(b, layer)
	switch {
	case p == noPaint:
		return append(b, '9')
	case p&palPaint != 0:
		b = append(b, "8;5;"...)
		return strconv.AppendUint(b, uint64(p&0xff), 10)
	}
	b = append(b, "8;2;"...)
	b = strconv.AppendUint(b, uint64(p>>16&0xff), 10)
	b = append(b, ';')
	b = strconv.AppendUint(b, uint64(p>>8&0xff), 10)
	b = append(b, ';')
	return strconv.AppendUint(b, uint64(p&0xff), 10)
}
