package picture

import (
	"image"
	"time"

	tea "charm.land/bubbletea/v2"
)

// CropView draws a part of a picture, again and again while the part changes. If the
// terminal shows pixels, it is sent each part that stays for a moment. While the part
// moves on, nothing is sent and it is drawn with glyphs; after a single step the picture
// before stays until the next one is there.
//
// The zero CropView is ready to use. It is for one goroutine, that of the program's
// Update and View, but for its commands.
type CropView struct {
	want   part // what was drawn last
	change int  // how often that has changed
	moving bool // it changes faster than it can be sent
	busy   bool // a message is on its way
	closed bool // nobody shows the view any more

	glyphs []string // of drawn
	drawn  part
	image  *Image // of sent; nil: there is none
	sent   part
}

// part is what a drawing of a part of a picture depends on.
type part struct {
	of   *Picture
	rect image.Rectangle
	size image.Point
	o    Options
}

// Draw draws the part of p inside rect, as [Crop] has it, as large as it fits into
// cols × rows cells.
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
		v.glyphs, v.drawn = Render(Crop(p, rect), cols, rows, o).Lines, want
	}
	return v.glyphs
}

// cropRest is how long a part stays the same before it is sent.
const cropRest = 60 * time.Millisecond

// Follow is for the end of each Update that may lead to another part: it sends the part
// to the terminal if it stays. Nil: nothing to do. It is safe on nil.
func (v *CropView) Follow(g *ImageStore, o Options) tea.Cmd {
	if v == nil || g == nil || !o.Method.Pixels() || v.busy {
		return nil
	}
	v.busy = true
	return v.wait(g, v.change+1) // the next frame draws what this Update led to
}

// wait checks a moment later whether the part has changed more often than that.
func (v *CropView) wait(g *ImageStore, change int) tea.Cmd {
	return tea.Tick(cropRest, func(time.Time) tea.Msg { return CropDue{v, g, change} })
}

// CropDue is the time to check whether a part stays: see [CropView.Due].
type CropDue struct {
	View   *CropView
	store  *ImageStore
	change int
}

// Due sends the part to the terminal, or waits on while it moves.
func (v *CropView) Due(d CropDue) tea.Cmd {
	want := v.want
	switch {
	case v.closed || want == v.sent || !want.o.Method.Pixels():
		v.busy, v.moving = false, false
		return nil
	case v.change > d.change:
		v.moving = true
		return v.wait(d.store, v.change)
	}
	return func() tea.Msg {
		i, err := d.store.surface(Crop(want.of, want.rect), want.size.X, want.size.Y, want.o)
		done := ViewReady{func() tea.Cmd { return v.ready(want, i) }}
		if err != nil {
			return done
		}
		return tea.Sequence(tea.Raw(i.data), func() tea.Msg { return done })()
	}
}

// ready shows a part from now on, in place of the one before; nil: there was no room.
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

// Delete has the terminal forget the part, now or when it arrives; nil: there is none.
// It is safe on a nil view. The view is not used any more then.
func (v *CropView) Delete() tea.Cmd {
	if v == nil {
		return nil
	}
	v.closed = true
	old := v.image
	v.image, v.sent = nil, part{}
	return old.Delete()
}

// ViewReady tells that the terminal has the pictures of a [CropView] or [RegionView].
// The receiver calls Done and draws the view again.
type ViewReady struct{ Done func() tea.Cmd }
