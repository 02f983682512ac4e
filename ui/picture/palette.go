package picture

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
	if light {
		ink = 255 - ink
	}
	ink += d.owed(x)[0]
	level := clamp(int(ink/step+0.5), 0, len(densities)-1)
	d.pass(x, [3]float32{ink - float32(level)*step})
	return cell{glyph: densities[level]}
}

// diffusion spreads the error of each cell to the right and below (Floyd-Steinberg).
type diffusion struct {
	here, next [][3]float32
	// most limits the error passed on, since unreachable colors would cause streaks. kept is the
	// fraction passed on, since full diffusion shows speckles in large cells.
	most, remaining float32
}

func newDiffusion(cols int, c Color) *diffusion {
	d := &diffusion{here: make([][3]float32, cols+2), next: make([][3]float32, cols+2), most: 24, remaining: 0.5}
	if c == NoColor {
		d.most, d.remaining = 48, 0.75
	}
	return d
}

func (d *diffusion) line() {
	d.here, d.next = d.next, d.here
	clear(d.next)
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
