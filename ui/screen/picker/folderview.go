package picker

import (
	"cmp"
	"context"
	"image"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// mostTiles is how many pictures the preview of a folder shows at most: the terminal holds
// a limited number.
const mostTiles = 24

// keepFirst keeps the first names of pictures in the order of the list.
func keepFirst(names []string) []string {
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(sortKey(a), sortKey(b)) })
	return names[:min(len(names), mostTiles)]
}

// folderTiles are the first pictures of the folder under the cursor, and where they are
// drawn in the preview.
func (m *Model) folderTiles() (g picture.Grid, tiles []subject) {
	p := &m.preview
	room := p.subject.room
	if !p.on || !p.subject.folder || p.count == nil || room.X < 4 || room.Y < 2 {
		return g, nil
	}
	g = picture.GridOf(room)
	if rows := (room.Y + g.Tile.Y/3) / g.Tile.Y; rows > g.Rows { // a little less high, and one more
		g.Rows, g.Tile.Y = rows, room.Y/rows
	}
	for _, name := range p.count.pictures[:min(len(p.count.pictures), g.Page())] {
		tiles = append(tiles, subject{path: filepath.Join(p.subject.path, name), room: g.Picture(), options: p.subject.options})
	}
	return g, tiles
}

// wantFolderTiles has the tiles of the preview made that are missing, and has the terminal
// forget the others.
func (m *Model) wantFolderTiles() tea.Cmd {
	g, tiles := m.folderTiles()
	gone := m.folderSheet.Delete(func(of subject) bool { return !slices.Contains(tiles, of) })
	ctx := m.preview.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	loader, size := m.options.Loader, g.Picture()
	return tea.Batch(gone, m.folderSheet.Want(ctx, tiles, m.preview.subject.options, func(ctx context.Context, of subject, o picture.Options) tea.Cmd {
		return func() tea.Msg {
			drawn, err := loader.Load(ctx, picture.Request{Path: of.path, Cols: size.X, Rows: size.Y, Options: o})
			return tileMsg{&m.folderSheet, of, drawn, err}
		}
	}))
}

// drawFolder draws the first pictures of the folder under the cursor; "" if it has none.
func (m *Model) drawFolder(size image.Point, th *theme.Theme) string {
	g, tiles := m.folderTiles()
	if len(tiles) == 0 {
		return ""
	}
	pic := g.Picture()
	var lines []string
	for row := range slices.Chunk(tiles, g.Columns) {
		var cells []string
		for _, of := range row {
			body := centered(th.Muted.Render("…"), pic)
			if drawn, err := m.folderSheet.Tile(of); drawn != nil {
				body = strings.Join(drawn, "\n")
			} else if err != nil {
				body = centered(th.Muted.Render("no preview"), pic)
			}
			name := th.Muted.Render(text.ShortName(filepath.Base(of.path), pic.X))
			cells = append(cells, text.Fit(kit.JoinV(text.Fit(body, pic.X, pic.Y), name), g.Tile.X, g.Tile.Y))
		}
		lines = append(lines, kit.JoinH(cells...))
	}
	return text.Fit(kit.JoinV(lines...), size.X, size.Y)
}
