package picture

import (
	"image"
	"strings"

	"github.com/charmbracelet/colorprofile"

	"mediadesk/api/media"
)

// Color is how many colors the terminal has. For one with 16 use [Color256]: the
// framework finds the nearest.
type Color int

// The colors to draw with; the zero value is all of them.
const (
	TrueColor Color = iota
	Color256
	NoColor
)

// ColorOf is what to draw with on a terminal of that profile; all colors while
// it is unknown.
func ColorOf(p colorprofile.Profile) Color {
	switch p {
	case colorprofile.ANSI256, colorprofile.ANSI:
		return Color256
	case colorprofile.ASCII, colorprofile.NoTTY:
		return NoColor
	}
	return TrueColor
}

// Set is the set of glyphs to draw with. It has no meaning without color.
type Set int

// The sets, each with the ones before. Every font has the first; the others need a
// terminal that draws them itself.
const (
	Blocks   Set = iota // half blocks, quadrants and eighths
	Sextants            // sixths of a cell
	Octants             // eighths of a cell in two columns
)

// String names the glyphs of the set.
func (s Set) String() string {
	return "half blocks, quadrants, eighths" + [...]string{"", ", sextants", ", sextants, octants"}[s]
}

// Options says how to draw. The zero value is right for a terminal with all
// colors.
type Options struct {
	Color Color
	Set   Set
	// CellAspect is the height of a cell divided by its width; zero means 2.
	CellAspect float64
	// Light says that the terminal has a light background, which only counts
	// without color.
	Light bool
	// Method and Cell (the size of a cell in pixels) count for [Loader.Load] and
	// [NewRegionView]; [Render] always draws with glyphs.
	Method Method
	Cell   image.Point
	Exact  Exact // see [Abilities]
}

// Rendered is a picture as terminal cells.
type Rendered struct {
	// Lines are the rows asked for, each exactly as many cells wide as asked for
	// and ending in the terminal's own colors.
	Lines []string
	// Area is the part of the cells that the picture covers; it can be empty.
	Area image.Rectangle
}

// Render draws p with glyphs, as large as it fits into cols × rows cells, in its
// proportions and centered. An empty picture is drawn as empty cells.
func Render(p *Picture, cols, rows int, o Options) Rendered {
	area := Fit(p.Size(), cols, rows, o.CellAspect)
	cells := drawCells(p, area.Size(), o, fullLight)
	var buf []byte
	return frame(cols, rows, area, func(y int) string {
		buf = encode(buf[:0], cells[y*area.Dx():][:area.Dx()])
		return string(buf)
	})
}

// frame puts the lines of a picture at area into cols × rows cells.
func frame(cols, rows int, area image.Rectangle, line func(y int) string) Rendered {
	cols = max(0, cols)
	lines := make([]string, max(0, rows))
	for y := range lines {
		if y < area.Min.Y || y >= area.Max.Y {
			lines[y] = strings.Repeat(" ", cols)
			continue
		}
		lines[y] = strings.Repeat(" ", area.Min.X) + line(y-area.Min.Y) + strings.Repeat(" ", cols-area.Max.X)
	}
	return Rendered{lines, area}
}

// The light of a picture, and of its part outside a region, in 256ths.
const (
	fullLight = 256
	dimLight  = 90
)

// The two grays of the checkerboard under transparent pictures, dark enough for light
// pictures and light enough for dark ones. Both are densities that are drawn without color.
const (
	checkDark  = 0x40
	checkLight = 0x80
)

// sample returns size pixels of what p shows, over a checkerboard with squares of check
// pixels and with light 256ths of its light.
func (p *Picture) sample(size, check image.Point, light int) *image.RGBA {
	img := media.Sample(p.pix, p.full, p.window, size)
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

// drawCells draws p into exactly size cells, line by line.
func drawCells(p *Picture, size image.Point, o Options, light int) []cell {
	if size.X <= 0 || size.Y <= 0 {
		return nil
	}
	sub := image.Pt(fitWidth, fitHeight)
	if o.Color == NoColor {
		sub = image.Pt(1, 1)
	}
	// A square of the checkerboard is one cell high and two wide.
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
			cells[i] = indexed(fitCell(pix, img.Stride, o.Set), dither, x)
		default:
			f := fitCell(pix, img.Stride, o.Set)
			cells[i] = cell{glyph: f.glyph, bg: exact(f.paper)}
			if f.part > 0 {
				cells[i].fg = exact(f.ink)
			}
		}
	}
	return cells
}
