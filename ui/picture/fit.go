package picture

import (
	"cmp"
	"image"
	"math"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/media"
	"mediadesk/ui/text"
)

// Sub-pixels of a cell, divisible into halves, quarters and eighths.
const (
	fitWidth  = 8
	fitHeight = 24
	fitAll    = fitWidth * fitHeight
)

var (
	// lower and left are filled by 1 to 7 eighths.
	lower = [...]rune{'▁', '▂', '▃', '▄', '▅', '▆', '▇'}
	left  = [...]rune{'▏', '▎', '▍', '▌', '▋', '▊', '▉'}
	// quadrants are upper left, upper right, lower left, lower right. Three quadrants are one with
	// swapped colors.
	quadrants = [...]rune{'▘', '▝', '▖', '▗'}
)

const (
	diagonal  = '▚' // upper left and lower right
	upperHalf = '▀'
)

// minGain is how much better than a plain cell a glyph must be, in squared color steps per
// sub-pixel; less is invisible.
const minGain = 2.0

// fitted is the best drawing of a cell with two colors: ink for the glyph on part of the cell,
// paper for the rest.
type fitted struct {
	glyph      rune
	ink, paper [3]float32
	part       float32 // of the cell, 0 to 1
}

type sums [3]int32

func (s *sums) add(o sums) {
	s[0] += o[0]
	s[1] += o[1]
	s[2] += o[2]
}

func (s sums) minus(o sums) sums { return sums{s[0] - o[0], s[1] - o[1], s[2] - o[2]} }

// score returns |S|²/n.
func (s sums) score(n int) float32 {
	r, g, b := float32(s[0]), float32(s[1]), float32(s[2])
	return (r*r + g*g + b*b) / float32(n)
}

type fit struct {
	all   sums
	score float32
	glyph rune
	ink   sums
	n     int // sub-pixels of the ink
}

// fitCell finds the glyph and colors that best match the sub-pixels at the start of pix, 4 bytes
// each. For a given glyph the mean colors are best, and the squared error shrinks by |S1|²/n1 +
// |S0|²/n0, so the glyph with the largest sum wins.
func fitCell(pix []uint8, stride int) fitted {
	var cols [fitWidth]sums
	var halves [fitHeight][2]sums
	var f fit
	for y := range fitHeight {
		line := pix[y*stride:][:4*fitWidth]
		for i := range fitWidth {
			r, g, b := int32(line[4*i]), int32(line[4*i+1]), int32(line[4*i+2])
			cols[i][0] += r
			cols[i][1] += g
			cols[i][2] += b
			h := &halves[y][i/(fitWidth/2)]
			h[0] += r
			h[1] += g
			h[2] += b
		}
		f.all.add(halves[y][0])
		f.all.add(halves[y][1])
	}
	f.glyph, f.score = ' ', f.all.score(fitAll)+minGain*fitAll
	f.sides(&halves, &cols)
	var quarters [4]sums
	for y, h := range halves {
		quarters[y/(fitHeight/2)*2].add(h[0])
		quarters[y/(fitHeight/2)*2+1].add(h[1])
	}
	for i, q := range quarters {
		f.try(quadrants[i], fitAll/4, q)
	}
	quarters[0].add(quarters[3])
	f.try(diagonal, fitAll/2, quarters[0])
	r := fitted{glyph: f.glyph, part: float32(f.n) / fitAll}
	for c := range 3 {
		r.paper[c] = float32(f.all[c]-f.ink[c]) / float32(fitAll-f.n)
		if f.n > 0 {
			r.ink[c] = float32(f.ink[c]) / float32(f.n)
		}
	}
	return r
}

func (f *fit) try(glyph rune, n int, ink sums) {
	if v := ink.score(n) + f.all.minus(ink).score(fitAll-n); v > f.score {
		f.score, f.glyph, f.n, f.ink = v, glyph, n, ink
	}
}

func (f *fit) sides(halves *[fitHeight][2]sums, cols *[fitWidth]sums) {
	var s sums
	const step = fitHeight / 8
	for i := range lower {
		for y := range step {
			line := &halves[fitHeight-1-i*step-y]
			s.add(line[0])
			s.add(line[1])
		}
		f.try(lower[i], (i+1)*step*fitWidth, s)
	}
	s = sums{}
	for i := range left {
		s.add(cols[i])
		f.try(left[i], (i+1)*fitHeight, s)
	}
}

// Fit returns the largest rectangle of cells with the proportions of size, centered in cols × rows.
// aspect is the height of a cell divided by its width; zero means 2. The result is empty if size or
// the space is empty, else at least one cell.
func Fit(size image.Point, cols, rows int, aspect float64) image.Rectangle {
	if size.X <= 0 || size.Y <= 0 || cols <= 0 || rows <= 0 {
		return image.Rectangle{}
	}
	// ratio is columns per row.
	ratio := float64(size.X) / float64(size.Y) * cmp.Or(aspect, 2)
	w, h := cols, rows
	if float64(cols) > ratio*float64(rows) {
		w = clamp(int(ratio*float64(rows)+0.5), 1, cols)
	} else {
		h = clamp(int(float64(cols)/ratio+0.5), 1, rows)
	}
	p := image.Pt((cols-w)/2, (rows-h)/2)
	return image.Rectangle{Min: p, Max: p.Add(image.Pt(w, h))}
}

func clamp(v, lo, hi int) int { return max(lo, min(v, hi)) }

// String returns the ratio, such as "4:3".
func (r Ratio) String() string {
	return text.Either(r.Locked(), strconv.Itoa(r.W)+":"+strconv.Itoa(r.H), "free")
}

// Turned returns the ratio with width and height swapped.
func (r Ratio) Turned() Ratio { return Ratio{r.H, r.W} }

// Ratios are the most common ratios of pictures.
var Ratios = []Ratio{{1, 1}, {4, 3}, {3, 2}, {4, 5}, {16, 9}}

// Largest returns the largest centered rectangle of the ratio; all of the picture if the ratio is
// free.
func (r Ratio) Largest(size image.Point) image.Rectangle {
	if !r.Locked() || size.X < 1 || size.Y < 1 {
		return image.Rectangle{Max: size}
	}
	return Centered(image.Rectangle{Max: r.within(size)}, size)
}

func (r Ratio) within(room image.Point) image.Point {
	if h := r.height(room.X); h <= room.Y {
		return image.Pt(room.X, h)
	}
	return image.Pt(min(r.width(room.Y), room.X), room.Y)
}

// Apply gives a rectangle the ratio, keeping its center and about its area, within the picture.
func (r Ratio) Apply(rect image.Rectangle, size image.Point) image.Rectangle {
	if !r.Locked() || rect.Empty() {
		return rect
	}
	area := float64(rect.Dx()) * float64(rect.Dy())
	w := max(1, int(math.Round(math.Sqrt(area*float64(r.W)/float64(r.H)))))
	want := image.Pt(w, r.height(w))
	if want.X > size.X || want.Y > size.Y {
		want = r.within(image.Pt(min(want.X, size.X), min(want.Y, size.Y)))
	}
	return media.Around(rect, want, size)
}

// Grown grows a rectangle around its center by pixels, or shrinks it if by is negative. It keeps at
// least one pixel, and a locked ratio.
func Grown(rect image.Rectangle, by, size image.Point, lock Ratio) image.Rectangle {
	if rect.Empty() {
		return rect
	}
	want := image.Pt(clamp(rect.Dx()+by.X, 1, size.X), clamp(rect.Dy()+by.Y, 1, size.Y))
	if lock.Locked() {
		want = image.Pt(want.X, lock.height(want.X))
		if want.Y > size.Y {
			want = lock.within(size)
		}
	}
	return media.Around(rect, want, size)
}

// Drawn returns the rectangle between two corners. With a locked ratio the longer side decides,
// within the picture.
func (r Ratio) Drawn(from, to, size image.Point) image.Rectangle {
	rect := image.Rectangle{Min: from, Max: to}.Canon().Intersect(image.Rectangle{Max: size})
	if !r.Locked() || rect.Empty() {
		return rect
	}
	side := image.Pt(cmp.Compare(to.X, from.X), cmp.Compare(to.Y, from.Y))
	return r.follow(rect, side, size, rect.Dx()*r.H >= rect.Dy()*r.W)
}

// Scaled scales a rectangle from one picture size to another.
func Scaled(rect image.Rectangle, from, to image.Point) image.Rectangle {
	if from.X < 1 || from.Y < 1 || to.X < 1 || to.Y < 1 {
		return image.Rectangle{}
	}
	x0, x1 := spanned(rect.Min.X, rect.Max.X, from.X, to.X)
	y0, y1 := spanned(rect.Min.Y, rect.Max.Y, from.Y, to.Y)
	return image.Rect(x0, y0, x1, y1)
}

func spanned(a, b, from, to int) (int, int) {
	at := func(v int) int { return int(math.Round(float64(v) * float64(to) / float64(from))) }
	a = clamp(at(a), 0, to-1)
	return a, clamp(at(b), a+1, to)
}

// Suggest returns up to most parts worth cropping to, best first; see [media.Suggest]. It
// takes a few milliseconds.
func (p *Picture) Suggest(lock Ratio, most int) []image.Rectangle {
	list := media.Suggest(p.full.Pixels, image.Pt(lock.W, lock.H), most)
	for i, part := range list {
		list[i] = lock.Apply(Scaled(part, p.full.Pixels.Rect.Size(), p.full.Size), p.full.Size)
	}
	return list
}

// CropView draws a changing part of a picture. In pixel terminals each part that stays for a moment
// is sent. While the part keeps changing it is drawn with glyphs; after a single step the old
// picture stays until the new one is ready. The zero CropView is ready to use. Except for its
// commands it is not safe for concurrent use.
type CropView struct {
	want   part // drawn last
	change int  // number of changes
	moving bool // changing faster than it can be sent
	busy   bool // a message is pending
	closed bool // no longer shown

	glyphs []string // of drawn
	drawn  part
	image  *Image // of sent; may be nil
	sent   part
}

type part struct {
	of   *Picture
	rect image.Rectangle
	size image.Point
	o    Options
}

// Draw draws the part of p inside rect (see [Crop]) as large as it fits into cols × rows cells.
func (v *CropView) Draw(p *Picture, rect image.Rectangle, cols, rows int, o Options) []string {
	want := part{p, rect, image.Pt(cols, rows), o}
	if want != v.want {
		v.want = want
		v.change++
	}
	near := v.sent
	near.rect = rect
	if v.image != nil && (v.sent == want || near == want && !v.moving) {
		return v.image.lines
	}
	if v.glyphs == nil || v.drawn != want {
		v.glyphs, v.drawn = Render(Crop(p, rect), cols, rows, o), want
	}
	return v.glyphs
}

// cropDelay is how long a part must stay unchanged before it is sent.
const cropDelay = 60 * time.Millisecond

// Follow sends the part to the terminal if it stays. Call it at the end of each Update that may
// change the part. It may return nil and is safe on nil.
func (v *CropView) Follow(g *ImageStore, o Options) tea.Cmd {
	if v == nil || g == nil || !o.Method.Pixels() || v.busy {
		return nil
	}
	v.busy = true
	return v.wait(g, v.change+1) // the next frame draws the result of this Update
}

// wait checks after a moment whether the part has changed again.
func (v *CropView) wait(g *ImageStore, change int) tea.Cmd {
	return tea.Tick(cropDelay, func(time.Time) tea.Msg {
		return CropDue{func() tea.Cmd { return v.due(g, change) }}
	})
}

// CropDue is the message to check a part. The receiver calls Check and does not redraw: that would
// change the part.
type CropDue struct{ Check func() tea.Cmd }

// due sends the part to the terminal, or keeps waiting while it changes.
func (v *CropView) due(g *ImageStore, change int) tea.Cmd {
	want := v.want
	switch {
	case v.closed || want == v.sent || !want.o.Method.Pixels():
		v.busy, v.moving = false, false
		return nil
	case v.change > change:
		v.moving = true
		return v.wait(g, v.change)
	}
	return func() tea.Msg {
		i, err := g.surface(Crop(want.of, want.rect), want.size.X, want.size.Y, want.o)
		done := ViewReady{func() tea.Cmd { return v.ready(want, i) }}
		if err != nil {
			return done
		}
		return tea.Sequence(tea.Raw(i.data), func() tea.Msg { return done })()
	}
}

func (v *CropView) ready(of part, i *Image) tea.Cmd {
	v.busy = false
	if v.closed {
		return i.Delete()
	}
	old := v.image
	v.image, v.sent = i, of
	v.moving = v.moving && of != v.want
	return old.Delete()
}

// Delete deletes the part from the terminal, now or on arrival. It may return nil and is safe on
// nil. The view must not be used afterwards.
func (v *CropView) Delete() tea.Cmd {
	if v == nil {
		return nil
	}
	v.closed = true
	old := v.image
	v.image, v.sent = nil, part{}
	return old.Delete()
}

// ViewReady reports that a [CropView] or [RegionView] goes on, for example because the terminal
// has its pictures. The receiver calls Done and redraws.
type ViewReady struct{ Done func() tea.Cmd }
