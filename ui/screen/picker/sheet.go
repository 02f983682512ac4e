package picker

import (
	"context"
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// sheet is the folder as small pictures side by side.
type sheet struct {
	on     bool
	room   image.Point // of the part of the screen that it has
	top    int         // first line of tiles that is seen
	tiles  picture.Sheet[subject]
	cancel context.CancelFunc
	ctx    context.Context //nolint:containedctx // ends what is being made when the folder is left
}

// tileMsg has a tile.
type tileMsg struct {
	to    *picture.Sheet[subject]
	of    subject
	drawn picture.Surface
	err   error
}

func (m *Model) toggleSheet() tea.Cmd {
	m.sheet.on = !m.sheet.on
	if !m.sheet.on {
		return m.sheet.stop()
	}
	return nil
}

// stop ends what is being made, and has the terminal forget the pictures.
func (s *sheet) stop() tea.Cmd {
	if s.cancel != nil {
		s.cancel()
		s.cancel, s.ctx = nil, nil
	}
	return s.tiles.DeleteAll()
}

// seenRows are the rows in view.
func (m *Model) seenRows() (from, to int) {
	if m.sheet.on {
		return m.seenTiles()
	}
	return m.list.Visible()
}

// seenTiles are the rows that the sheet shows.
func (m *Model) seenTiles() (from, to int) {
	g := picture.GridOf(m.sheet.room)
	from = g.Top(m.sheet.top, m.list.Cursor()) * g.Columns
	return from, min(len(m.shown.rows), from+g.Page())
}

// tileOf is what the tile of an entry shows, and false where it is no file or
// not known yet.
func (m *Model) tileOf(e entry, size image.Point, o picture.Options) (subject, bool) {
	look := m.infos[e.name]
	if e.kind != kindFile || !look.known {
		return subject{}, false
	}
	return subject{path: m.path(e), size: look.size, changed: look.modified, room: size, options: o}, true
}

// wantTiles has the tiles made that are seen and missing.
func (m *Model) wantTiles() tea.Cmd {
	s := &m.sheet
	if !s.on || m.options.Loader == nil || m.abilities.Method == picture.MethodOff || s.room.X < 4 || s.room.Y < 2 {
		return nil
	}
	if s.ctx == nil {
		s.ctx, s.cancel = context.WithCancel(context.Background())
	}
	o, size := m.drawing(), picture.GridOf(s.room).Picture()
	gone := s.tiles.Delete(func(of subject) bool { return of.room != size || of.options != o })
	var seen []subject
	from, to := m.seenTiles()
	for i := from; i < to; i++ {
		e, _ := m.entryAt(i)
		if of, ok := m.tileOf(e, size, o); ok {
			seen = append(seen, of)
		}
	}
	loader := m.options.Loader
	return tea.Batch(gone, s.tiles.Want(s.ctx, seen, o, func(ctx context.Context, of subject, o picture.Options) tea.Cmd {
		return func() tea.Msg {
			drawn, err := loader.Load(ctx, picture.Request{Path: of.path, Cols: size.X, Rows: size.Y, Options: o})
			return tileMsg{&s.tiles, of, drawn, err}
		}
	}))
}

// drawSheet draws the tiles that are seen.
func (m *Model) drawSheet(size image.Point, th *theme.Theme) string {
	g := picture.GridOf(m.sheet.room)
	from, to := m.seenTiles()
	var lines []string
	for first := from; first < to; first += g.Columns {
		var row []string
		for i := first; i < min(to, first+g.Columns); i++ {
			row = append(row, m.drawTile(i, g, th))
		}
		lines = append(lines, kit.JoinH(row...))
	}
	return text.Fit(kit.JoinV(lines...), size.X, size.Y)
}

func (m *Model) drawTile(i int, g picture.Grid, th *theme.Theme) string {
	e, _ := m.entryAt(i)
	pic := g.Picture()
	of, _ := m.tileOf(e, pic, m.drawing())
	lines, err := m.sheet.tiles.Tile(of)
	body := ""
	switch {
	case lines != nil:
		body = strings.Join(lines, "\n")
	case e.kind == kindFolder:
		body = centered(th.Accent.Render("folder"), pic)
	case err != nil || e.kind != kindFile:
		body = centered(th.Muted.Render(e.label()), pic)
	default:
		body = centered(th.Muted.Render("…"), pic)
	}
	style, sign := th.Text, " "
	if m.tray.hasPath(m.path(e)) {
		style, sign = th.Marked, th.Glyph(theme.SignMarked)
	} else if some, words := m.share(m.path(e), th); words != "" {
		style, sign = th.Marked, th.Glyph(some)
	}
	if i == m.list.Cursor() {
		style = th.Selected
	}
	name := style.Render(text.PadRight(sign+text.ShortName(e.name, pic.X-1), pic.X))
	return text.Fit(kit.JoinV(text.Fit(body, pic.X, pic.Y), name), g.Tile.X, g.Tile.Y)
}

func centered(words string, size image.Point) string {
	return kit.OverlayCenter(text.Fit("", size.X, size.Y), text.Truncate(words, size.X))
}
