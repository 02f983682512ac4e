package edit

import (
	"context"
	"image"
	"path"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/rule"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Least heights of the picture and the facts in a pane; the first pictures of a folder have few facts.
const leastPicture, leastFacts, leastFolderFacts = 4, 9, 4

// Preview is the picture of a list's current row in its pane, or the first pictures of a folder.
// Create it with [NewPreview].
type Preview struct {
	Terminal
	o     PreviewOptions
	tiles *Tiles
	front bool
	high  int // lines of the pictures as drawn last
}

// PreviewOptions configures a [Preview].
type PreviewOptions struct {
	// Context ends the loading of pictures.
	Context context.Context
	Loader  *picture.Loader
	// List is the list with the pane.
	List interface{ PaneSize() image.Point }
	// Thumbs returns the picture of the current row, or several of a folder.
	Thumbs func() []Thumb
	// Facts draws what stays whole below a picture; nil means that leastFacts lines do.
	Facts func(f *kit.Facts)
}

// NewPreview returns a preview.
func NewPreview(o PreviewOptions) *Preview {
	return &Preview{o: o, tiles: NewTiles(TilesOptions{
		Context: o.Context, Loader: o.Loader, Len: func() int { return len(o.Thumbs()) },
		Tile: func(i int) Tile {
			t := o.Thumbs()[i]
			return Tile{Name: t.Name, Picture: t}
		},
	})}
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

// Follow loads the pictures of the current row. Call it at the end of each Update.
func (p *Preview) Follow() tea.Cmd {
	p.tiles.On = p.front
	p.tiles.Arrange(p.room(), p.Options())
	return p.tiles.Want()
}

// Off reports whether pictures cannot be shown.
func (p *Preview) Off() bool { return p.o.Loader == nil || p.Options().Method == picture.MethodOff }

// Failure returns why the only picture cannot be shown, or nil.
func (p *Preview) Failure() error { return p.tiles.Failure() }

// Forget rereads a picture that could not be read.
func (p *Preview) Forget() { p.tiles.Forget() }

// Delete deletes the pictures from the terminal.
func (p *Preview) Delete() tea.Cmd {
	p.tiles.On = false
	return p.tiles.Delete()
}

// room returns the size of the pictures: as wide as the pane; empty if there is no space.
func (p *Preview) room() image.Point {
	pane := p.o.List.PaneSize()
	in, width := kit.BoxInner(pane), kit.PaneWidth(pane)
	facts := leastFacts
	if p.o.Facts != nil {
		f := kit.NewFacts(width, &theme.Theme{}).Thin()
		p.o.Facts(f)
		facts = min(len(f.Lines())+2, in.Y*3/5) // long facts leave a picture
	}
	room := image.Pt(width, min(in.Y-facts, width/2))
	if len(p.o.Thumbs()) > 1 {
		room.Y = in.Y - leastFolderFacts - 1
	}
	return text.Either(room.X < 1 || room.Y < leastPicture || p.Off(), image.Point{}, room)
}

// Describe draws the pictures above the facts.
func (p *Preview) Describe(out *kit.Facts, describe func(f *kit.Facts)) {
	out.Draw("")
	room := p.room()
	if room == (image.Point{}) || p.tiles.o.Len() == 0 || p.Failure() != nil {
		describe(out)
		return
	}
	// The picture begins at the top, and the facts follow it.
	lines := strings.Split(p.tiles.View(room, out.Theme()), "\n")
	for len(lines) > 1 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	lines = lines[max(0, slices.IndexFunc(lines, func(line string) bool { return !blank(line) })):]
	if p.tiles.Busy() { // the facts stay where they are
		lines = append(lines, make([]string, max(0, min(p.high, room.Y)-len(lines)))...)
	}
	p.high = len(lines)
	out.Draw(lines...)
	out.Gap()
	describe(out.Thin())
}

// DrawTags draws tags as chips.
func DrawTags(f *kit.Facts, tags []string) {
	f.Gap()
	line := ""
	for _, tag := range tags {
		chip := text.Truncate(f.Theme().Chip.Render(" "+text.Safe(tag)+" "), f.Width())
		if line != "" && text.Width(line+chip) > f.Width() {
			f.Draw(line)
			line = ""
		}
		line += chip + " "
	}
	if line != "" {
		f.Draw(line)
	}
}

// review shows files in a question about them.
type review struct {
	*Tiles
	size image.Point
	draw func() picture.Options
}

// NewReview returns tiles for a question; nil if none has a picture or pictures are not shown.
func NewReview(o TilesOptions, draw func() picture.Options) kit.Drawing {
	for i := 0; i < o.Len() && o.Loader != nil; i++ {
		if o.Tile(i).Picture.Key != "" {
			r := &review{Tiles: NewTiles(o), draw: draw}
			r.On = true
			return r
		}
	}
	return nil
}

// Review returns files for the question before they are sent or saved, and what is beside them: new
// regions as pages will crop them, or else the pictures. The first file of each folder comes first. It is
// as [NewReview].
func (e *Editor[T]) Review(files []T, beside ...Tile) kit.Drawing {
	files, several := mixed(files, reviewed, e.o.Folder)
	return NewReview(TilesOptions{
		Context: e.o.Context, Loader: e.o.Loader, Len: func() int { return len(files) + len(beside) }, Rest: true,
		Tile: func(i int) Tile {
			if i >= len(files) {
				return beside[i-len(files)]
			}
			t := e.TileOf(files[i])
			t.Name = text.If(several, strings.TrimPrefix(path.Base(e.o.Folder(files[i]))+"/", "//")) + t.Name
			t.Picture.Crop = t.Picture.Region != (rule.Region{})
			return t
		},
	}, func() picture.Options { return e.Region.Options(e.Theme) })
}

// mixed returns first some items of each folder, most of all together, then as many again, and so on; and
// whether there are several folders.
func mixed[T any](items []T, most int, folder func(T) string) (list []T, several bool) {
	nth, turns := map[string]int{}, [][]T{}
	for _, item := range items {
		nth[folder(item)] = 0
	}
	share := max(1, most/max(1, len(nth)))
	for _, item := range items {
		turn := nth[folder(item)] / share
		if nth[folder(item)]++; turn == len(turns) {
			turns = append(turns, nil)
		}
		turns[turn] = append(turns[turn], item)
	}
	return slices.Concat(turns...), len(nth) > 1
}

// reviewed is about how many files a question shows.
const reviewed = 10

// Resize sets the size that View gets.
func (r *review) Resize(size image.Point) { r.size = size }

// Update loads the pictures in that size.
func (r *review) Update(msg tea.Msg) tea.Cmd {
	r.Tiles.Update(msg)
	r.Arrange(r.size, r.draw())
	return r.Want()
}

// Close deletes the pictures from the terminal.
func (r *review) Close() tea.Cmd { return r.Delete() }
