package edit

import (
	"image"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/rule"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// review shows files in the question before they are sent or saved: their new regions as pages will
// crop them, or else the pictures.
type review struct {
	tiles *Tiles
	noun  string
	n     int
	size  image.Point
	close func()
}

// Review returns the pictures of files for a question; nil if there are none or pictures are not
// shown. noun names one, such as "region".
func (e *Editor[T]) Review(noun string, files []T) kit.Drawing {
	if len(files) == 0 || e.o.Loader == nil || e.Theme == nil {
		return nil
	}
	r := &review{noun: noun, n: len(files), close: func() { e.review = nil }}
	r.tiles = NewTiles(TilesOptions{
		Context: e.o.Context, Loader: e.o.Loader, Len: func() int { return r.n },
		Tile: func(i int) Tile {
			t := e.tileOf(files[i])
			t.Picture.Crop = t.Picture.Region != (rule.Region{})
			return t
		},
	})
	e.review, r.tiles.On = r, true
	return r
}

// Fit leaves a line for the number of pictures that have no room.
func (r *review) Fit(room image.Point) image.Point {
	g := r.tiles.gridOf(room.Sub(image.Pt(0, 1)))
	return image.Pt(room.X, min(g.Rows, (r.n+g.Columns-1)/g.Columns)*g.Tile.Y+1)
}

// Resize sets the size that View gets.
func (r *review) Resize(size image.Point) { r.size = size.Sub(image.Pt(0, min(size.Y, 1))) }

func (r *review) View(size image.Point, th *theme.Theme) string {
	more := ""
	if n := r.n - r.tiles.Grid().Page(); n > 0 {
		more = "and " + text.Plural(n, "other "+r.noun)
	}
	return kit.JoinV(r.tiles.View(size.Sub(image.Pt(0, 1)), th), th.Muted.Render(text.PadRight(more, size.X)))
}

// Close deletes the pictures from the terminal.
func (r *review) Close() tea.Cmd {
	r.close()
	return r.tiles.Delete()
}
