package edit

import (
	"context"
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
)

// leastFacts and leastPicture are the least heights of the facts and the picture in a pane.
const leastFacts, leastPicture = 9, 4

// Preview is the picture of a list's current row in its pane. Create it with [NewPreview].
type Preview struct {
	Terminal
	o     PreviewOptions
	tiles *Tiles
	front bool
}

// PreviewOptions configures a [Preview].
type PreviewOptions struct {
	// Context ends the loading of pictures.
	Context context.Context
	Loader  *picture.Loader
	// List is the list with the pane.
	List interface {
		PaneSize() image.Point
		PaneBelow() bool
	}
	// Thumb returns the picture of the current row; none without a key.
	Thumb func() Thumb
}

// NewPreview returns a preview.
func NewPreview(o PreviewOptions) *Preview {
	p := &Preview{o: o}
	p.tiles = NewTiles(TilesOptions{
		Context: o.Context, Loader: o.Loader,
		Len: func() int {
			if p.o.Thumb().Key == "" {
				return 0
			}
			return 1
		},
		Tile: func(int) Tile { t := p.o.Thumb(); return Tile{Name: t.Name, Picture: t} },
	})
	return p
}

// Update handles a message and reports whether the drawing may have changed. It takes notice of
// [page.Shown] and [page.Hidden], too.
func (p *Preview) Update(msg tea.Msg) (used bool) {
	switch msg.(type) {
	case page.Shown:
		p.front = true
	case page.Hidden:
		p.front = false
	}
	return p.tiles.Update(msg) || p.Learn(msg)
}

// Follow loads the picture of the current row. Call it at the end of each Update.
func (p *Preview) Follow() tea.Cmd {
	p.tiles.On = p.front
	p.tiles.Arrange(p.room(), p.Options())
	return p.tiles.Want()
}

// room returns the size of the picture: as wide as the pane, or to the left of the facts if the
// pane is below the list; empty if there is no space.
func (p *Preview) room() image.Point {
	pane := p.o.List.PaneSize()
	in, width := kit.BoxInner(pane), kit.PaneWidth(pane)
	room := image.Pt(width, min(in.Y-leastFacts, width*3/8+1))
	if p.o.List.PaneBelow() {
		room = image.Pt(min(width/3, in.Y*3), in.Y)
	}
	if room.X < 1 || room.Y < leastPicture || p.tiles.Off() {
		return image.Point{}
	}
	return room
}

// Describe draws the picture above or beside the facts.
func (p *Preview) Describe(out *kit.Facts, describe func(f *kit.Facts)) {
	room := p.room()
	if room == (image.Point{}) || p.tiles.len() == 0 || p.tiles.Failure() != nil {
		describe(out)
		return
	}
	// The picture begins at the top, and the facts follow it.
	lines := slices.DeleteFunc(strings.Split(p.tiles.View(room, out.Theme()), "\n"), func(line string) bool {
		return strings.TrimSpace(line) == ""
	})
	if !p.o.List.PaneBelow() {
		out.Draw(lines...)
		out.Gap()
		describe(out)
		return
	}
	facts := kit.NewFacts(out.Width()-room.X-2, out.Theme())
	describe(facts)
	out.Draw(kit.Beside(lines, facts.Lines())...)
}
