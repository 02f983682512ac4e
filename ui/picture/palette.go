package picture

// The 256-colour palette of terminals from 16 on: a cube of 6×6×6 colours, then 24
// greys. The first 16 are left alone, since every user has their own.
var cubeLevels = [6]float32{0, 95, 135, 175, 215, 255}

// nearest is the palette colour closest to c, and its red, green and blue.
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
	grey := [3]float32{level, level, level}
	if distance(c, grey) < distance(c, cube) {
		return palPaint | paint(232+step), grey
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

// diffusion spreads the error of every cell over its neighbours to the right and
// below (Floyd and Steinberg), so that few colours make many.
type diffusion struct {
	here, next [][3]float32
	// most bounds what is passed on: colours outside the palette's reach would
	// otherwise pile up into streaks. Of what is left kept is the part that counts:
	// cells are large, and the speckles of an exact sum are seen.
	most, kept float32
}

func newDiffusion(cols int, most, kept float32) *diffusion {
	return &diffusion{here: make([][3]float32, cols+2), next: make([][3]float32, cols+2), most: most, kept: kept}
}

// line begins the next line of cells.
func (d *diffusion) line() {
	d.here, d.next = d.next, d.here
	clear(d.next)
}

// owed is what the cell x should be brighter by, to make up for its neighbours.
func (d *diffusion) owed(x int) [3]float32 { return d.here[x+1] }

// pass spreads the error that cell x is left with.
func (d *diffusion) pass(x int, rest [3]float32) {
	for c, e := range rest {
		e = max(-d.most, min(e, d.most)) * d.kept / 16
		d.here[x+2][c] += 7 * e
		d.next[x][c] += 3 * e
		d.next[x+1][c] += 5 * e
		d.next[x+2][c] += e
	}
}
