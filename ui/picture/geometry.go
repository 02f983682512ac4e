package picture

import "image"

// Fit returns the largest rectangle of cells with the proportions of size, centered in cols × rows.
// aspect is the height of a cell divided by its width; zero means 2. The result is empty if size or
// the space is empty, else at least one cell.
func Fit(size image.Point, cols, rows int, aspect float64) image.Rectangle {
	if size.X <= 0 || size.Y <= 0 || cols <= 0 || rows <= 0 {
		return image.Rectangle{}
	}
	if aspect <= 0 {
		aspect = defaultAspect
	}
	// ratio is columns per row.
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

// defaultAspect is the usual aspect of terminal cells.
const defaultAspect = 2.0

func clamp(v, lo, hi int) int { return max(lo, min(v, hi)) }
