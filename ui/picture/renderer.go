package picture

import "image"

// renderer turns sub-pixels into cells, line by line from the top. One renderer
// draws one picture.
type renderer interface {
	// resolution is how many sub-pixels across and down it looks at per cell.
	resolution() image.Point
	// line fills cells from a band of resolution().Y lines of sub-pixels, each
	// three bytes wide and as many per cell as resolution().X.
	line(band []uint8, cells []cell)
}

// newRenderer chooses the renderer for a picture of that many columns.
func newRenderer(o Options, cols int) renderer {
	switch o.Color {
	case NoColor:
		return &shades{dither: newDiffusion(cols, 48, 0.75), light: o.Light}
	case Color256:
		return &indexed{set: o.Set, dither: newDiffusion(cols, 24, 0.5)}
	default:
		return direct{set: o.Set}
	}
}

func (s Set) resolution() image.Point {
	switch s {
	case Half:
		return image.Pt(1, 2)
	case Sextants, Octants:
		return image.Pt(blockSide, fullHeight)
	}
	return image.Pt(blockSide, blockSide)
}

// fit is the best cell number x of a band.
func (s Set) fit(band []uint8, stride, x int) fitted {
	switch s {
	case Half:
		return fitHalf(band, stride, x)
	case Sextants, Octants:
		return fitFull(band, stride, x*blockSide, s == Octants)
	}
	return fitBlocks(band, stride, x*blockSide)
}

// direct draws with the colours as they are.
type direct struct{ set Set }

func (d direct) resolution() image.Point { return d.set.resolution() }

func (d direct) line(band []uint8, cells []cell) {
	stride := len(band) / d.set.resolution().Y
	for x := range cells {
		f := d.set.fit(band, stride, x)
		cells[x] = cell{glyph: f.glyph, bg: exact(f.paper)}
		if f.n1 > 0 {
			cells[x].fg = exact(f.ink)
		}
	}
}

func exact(c [3]float32) paint {
	return rgb(uint8(c[0]+0.5), uint8(c[1]+0.5), uint8(c[2]+0.5))
}

// madeGood is how much of what the ground of a cell is off by its ink makes good:
// with all of it the two are further apart than the picture.
const madeGood = 0.6

// indexed draws with the 256 colours of the palette, dithered.
type indexed struct {
	set    Set
	dither *diffusion
}

func (d *indexed) resolution() image.Point { return d.set.resolution() }

func (d *indexed) line(band []uint8, cells []cell) {
	d.dither.line()
	stride := len(band) / d.set.resolution().Y
	for x := range cells {
		f := d.set.fit(band, stride, x)
		if f.n1 == 0 {
			// A plain cell can still be mixed from two colours of the palette.
			f.glyph, f.ink, f.n1 = upperHalf, f.paper, f.n/2
		}
		owed := d.dither.owed(x)
		var ink, paper [3]float32
		for c := range 3 {
			paper[c] = f.paper[c] + owed[c]
		}
		bg, got := nearest(paper)
		// What the ground is off by, the ink makes good.
		n0, n1 := float32(f.n-f.n1), float32(f.n1)
		for c := range 3 {
			ink[c] = f.ink[c] + owed[c] + (paper[c]-got[c])*min(1, n0/n1)*madeGood
		}
		fg, drawn := nearest(ink)
		cells[x] = cell{glyph: f.glyph, fg: fg, bg: bg}
		if fg == bg {
			cells[x] = cell{glyph: ' ', bg: bg}
		}
		var rest [3]float32
		for c := range 3 {
			want := (f.paper[c]+owed[c])*n0 + (f.ink[c]+owed[c])*n1
			rest[c] = (want - got[c]*n0 - drawn[c]*n1) / float32(f.n)
		}
		d.dither.pass(x, rest)
	}
}

// shades draws with the ink of five densities, dithered, and no colour at all.
type shades struct {
	dither *diffusion
	// light: the terminal has dark ink on a light ground.
	light bool
}

var densities = [...]rune{' ', '░', '▒', '▓', '█'}

func (s *shades) resolution() image.Point { return image.Pt(1, 1) }

func (s *shades) line(band []uint8, cells []cell) {
	s.dither.line()
	const step = 255.0 / float32(len(densities)-1)
	for x := range cells {
		p := band[3*x:]
		ink := 0.299*float32(p[0]) + 0.587*float32(p[1]) + 0.114*float32(p[2])
		if s.light {
			ink = 255 - ink
		}
		ink += s.dither.owed(x)[0]
		level := clamp(int(ink/step+0.5), 0, len(densities)-1)
		cells[x] = cell{glyph: densities[level]}
		s.dither.pass(x, [3]float32{ink - float32(level)*step})
	}
}
