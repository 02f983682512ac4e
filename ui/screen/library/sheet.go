package library

import (
	"context"
	"image"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// The contact sheet: a tile for each row, with its picture in small. Pictures are
// asked for as far as they are seen, and the next page.

// thumbKey is what a picture was drawn for.
type thumbKey struct {
	of      string // state of a file
	size    image.Point
	options picture.Options
}

// sheet is the contact sheet.
type sheet struct {
	on     bool
	room   image.Point // of the tiles
	top    int         // first row of tiles that is seen
	color  picture.Color
	light  bool
	plain  bool // pictures have no color
	known  picture.Abilities
	images picture.Sheet[thumbKey]
}

// thumbMsg has the picture of a tile.
type thumbMsg struct {
	key   thumbKey
	drawn picture.Surface
	err   error
}

// toggleSheet shows the rows as a contact sheet, or as a list again.
func (m *Model) toggleSheet() tea.Cmd {
	m.sheet.on = !m.sheet.on
	if !m.sheet.on {
		return m.sheet.images.DeleteAll()
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
	o := s.known.Options(s.color, s.light)
	if s.plain {
		o.Color = picture.NoColor
	}
	return o
}

func (s *sheet) keyOf(f *api.File, g picture.Grid) thumbKey {
	return thumbKey{stateOf(f), g.Picture(), s.options()}
}

// learnTerminal notes what the terminal supports.
func (s *sheet) learnTerminal(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case page.Themed:
		s.plain, s.light = !msg.Theme.Pictures, !msg.Theme.Dark
	case tea.ColorProfileMsg:
		s.color = picture.ColorOf(msg.Profile)
	case picture.Abilities:
		s.known = msg
	default:
		return false
	}
	return true
}

// arrange gives the tiles their room and keeps the cursor in sight.
func (s *sheet) arrange(room image.Point, cursor int) {
	s.room = room
	s.top = picture.GridOf(room).Top(s.top, cursor)
}

// wantThumbs asks for pictures that are seen and not there, and the next page
// after them.
func (m *Model) wantThumbs() tea.Cmd {
	s := &m.sheet
	if !s.on || m.o.Loader == nil || s.known.Method == picture.MethodOff {
		return nil
	}
	if s.room.X < 1 || s.room.Y < 1 {
		return nil
	}
	g, options := picture.GridOf(s.room), s.options()
	gone := s.images.Delete(func(k thumbKey) bool { return k.size != g.Picture() || k.options != options })
	from, many := s.top*g.Columns, 2*g.Page()
	if options.Method.Pixels() && many > picture.MaxReal {
		many = g.Page()
	}
	var keys []thumbKey
	files := map[thumbKey]api.File{}
	for i := from; i < min(len(m.rows), from+many); i++ {
		if f := &m.rows[i]; !f.IsFolder() && f.IsImage() {
			key := s.keyOf(f, g)
			keys = append(keys, key)
			files[key] = *f
		}
	}
	return tea.Batch(gone, s.images.Want(m.o.Context, keys, options, func(ctx context.Context, key thumbKey, o picture.Options) tea.Cmd {
		return m.askThumb(ctx, files[key], key, o)
	}))
}

// thumbPatience is how long a thumbnail may take before another is loaded.
const thumbPatience = 20 * time.Second

// askThumb loads a thumbnail for the sheet.
func (m *Model) askThumb(ctx context.Context, f api.File, key thumbKey, o picture.Options) tea.Cmd {
	return func() tea.Msg { return m.loadThumb(ctx, f, key, o) }
}

// loadThumb loads a thumbnail: in a command.
func (m *Model) loadThumb(ctx context.Context, f api.File, key thumbKey, o picture.Options) thumbMsg {
	ctx, cancel := context.WithTimeout(ctx, thumbPatience)
	defer cancel()
	name, err := m.o.Session.Thumb(ctx, f)
	if err != nil {
		return thumbMsg{key: key, err: err}
	}
	drawn, err := m.o.Loader.Load(ctx, picture.Request{Path: name, Cols: key.size.X, Rows: key.size.Y, Options: o})
	if err == nil && ctx.Err() != nil {
		drawn.Drop() // nobody waits for it any more
		return thumbMsg{key: key, err: ctx.Err()}
	}
	return thumbMsg{key, drawn, err}
}

// DeleteImages deletes every picture of the screen in the terminal, when the screen
// is not used any more.
func (m *Model) DeleteImages() tea.Cmd {
	m.sheet.on = false
	return tea.Batch(m.sheet.images.DeleteAll(), m.preview.stop())
}

// viewSheet draws the tiles, exactly filling size.
func (m *Model) viewSheet(size image.Point, th *theme.Theme) string {
	g := picture.GridOf(size)
	top := g.Top(m.sheet.top, m.list.Cursor())
	var out []string
	for row := top; row < top+g.Rows; row++ {
		blocks := make([]string, 0, g.Columns)
		for i := row * g.Columns; i < min(len(m.rows), (row+1)*g.Columns); i++ {
			blocks = append(blocks, m.tile(i, g, th))
		}
		if len(blocks) > 0 {
			out = append(out, kit.JoinH(blocks...))
		}
	}
	return text.Fit(strings.Join(out, "\n"), size.X, size.Y)
}

// tile draws one file or folder: its picture, and its name under it.
func (m *Model) tile(i int, g picture.Grid, th *theme.Theme) string {
	f := &m.rows[i]
	room := g.Picture()
	body, style := "", th.Muted
	lines, err := m.sheet.images.Tile(m.sheet.keyOf(f, g))
	switch {
	case f.IsFolder():
		body, style = "folder", th.Accent
	case lines != nil:
		body = strings.Join(lines, "\n")
	case err != nil:
		body = "no picture"
	case f.IsImage():
		body = "loading…"
	default:
		body = kind(*f)
	}
	if lines == nil {
		lines := make([]string, (room.Y-1)/2, room.Y)
		for _, line := range text.Wrap(text.Safe(body), room.X) {
			lines = append(lines, strings.Repeat(" ", max(0, (room.X-text.Width(line))/2))+style.Render(line))
		}
		body = strings.Join(lines, "\n")
	}
	sign := theme.SignNone
	if m.marks.has(*f) {
		sign = theme.SignMarked
	}
	states, worst := m.states(*f)
	if text.Width(states) > room.X/2 {
		states = ""
	}
	label := text.ShortName(f.Name, max(1, room.X-3-text.Width(states)))
	if i == m.list.Cursor() {
		name := th.Selected.Render(text.PadRight(th.Glyph(sign)+" "+text.PadRight(label, room.X-3-text.Width(states))+" "+states, room.X))
		return kit.JoinV(text.Fit(body, g.Tile.X, room.Y), text.Fit(name, g.Tile.X, 1))
	}
	name := th.Sign(sign) + " " + th.Text.Render(text.PadRight(label, room.X-3-text.Width(states))) + " " + th.SignStyle(worst).Render(states)
	return kit.JoinV(text.Fit(body, g.Tile.X, room.Y), text.Fit(name, g.Tile.X, 1))
}

// tileAt is the row of the tile at a cell of the sheet.
func (m *Model) tileAt(at image.Point) (int, bool) {
	g := picture.GridOf(m.sheet.room)
	i, ok := g.At(at)
	i += m.sheet.top * g.Columns
	return i, ok && i < len(m.rows)
}

// stepAside moves the cursor by tiles, round the ends of their rows.
func (m *Model) stepAside(by int) tea.Cmd {
	m.unmatched = 0
	m.list.Move(by)
	return nil
}

// tiles are the contact sheet as something that scrolls, by rows of tiles.
type tiles struct{ m *Model }

// Page is how many rows of tiles are seen.
func (t tiles) Page() int { return picture.GridOf(t.m.sheet.room).Rows }

// Len is the number of rows of tiles.
func (t tiles) Len() int {
	columns := picture.GridOf(t.m.sheet.room).Columns
	return (len(t.m.rows) + columns - 1) / columns
}

// Move moves the cursor by rows of tiles; it stays in its column, but at the
// ends it goes to the first tile or the last.
func (t tiles) Move(by int) {
	columns, rows, cursor := picture.GridOf(t.m.sheet.room).Columns, t.Len(), t.m.list.Cursor()
	row := cursor/columns + by
	switch {
	case by <= -rows:
		t.m.list.SetCursor(0)
	case by >= rows:
		t.m.list.SetCursor(len(t.m.rows) - 1)
	default:
		t.m.list.SetCursor(max(0, min(row, rows-1))*columns + cursor%columns)
	}
}
