package picture

import (
	"image"
	"time"

	tea "charm.land/bubbletea/v2"
)

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

// cropRest is how long a part must stay unchanged before it is sent.
const cropRest = 60 * time.Millisecond

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
	return tea.Tick(cropRest, func(time.Time) tea.Msg {
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
