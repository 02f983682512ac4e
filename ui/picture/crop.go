package picture

import (
	"image"
	"time"

	tea "charm.land/bubbletea/v2"
)

// CropView draws a part of a picture, again and again while the part changes. Where
// the terminal shows real pictures it is given each part that stays for a moment.
// While the part moves on nothing is sent and it is drawn with glyphs; a single step
// leaves the picture before in its place until the next one is there.
//
// The zero CropView is ready to use. It is for one goroutine, that of the program's
// Update and View, but for its commands.
type CropView struct {
	want   part // what was drawn last
	change int  // how often that has changed
	moving bool // it changed faster than it can be sent
	busy   bool // a message is on its way
	left   bool // nobody shows the view any more

	glyphs      []string // of drawn
	drawn       part
	image       *Image   // of transmitted; nil: there is none
	places      []string // the cells of image
	transmitted part
}

// part is what a drawing of a part of a picture is made of.
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
	near := v.transmitted
	near.rect = rect
	if v.image != nil && (v.transmitted == want || near == want && !v.moving) {
		return v.places
	}
	if v.glyphs == nil || v.drawn != want {
		v.glyphs, v.drawn = Render(Crop(p, rect), cols, rows, o).Lines, want
	}
	return v.glyphs
}

// cropRest is how long a part stays the same before it is sent.
const cropRest = 60 * time.Millisecond

// Follow is for the end of each Update that may lead to another part. It sees to it
// that the terminal is given the part if it stays; nil where there is nothing to do.
// It is safe on nil.
func (v *CropView) Follow(g *ImageStore, o Options) tea.Cmd {
	if v == nil || g == nil || o.Method != MethodKitty || v.busy {
		return nil
	}
	v.busy = true
	return v.look(g, v.change+1) // the next frame draws what this Update led to
}

// look looks, a moment later, whether the part has changed more often than that.
func (v *CropView) look(g *ImageStore, change int) tea.Cmd {
	return tea.Tick(cropRest, func(time.Time) tea.Msg { return CropDue{v, g, change} })
}

// CropDue is the time to look whether a part stays: see [CropView.Due].
type CropDue struct {
	View   *CropView
	store  *ImageStore
	change int
}

// Due sends the part to the terminal, or waits on while it moves.
func (v *CropView) Due(d CropDue) tea.Cmd {
	want := v.want
	switch {
	case v.left || want == v.transmitted || want.o.Method != MethodKitty:
		v.busy, v.moving = false, false
		return nil
	case v.change > d.change:
		v.moving = true
		return v.look(d.store, v.change)
	}
	return func() tea.Msg {
		shown := Crop(want.of, want.rect)
		area := Fit(shown.Size(), want.size.X, want.size.Y, want.o.CellAspect)
		img, err := d.store.newImage(shown, area.Size(), want.o, fullLight)
		if err != nil {
			return TransmittedCrop{View: v, of: want}
		}
		transmitted := TransmittedCrop{v, want, img, img.frame(want.size.X, want.size.Y, area)}
		return tea.Sequence(tea.Raw(img.data), func() tea.Msg { return transmitted })()
	}
}

// TransmittedCrop tells that the terminal has a part of a picture: see [CropView.Up].
type TransmittedCrop struct {
	View   *CropView
	of     part
	image  *Image // nil: there is no room for one
	places []string
}

// Up has the view show the part from now on, in place of the one before; where it
// was left meanwhile the part is taken down again.
func (v *CropView) Up(h TransmittedCrop) tea.Cmd {
	v.busy = false
	if v.left {
		return h.image.Delete()
	}
	old := v.image
	v.image, v.places, v.transmitted = h.image, h.places, h.of
	v.moving = v.moving && h.of != v.want
	return old.Delete()
}

// Delete has the terminal forget the part, now or when it arrives; nil where there
// is none. It is safe on a nil view, which is not used any more then.
func (v *CropView) Delete() tea.Cmd {
	if v == nil {
		return nil
	}
	v.left = true
	old := v.image
	v.image, v.transmitted = nil, part{}
	return old.Delete()
}
