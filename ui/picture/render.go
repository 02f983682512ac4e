package picture

import (
	"image"
	"strings"

	"github.com/charmbracelet/colorprofile"
)

// Color is how many colours the terminal has. For one with 16 use [Color256]: the
// framework finds the nearest.
type Color int

// The colours to draw with; the zero value is all of them.
const (
	TrueColor Color = iota
	Color256
	NoColor
)

// ColorOf is what to draw with on a terminal of that profile; all colours while
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

// Set is the set of glyphs to draw with. It has no meaning without colour.
type Set int

// The sets. Every font has the glyphs of the first two; the others need a
// terminal that draws them itself.
const (
	// Blocks is half blocks, quadrants and eighths, whichever come closest.
	Blocks Set = iota
	// Half is half blocks alone: faster, coarser.
	Half
	// Sextants is Blocks and the sixths of a cell.
	Sextants
	// Octants is Sextants and the eighths of a cell by two columns.
	Octants
)

// String names the glyphs of the set.
func (s Set) String() string {
	return [...]string{
		"half blocks, quadrants, eighths", "half blocks", "half blocks, quadrants, eighths, sextants",
		"half blocks, quadrants, eighths, sextants, octants",
	}[s]
}

// Options says how to draw. The zero value is right for a terminal with all
// colours.
type Options struct {
	Color Color
	Set   Set
	// CellAspect is the height of a cell divided by its width; zero means 2.
	CellAspect float64
	// Light says that the terminal has a light background, which only counts
	// without colour.
	Light bool
	// Method and Cell (the size of a cell in pixels) count for [Loader.Load] and
	// [NewRegionView]; [Render] always draws with glyphs.
	Method Method
	Cell   image.Point
}

// Rendered is a picture as terminal cells.
type Rendered struct {
	// Lines are the rows asked for, each exactly as many cells wide as asked for
	// and ending in the terminal's own colours.
	Lines []string
	// Area is the part of the cells that the picture covers; empty if it is
	// nowhere.
	Area image.Rectangle
	// Image is the real picture that the lines show, which has to be sent to the
	// terminal before them; nil where they are glyphs.
	Image *Image
	// size is the size of the picture.
	size image.Point
}

// Pixels is the rectangle of the picture, in its pixels as shown, that lies under
// a cell; empty for cells beside the picture.
func (r Rendered) Pixels(col, row int) image.Rectangle {
	c := image.Pt(col, row)
	if !c.In(r.Area) {
		return image.Rectangle{}
	}
	c = c.Sub(r.Area.Min)
	x0, x1 := share(c.X, r.Area.Dx(), r.size.X)
	y0, y1 := share(c.Y, r.Area.Dy(), r.size.Y)
	return image.Rect(x0, y0, x1, y1)
}

// share is part i of n equal parts of a side, widened to whole pixels.
func share(i, n, side int) (from, to int) {
	return i * side / n, ((i+1)*side + n - 1) / n
}

// Render draws p as large as it fits into cols × rows cells, in its proportions
// and centred. An empty picture is drawn as empty cells.
func Render(p *Picture, cols, rows int, o Options) Rendered {
	cols, rows = max(0, cols), max(0, rows)
	r := Rendered{Lines: make([]string, 0, rows), size: p.Size()}
	r.Area = Fit(r.size, cols, rows, o.CellAspect)
	draw := newDrawing(p, r.Area.Size(), o)
	line := make([]cell, r.Area.Dx())
	var buf []byte
	for y := range rows {
		if y < r.Area.Min.Y || y >= r.Area.Max.Y {
			r.Lines = append(r.Lines, strings.Repeat(" ", cols))
			continue
		}
		draw.next(line)
		buf = r.frame(buf[:0], line, cols)
		r.Lines = append(r.Lines, string(buf))
	}
	return r
}

// frame appends a line of the picture with the empty cells beside it.
func (r *Rendered) frame(b []byte, line []cell, cols int) []byte {
	for range r.Area.Min.X {
		b = append(b, ' ')
	}
	b = encode(b, line)
	for range cols - r.Area.Max.X {
		b = append(b, ' ')
	}
	return b
}

// drawing draws a picture line by line.
type drawing struct {
	scaler *scaler
	to     renderer
	band   []uint8
	y      int
	// dim is how much of the light is kept, in 256ths; 256 is all.
	dim int
}

const (
	fullLight = 256
	dimLight  = 90
)

// newDrawing prepares to draw p into exactly size cells; nil for no cells.
func newDrawing(p *Picture, size image.Point, o Options) *drawing {
	if size.X <= 0 || size.Y <= 0 {
		return nil
	}
	to := newRenderer(o, size.X)
	sub := to.resolution()
	w, h := size.X*sub.X, size.Y*sub.Y
	// A square of the checkerboard is one cell high and two wide.
	check := image.Pt(2*sub.X, sub.Y)
	return &drawing{
		scaler: newScaler(p, w, h, check), to: to, band: make([]uint8, 3*w*sub.Y), dim: fullLight,
	}
}

// next draws the next line of cells.
func (d *drawing) next(line []cell) {
	n := d.to.resolution().Y
	stride := len(d.band) / n
	for i := range n {
		d.scaler.row(d.y, d.band[i*stride:][:stride])
		d.y++
	}
	if d.dim != fullLight {
		for i, v := range d.band {
			d.band[i] = uint8(int(v) * d.dim / fullLight)
		}
	}
	d.to.line(d.band, line)
}
