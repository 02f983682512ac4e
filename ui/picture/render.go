package picture

import (
	"fmt"
	"image"
	"strings"

	"github.com/charmbracelet/colorprofile"

	"mediadesk/api/media"
	"mediadesk/ui/text"
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
		lines[y] = strings.Repeat(" ", area.Min.X) + string(line(y-area.Min.Y)) +
			strings.Repeat(" ", cols-area.Max.X)
	}
	return lines
}

// Brightness of a picture, and of its part outside a region, in 256ths.
const (
	fullLight = 256
	dimLight  = 90
)

// board returns the grays of the checkerboard under transparent pictures, close to the background. Without
// color they are also densities of ink.
func (o Options) board() [2]int {
	switch {
	case o.Color == NoColor:
		return [2]int{0x40, 0x80}
	case o.Light:
		return [2]int{0xd8, 0xec}
	}
	return [2]int{0x28, 0x38}
}

// sample returns the visible part of p as size pixels, over a checkerboard with squares of check
// pixels, at light 256ths of its brightness.
func (p *Picture) sample(size, check image.Point, light int, o Options) *image.RGBA {
	img := media.Sample(p.full.Pixels, p.full.Size, p.window, size)
	if !p.alpha && light == fullLight {
		return img
	}
	board := o.board()
	for i := 0; i < len(img.Pix); i += 4 {
		square := board[(i/4%size.X/check.X+i/4/size.X/check.Y+1)%2]
		px := img.Pix[i:][:4]
		under := (square*(255-int(px[3])) + 127) / 255
		for c := range 3 {
			px[c] = uint8(min(255, int(px[c])+under) * light / fullLight)
		}
		px[3] = 255 // a terminal would show its background
	}
	return img
}

func drawCells(p *Picture, size image.Point, o Options, light int) []cell {
	if size.X <= 0 || size.Y <= 0 {
		return nil
	}
	sub := text.Either(o.Color == NoColor, image.Pt(1, 1), image.Pt(fitWidth, fitHeight))
	// Checkerboard squares are one cell high and two wide.
	img := p.sample(image.Pt(size.X*sub.X, size.Y*sub.Y), image.Pt(2*sub.X, sub.Y), light, o)
	cells, dither := make([]cell, size.X*size.Y), newDiffusion(size.X, o.Color)
	for i := range cells {
		x, y := i%size.X, i/size.X
		if x == 0 {
			dither.here, dither.next = dither.next, dither.here
			clear(dither.next)
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
		newFg := text.Either(c.glyph == ' ' && c.fg == noPaint && c.bg != noPaint, fg, c.fg)
		if newFg != fg || c.bg != bg {
			b = append(b, "\x1b["...)
			if newFg != fg {
				b = appendPaint(b, newFg, '3')
			}
			if newFg != fg && c.bg != bg {
				b = append(b, ';')
			}
			if c.bg != bg {
				b = appendPaint(b, c.bg, '4')
			}
			b = append(b, 'm')
			fg, bg = newFg, c.bg
		}
		b = append(b, string(c.glyph)...)
	}
	if fg != noPaint || bg != noPaint {
		b = append(b, "\x1b[m"...)
	}
	return b
}

// appendPaint appends the parameters of a color; layer is '3' for foreground and '4' for
// background.
func appendPaint(b []byte, p paint, layer byte) []byte {
	switch {
	case p == noPaint:
		return append(b, layer, '9')
	case p&palPaint != 0:
		return fmt.Appendf(b, "%c8;5;%d", layer, p&0xff)
	}
	return fmt.Appendf(b, "%c8;2;%d;%d;%d", layer, p>>16&0xff, p>>8&0xff, p&0xff)
}

// The 256-color palette from 16 on: a 6×6×6 cube, then 24 grays. The first 16 vary between users.
var cubeLevels = [6]float32{0, 95, 135, 175, 215, 255}

// nearest returns the palette color closest to c, and its RGB.
func nearest(c [3]float32) (paint, [3]float32) {
	var index int
	var cube [3]float32
	for i, v := range c {
		k := 0
		for k < 5 && v > (cubeLevels[k]+cubeLevels[k+1])/2 {
			k++
		}
		index = index*6 + k
		cube[i] = cubeLevels[k]
	}
	step := clamp(int(((c[0]+c[1]+c[2])/3-8)/10+0.5), 0, 23)
	level := float32(8 + 10*step)
	gray := [3]float32{level, level, level}
	if distance(c, gray) < distance(c, cube) {
		return palPaint | paint(232+step), gray
	}
	return palPaint | paint(16+index), cube
}

func distance(a, b [3]float32) float32 {
	var d float32
	for i := range a {
		d += (a[i] - b[i]) * (a[i] - b[i])
	}
	return d
}

// inkShare is how much of the paper's error its ink compensates; full compensation exaggerates
// contrast.
const inkShare = 0.6

func indexed(f fitted, d *diffusion, x int) cell {
	if f.part == 0 {
		// Approximate a plain cell with two palette colors.
		f.glyph, f.ink, f.part = upperHalf, f.paper, 0.5
	}
	owed := d.owed(x)
	var ink, paper, rest [3]float32
	for c := range 3 {
		paper[c] = f.paper[c] + owed[c]
	}
	bg, got := nearest(paper)
	for c := range 3 {
		ink[c] = f.ink[c] + owed[c] + (paper[c]-got[c])*min(1, (1-f.part)/f.part)*inkShare
	}
	fg, drawn := nearest(ink)
	for c := range 3 {
		rest[c] = (paper[c]-got[c])*(1-f.part) + (f.ink[c]+owed[c]-drawn[c])*f.part
	}
	d.pass(x, rest)
	if fg == bg {
		return cell{glyph: ' ', bg: bg}
	}
	return cell{glyph: f.glyph, fg: fg, bg: bg}
}

var densities = [...]rune{' ', '░', '▒', '▓', '█'}

// shade draws a cell without color, with ink of five densities. light means dark ink on a light
// background.
func shade(p []uint8, light bool, d *diffusion, x int) cell {
	const step = 255.0 / float32(len(densities)-1)
	ink := 0.299*float32(p[0]) + 0.587*float32(p[1]) + 0.114*float32(p[2])
	ink = text.Either(light, 255-ink, ink) + d.owed(x)[0]
	level := clamp(int(ink/step+0.5), 0, len(densities)-1)
	d.pass(x, [3]float32{ink - float32(level)*step})
	return cell{glyph: densities[level]}
}

// diffusion spreads the error of each cell to the right and below (Floyd-Steinberg).
type diffusion struct {
	here, next [][3]float32
	// most limits the error passed on, since unreachable colors would cause streaks. remaining is the
	// fraction passed on, since full diffusion shows speckles in large cells.
	most, remaining float32
}

func newDiffusion(cols int, c Color) *diffusion {
	d := &diffusion{make([][3]float32, cols+2), make([][3]float32, cols+2), 24, 0.5}
	if c == NoColor {
		d.most, d.remaining = 48, 0.75
	}
	return d
}

func (d *diffusion) owed(x int) [3]float32 { return d.here[x+1] }

func (d *diffusion) pass(x int, rest [3]float32) {
	for c, e := range rest {
		e = max(-d.most, min(e, d.most)) * d.remaining / 16
		d.here[x+2][c] += 7 * e
		d.next[x][c] += 3 * e
		d.next[x+1][c] += 5 * e
		d.next[x+2][c] += e
	}
}
