package library

import (
	"context"
	"errors"
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
)

// The contact sheet: a tile for each row, with its picture in small. Pictures are
// asked for as far as they are seen, a few at a time, and kept up to a limit.
const (
	leastTile = 20  // columns of a tile
	maxFlight = 4   // pictures on their way
	maxThumbs = 800 // pictures kept, some 10 kB each
)

// thumb is the picture of a tile.
type thumb struct {
	lines []string       // nil: none
	image *picture.Image // the terminal draws it, once it is hung; nil: glyphs do
	hung  bool
	err   error
}

// ready tells whether the picture can be drawn.
func (t *thumb) ready() bool { return t.lines != nil && (t.image == nil || t.hung) }

// thumbKey is what a picture was drawn for.
type thumbKey struct {
	of      string // state of a file
	size    image.Point
	options picture.Options
}

// sheet is the contact sheet.
type sheet struct {
	on     bool
	screen image.Point // as the screen was drawn, or will be
	room   image.Point // of the tiles in it
	top    int         // first row of tiles that is seen
	colour picture.Color
	light  bool
	known  picture.Abilities
	thumbs map[thumbKey]thumb
	order  []thumbKey // the oldest first
	flight map[thumbKey]bool
	real   []thumbKey // of thumbs with an image, the oldest first
	plain  bool       // the theme has no colour
}

// thumbMsg has the picture of a tile.
type thumbMsg struct {
	owner *Model
	key   thumbKey
	thumb thumb
}

// grid is how tiles share a rectangle.
type grid struct {
	columns, rows int
	tile          image.Point
}

func gridOf(room image.Point) grid {
	g := grid{columns: max(1, room.X/leastTile)}
	g.tile.X = max(1, room.X/g.columns)
	// A tile is a picture of 4:3 in cells twice as high as wide, and a name.
	g.tile.Y = max(2, min((g.tile.X-1)*3/8+1, room.Y))
	g.rows = max(1, room.Y/g.tile.Y)
	return g
}

// picture is the room for the picture in a tile.
func (g grid) picture() image.Point { return image.Pt(max(1, g.tile.X-1), max(1, g.tile.Y-1)) }

// toggleSheet shows the rows as a contact sheet, or as a list again.
func (m *Model) toggleSheet() tea.Cmd {
	m.sheet.on = !m.sheet.on
	if !m.sheet.on {
		return m.sheet.takeDown(func(thumbKey) bool { return true })
	}
	return nil
}

// stateOf names a state of a file: another version has another picture.
func stateOf(f *api.File) string {
	if f.VersionInfo != nil {
		return f.FileID + " " + f.VersionInfo.ID
	}
	return f.FileID
}

func (s *sheet) options() picture.Options {
	o := s.known.Options(s.colour, s.light)
	if o.Method != picture.MethodKitty {
		o.Method, o.Cell = picture.MethodBlocks, image.Point{}
	}
	if s.plain {
		o.Color = picture.NoColor
	}
	return o
}

func (s *sheet) keyOf(f *api.File) thumbKey {
	return thumbKey{stateOf(f), gridOf(s.room).picture(), s.options()}
}

// learnTerminal takes over what is known of the terminal.
func (s *sheet) learnTerminal(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.screen = image.Pt(msg.Width, msg.Height-2) // less the root's two lines
	case tea.ColorProfileMsg:
		switch msg.Profile {
		case colorprofile.ANSI256, colorprofile.ANSI:
			s.colour = picture.Color256
		case colorprofile.ASCII, colorprofile.NoTTY:
			s.colour = picture.NoColor
		default:
			s.colour = picture.TrueColor
		}
	case picture.Abilities:
		s.known = msg
	default:
		return false
	}
	return true
}

// scroll keeps the cursor in sight.
func (s *sheet) scroll(cursor int) {
	g := gridOf(s.room)
	row := cursor / g.columns
	s.top = max(row-g.rows+1, min(s.top, row), 0)
}

// wantThumbs asks for pictures that are seen and not there, and the next page
// after them.
func (m *Model) wantThumbs() tea.Cmd {
	s := &m.sheet
	if !s.on || m.o.Thumb == nil || m.o.Loader == nil || s.known.Method == picture.MethodOff {
		return nil
	}
	// The room that tiles have follows from drawing: this draws what comes next.
	if th := m.cache.theme; th != nil && s.screen.X > 0 && s.screen.Y > 0 {
		m.draw(s.screen, th)
	}
	if s.room.X < 1 || s.room.Y < 1 {
		return nil
	}
	s.scroll(m.list.Cursor())
	g, options := gridOf(s.room), s.options()
	cmds := []tea.Cmd{s.takeDown(func(k thumbKey) bool { return k.size != g.picture() || k.options != options })}
	from := s.top * g.columns
	for i := from; i < min(len(m.rows), from+s.window(g)) && len(s.flight) < maxFlight; i++ {
		f := &m.rows[i]
		if f.IsFolder() || !f.IsImage() {
			continue
		}
		key := s.keyOf(f)
		if _, ok := s.thumbs[key]; ok || s.flight[key] {
			continue
		}
		if s.flight == nil {
			s.flight = map[thumbKey]bool{}
		}
		s.flight[key] = true
		drawn, gone := m.means(key.options)
		cmds = append(cmds, gone, m.askThumb(*f, key, drawn))
	}
	return tea.Batch(cmds...)
}

// askThumb gets a picture and draws it.
func (m *Model) askThumb(f api.File, key thumbKey, o picture.Options) tea.Cmd {
	ctx, path, loader := m.o.Context, m.o.Thumb, m.o.Loader
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		name, err := path(ctx, f)
		if err != nil {
			return thumbMsg{m, key, thumb{err: err}}
		}
		drawn, err := loader.Load(ctx, picture.Request{Path: name, Cols: key.size.X, Rows: key.size.Y, Options: o})
		return thumbMsg{m, key, thumb{lines: drawn.Lines, image: drawn.Image, err: err}}
	}
}

func (m *Model) gotThumb(msg thumbMsg) tea.Cmd {
	s := &m.sheet
	delete(s.flight, msg.key)
	if errors.Is(msg.thumb.err, context.Canceled) || msg.thumb.image != nil && (!s.on || msg.key.size != gridOf(s.room).picture() || msg.key.options != s.options()) {
		msg.thumb.image.Drop()
		return nil
	}
	if s.thumbs == nil {
		s.thumbs = map[thumbKey]thumb{}
	}
	if _, had := s.thumbs[msg.key]; !had {
		s.order = append(s.order, msg.key)
	}
	s.thumbs[msg.key] = msg.thumb
	var gone []tea.Cmd
	for len(s.order) > maxThumbs {
		oldest := s.order[0]
		gone = append(gone, s.takeDown(func(k thumbKey) bool { return k == oldest }))
		delete(s.thumbs, oldest)
		s.order = s.order[1:]
	}
	if msg.thumb.image != nil {
		s.real = append(s.real, msg.key)
		gone = append(gone, msg.thumb.image.Show())
	}
	return tea.Batch(gone...)
}

// viewSheet draws the tiles, exactly filling size.
func (m *Model) viewSheet(size image.Point, th *theme.Theme) string {
	s := &m.sheet
	s.room, s.plain, s.light = size, !th.Color, !th.Dark
	s.scroll(m.list.Cursor())
	g := gridOf(size)
	var out []string
	for row := s.top; row < s.top+g.rows; row++ {
		blocks := make([]string, 0, g.columns)
		for i := row * g.columns; i < min(len(m.rows), (row+1)*g.columns); i++ {
			blocks = append(blocks, m.tile(i, g, th))
		}
		if len(blocks) > 0 {
			out = append(out, kit.JoinH(blocks...))
		}
	}
	return kit.Fit(strings.Join(out, "\n"), size.X, size.Y)
}

// tile draws one file or folder: its picture, and its name under it.
func (m *Model) tile(i int, g grid, th *theme.Theme) string {
	f := &m.rows[i]
	room := g.picture()
	body, style := "", th.Muted
	t, there := m.sheet.thumbs[m.sheet.keyOf(f)]
	switch {
	case f.IsFolder():
		body, style = "folder", th.Accent
	case t.ready():
		body = strings.Join(t.lines, "\n")
	case there && t.lines == nil:
		body = "no picture"
	case f.IsImage() && m.o.Thumb != nil:
		body = "getting it…"
	default:
		body = kind(*f)
	}
	if !t.ready() {
		lines := make([]string, (room.Y-1)/2, room.Y)
		for _, line := range kit.Wrap(kit.Safe(body), room.X) {
			lines = append(lines, strings.Repeat(" ", max(0, (room.X-kit.Width(line))/2))+style.Render(line))
		}
		body = strings.Join(lines, "\n")
	}
	sign := theme.SignNone
	if m.marks.has(*f) {
		sign = theme.SignMarked
	}
	states, worst := m.states(*f)
	if kit.Width(states) > room.X/2 {
		states = ""
	}
	label := kit.TruncateMiddle(kit.Safe(f.Name), max(1, room.X-3-kit.Width(states)))
	if i == m.list.Cursor() {
		name := th.Selected.Render(kit.PadRight(th.Glyph(sign)+" "+kit.PadRight(label, room.X-3-kit.Width(states))+" "+states, room.X))
		return kit.JoinV(kit.Fit(body, g.tile.X, room.Y), kit.Fit(name, g.tile.X, 1))
	}
	name := th.Sign(sign) + " " + th.Text.Render(kit.PadRight(label, room.X-3-kit.Width(states))) + " " + th.SignStyle(worst).Render(states)
	return kit.JoinV(kit.Fit(body, g.tile.X, room.Y), kit.Fit(name, g.tile.X, 1))
}

// tileAt is the row of the tile at a cell of the sheet.
func (m *Model) tileAt(at image.Point) (int, bool) {
	g := gridOf(m.sheet.room)
	if at.X < 0 || at.Y < 0 || at.X/g.tile.X >= g.columns || at.Y/g.tile.Y >= g.rows {
		return 0, false
	}
	i := (m.sheet.top+at.Y/g.tile.Y)*g.columns + at.X/g.tile.X
	return i, i < len(m.rows)
}

// step moves the cursor by tiles and by rows of tiles.
func (m *Model) step(x, y int) tea.Cmd {
	m.unmatched = 0
	to := m.list.Cursor() + x + y*gridOf(m.sheet.room).columns
	if to >= 0 && to < len(m.rows) {
		m.list.SetCursor(to)
	}
	return nil
}
