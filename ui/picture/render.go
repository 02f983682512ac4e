package picture

import (
	"image"
	"strconv"
	"strings"

	"github.com/charmbracelet/colorprofile"

	"mediadesk/api/media"
)

// Color is the number of terminal colors. For 16 use [Color256]: the framework finds the nearest.
type Color int

// Color modes. The zero value is full color.
const (
	TrueColor Color = iota
	Color256
	NoColor
)

// ColorOf returns the color mode for a profile; full color if unknown.
func ColorOf(p colorprofile.Profile) Color {
	switch p {
	case colorprofile.ANSI256, colorprofile.ANSI:
		return Color256
	case colorprofile.ASCII, colorprofile.NoTTY:
		return NoColor
	}
	return TrueColor
}

// Options configures drawing. The zero value suits full-color terminals.
type Options struct {
	Color Color
	// CellAspect is the height of a cell divided by its width; zero means 2.
	CellAspect float64
	// Light means a light background, which matters only without color.
	Light bool
	// Method and Cell (in pixels) apply to [Loader.Load] and [NewRegionView]; [Render] always uses
	// glyphs.
	Method Method
	Cell   image.Point
}

// Render draws p with glyphs, centered and as large as it fits into cols × rows cells. The lines
// end in the default colors. An empty picture gives empty cells.
func Render(p *Picture, cols, rows int, o Options) []string {
	area := Fit(p.Size(), cols, rows, o.CellAspect)
	cells := drawCells(p, area.Size(), o, fullLight)
	return frame(cols, rows, area, func(y int) []byte { return encode(nil, cells[y*area.Dx():][:area.Dx()]) })
}

// frame centers the lines of a picture at area in cols × rows cells.
func frame(cols, rows int, area image.Rectangle, line func(y int) []byte) []string {
	cols = max(0, cols)
	lines := make([]string, max(0, rows))
	for y := range lines {
		if y < area.Min.Y || y >= area.Max.Y {
			lines[y] = strings.Repeat(" ", cols)
			continue
		}
		lines[y] = strings.Repeat(" ", area.Min.X) + string(line(y-area.Min.Y)) + strings.Repeat(" ", cols-area.Max.X)
	}
	return lines
}

// Brightness of a picture, and of its part outside a region, in 256ths.
const (
	fullLight = 256
	dimLight  = 90
)

// Grays of the checkerboard under transparent pictures, visible under light and dark ones. Both are
// also densities of ink.
const (
	checkDark  = 0x40
	checkLight = 0x80
)

// sample returns the visible part of p as size pixels, over a checkerboard with squares of check
// pixels, at light 256ths of its brightness.
func (p *Picture) sample(size, check image.Point, light int) *image.RGBA {
	img := media.Sample(p.full.Pixels, p.full.Size, p.window, size)
	if !p.alpha && light == fullLight {
		return img
	}
	for i := 0; i < len(img.Pix); i += 4 {
		square := checkDark
		if (i/4%size.X/check.X+i/4/size.X/check.Y)%2 == 0 {
			square = checkLight
		}
		px := img.Pix[i:][:4]
		under := (square*(255-int(px[3])) + 127) / 255
		for c := range 3 {
			px[c] = uint8(min(255, int(px[c])+under) * light / fullLight)
		}
	}
	return img
}

func drawCells(p *Picture, size image.Point, o Options, light int) []cell {
	if size.X <= 0 || size.Y <= 0 {
		return nil
	}
	sub := image.Pt(fitWidth, fitHeight)
	if o.Color == NoColor {
		sub = image.Pt(1, 1)
	}
	// Checkerboard squares are one cell high and two wide.
	img := p.sample(image.Pt(size.X*sub.X, size.Y*sub.Y), image.Pt(2*sub.X, sub.Y), light)
	cells, dither := make([]cell, size.X*size.Y), newDiffusion(size.X, o.Color)
	for i := range cells {
		x, y := i%size.X, i/size.X
		if x == 0 {
			dither.line()
		}
		pix := img.Pix[img.PixOffset(x*sub.X, y*sub.Y):]
		switch o.Color {
		case NoColor:
			cells[i] = shade(pix, o.Light, dither, x)
		case Color256:
			cells[i] = indexed(fitCell(pix, img.Stride), dither, x)
		default:
			f := fitCell(pix, img.Stride)
			cells[i] = cell{glyph: f.glyph, bg: exact(f.paper)}
			if f.part > 0 {
				cells[i].fg = exact(f.ink)
			}
		}
	}
	return cells
}

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
