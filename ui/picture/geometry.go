package picture

import "image"

// Fit is the largest rectangle of cells with the proportions of size that has
// room in cols × rows, centered there. aspect is the height of a cell divided by
// its width; zero means 2. It is empty where size or the room is, and at least
// one cell otherwise.
func Fit(size image.Point, cols, rows int, aspect float64) image.Rectangle {
	if size.X <= 0 || size.Y <= 0 || cols <= 0 || rows <= 0 {
		return image.Rectangle{}
	}
	if aspect <= 0 {
		aspect = defaultAspect
	}
	// ratio is columns per row at which the proportions are kept.
	ratio := float64(size.X) / float64(size.Y) * aspect
	w, h := cols, rows
	if float64(cols) > ratio*float64(rows) {
		w = clamp(int(ratio*float64(rows)+0.5), 1, cols)
	} else {
		h = clamp(int(float64(cols)/ratio+0.5), 1, rows)
	}
	p := image.Pt((cols-w)/2, (rows-h)/2)
	return image.Rectangle{Min: p, Max: p.Add(image.Pt(w, h))}
}

// defaultAspect is how much taller than wide a terminal cell usually is.
const defaultAspect = 2.0

func clamp(v, lo, hi int) int { return max(lo, min(v, hi)) }
