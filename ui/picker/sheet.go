package picker

import (
	"context"
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
)

// sheet is the folder as small pictures side by side.
type sheet struct {
	on     bool
	room   image.Point // of the part of the screen that it has
	top    int         // first line of tiles that is seen
	tiles  map[string]tile
	busy   int // tiles being made
	number int // of the making: what belongs to an older one is dropped
	cancel context.CancelFunc
	ctx    context.Context //nolint:containedctx // ends what is being made when the folder is left
}

// tile is one small picture.
type tile struct {
	of    subject
	lines []string // nil while it is on its way
	words string   // why there is none
}

// tileMsg brings a tile.
type tileMsg struct {
	number int
	name   string
	tile
}

// Sizes of a tile in cells, with the name below the picture.
const (
	tileWidth  = 18
	tileHeight = 8
	tilesAtOne = 2    // made at the same time
	tilesKept  = 1000 // in memory; they are small
)

func (m *Model) toggleSheet() tea.Cmd {
	m.sheet.on = !m.sheet.on
	if !m.sheet.on {
		m.sheet.stop()
	}
	return nil
}

// stop ends what is being made.
func (s *sheet) stop() {
	if s.cancel != nil {
		s.cancel()
		s.cancel, s.ctx = nil, nil
	}
	s.number++
	s.busy = 0
}

// grid is how many tiles fit across and down.
func (s *sheet) grid() image.Point {
	return image.Pt(max(1, s.room.X/tileWidth), max(1, s.room.Y/tileHeight))
}

// tileSize is the size of the picture in a tile.
func (s *sheet) tileSize() image.Point {
	g := s.grid()
	return image.Pt(max(1, s.room.X/g.X-2), max(1, min(tileHeight, s.room.Y)-1))
}

// seen are the rows that the sheet shows.
func (m *Model) seenTiles() (from, to int) {
	g := m.sheet.grid()
	line := m.list.Cursor() / g.X
	m.sheet.top = max(line-g.Y+1, min(m.sheet.top, line))
	from = m.sheet.top * g.X
	return from, min(len(m.shown.rows), from+g.X*g.Y)
}

// moveTile moves the cursor over the sheet.
func (m *Model) moveTile(name string) bool {
	g := m.sheet.grid()
	by := map[string]int{
		"up": -g.X, "k": -g.X, "down": g.X, "j": g.X, "left": -1, "h": -1, "right": 1, "l": 1,
		"pgup": -g.X * g.Y, "ctrl+b": -g.X * g.Y, "pgdown": g.X * g.Y, "ctrl+f": g.X * g.Y,
		"ctrl+u": -g.X * max(1, g.Y/2), "ctrl+d": g.X * max(1, g.Y/2),
	}[name]
	if by == 0 {
		return false
	}
	m.moved = true
	m.list.SetCursor(m.list.Cursor() + by)
	return true
}

// wantTiles has the tiles made that are seen and missing, a few at a time.
func (m *Model) wantTiles() tea.Cmd {
	s := &m.sheet
	if !s.on || m.options.Loader == nil || s.room.X < 4 || s.room.Y < 2 {
		return nil
	}
	o := m.drawing()
	o.Method = picture.MethodBlocks
	if m.abilities.Method == picture.MethodOff {
		return nil
	}
	if s.ctx == nil {
		s.ctx, s.cancel = context.WithCancel(context.Background())
	}
	if len(s.tiles) > tilesKept || s.tiles == nil {
		s.tiles = map[string]tile{}
	}
	size := s.tileSize()
	var cmds []tea.Cmd
	from, to := m.seenTiles()
	for i := from; i < to && s.busy < tilesAtOne; i++ {
		e, _ := m.entryAt(i)
		look := m.infos[e.name]
		if e.kind != kindFile || !look.known {
			continue
		}
		of := subject{path: m.path(e), size: look.size, changed: look.modified, room: size, options: o}
		if s.tiles[e.name].of == of {
			continue
		}
		s.tiles[e.name] = tile{of: of}
		s.busy++
		cmds = append(cmds, makeTile(s.ctx, m.options.Loader, s.number, e.name, of))
	}
	return tea.Batch(cmds...)
}

func makeTile(ctx context.Context, l *picture.Loader, number int, name string, of subject) tea.Cmd {
	return func() tea.Msg {
		msg := tileMsg{number: number, name: name, tile: tile{of: of}}
		drawn, err := l.Load(ctx, picture.Request{Path: of.path, Cols: of.room.X, Rows: of.room.Y, Options: of.options})
		msg.lines = drawn.Lines
		if err != nil {
			msg.lines, msg.words = nil, "no preview"
		}
		return msg
	}
}

func (m *Model) gotTile(msg tileMsg) {
	s := &m.sheet
	if msg.number != s.number {
		return
	}
	s.busy--
	if s.tiles[msg.name].of == msg.of {
		s.tiles[msg.name] = msg.tile
	}
}

// drawSheet draws the tiles that are seen.
func (m *Model) drawSheet(size image.Point, th *theme.Theme) string {
	s := &m.sheet
	g, pic := s.grid(), s.tileSize()
	from, to := m.seenTiles()
	width := s.room.X / g.X
	var lines []string
	for first := from; first < to; first += g.X {
		var row []string
		for i := first; i < min(to, first+g.X); i++ {
			row = append(row, m.drawTile(i, image.Pt(width, pic.Y+1), pic, th))
		}
		lines = append(lines, kit.JoinH(row...))
	}
	return kit.Fit(kit.JoinV(lines...), size.X, size.Y)
}

func (m *Model) drawTile(i int, size, pic image.Point, th *theme.Theme) string {
	e, _ := m.entryAt(i)
	t := m.sheet.tiles[e.name]
	body := ""
	switch {
	case t.lines != nil:
		body = strings.Join(t.lines, "\n")
	case e.kind == kindFolder:
		body = centred(th.Accent.Render("folder"), pic)
	case t.words != "" || e.kind != kindFile:
		body = centred(th.Muted.Render(e.words()), pic)
	default:
		body = centred(th.Muted.Render("…"), pic)
	}
	style, sign := th.Text, " "
	if m.tray.hasPath(m.path(e)) {
		style, sign = th.Marked, th.Glyph(theme.SignMarked)
	}
	if i == m.list.Cursor() {
		style = th.Selected
	}
	name := style.Render(kit.PadRight(sign+kit.TruncateMiddle(kit.Safe(e.name), pic.X-1), pic.X))
	return kit.Fit(kit.JoinV(kit.Fit(body, pic.X, pic.Y), name), size.X, size.Y)
}

func centred(words string, size image.Point) string {
	return kit.OverlayCenter(kit.Fit("", size.X, size.Y), kit.Truncate(words, size.X))
}
