package upload

import (
	"context"
	"image"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// leastThumb is the least height, in rows, for pictures on the side.
const leastThumb = 6

// leastStrip is the least number of pictures for several files.
const leastStrip = 3

// thumb identifies a picture on the side. Equal values look the same.
type thumb struct {
	path    string
	size    int64
	changed time.Time
	room    image.Point
	options picture.Options
}

// thumbRoom returns the inner size of the picture box below the panels; zero if it does not fit.
func (m *Model) thumbRoom(l layout, panels []panel) image.Point {
	size := l.side.Size()
	rest := size.Y - boxRows(panels)
	if m.o.Loader == nil || !l.boxes || l.side.Min.X == 0 || rest < leastThumb {
		return image.Point{}
	}
	return kit.BoxInner(image.Pt(size.X, rest))
}

// thumbSources returns the sources in the picture grid: the file under the cursor, or the marked ones around it.
func (m *Model) thumbSources(room image.Point) (sources []*source, g picture.Grid) {
	targets := m.targets()
	if len(targets) == 1 {
		return []*source{m.current()}, picture.Grid{Columns: 1, Rows: 1, Tile: image.Pt(room.X+1, room.Y+1)}
	}
	g = picture.GridOf(room)
	if n := min(leastStrip, len(targets)); g.Page() < n && room.X >= n*(leastThumb+1) {
		g = picture.Grid{Columns: n, Rows: 1, Tile: image.Pt((room.X+1)/n, min(room.Y, (room.X+1)/n/2+1))}
	}
	from := max(0, slices.Index(targets, m.subject())) / g.Page() * g.Page()
	return targets[from:min(len(targets), from+g.Page())], g
}

func (m *Model) thumbOf(s *source, room image.Point) (of thumb, ok bool) {
	yes, _ := s.known.isPicture()
	id := s.known.identity
	return thumb{s.entry.Source.Path, id.Size, id.Modified, room, m.region.Options(m.theme)}, yes
}

// wantThumbs loads missing visible pictures.
func (m *Model) wantThumbs() tea.Cmd {
	l := m.layout(m.size)
	if len(m.sources) == 0 || m.o.Loader == nil || m.theme == nil || m.away || l.side.Empty() {
		return m.thumbs.DeleteAll()
	}
	room := m.thumbRoom(l, m.panels(kit.BoxInner(l.side.Size()).X, measured))
	if room.X < 1 || room.Y < 1 {
		return m.thumbs.DeleteAll()
	}
	sources, g := m.thumbSources(room)
	options := m.region.Options(m.theme)
	var seen []thumb
	for _, s := range sources {
		if of, ok := m.thumbOf(s, g.Picture()); ok {
			seen = append(seen, of)
		}
	}
	gone := m.thumbs.Delete(func(of thumb) bool { return !slices.Contains(seen, of) })
	load := m.o.Loader.Load
	return tea.Batch(gone, m.thumbs.Want(m.o.Context, seen, options, func(ctx context.Context, of thumb, o picture.Options) tea.Cmd {
		return func() tea.Msg {
			drawn, err := load(ctx, picture.Request{Path: of.path, Cols: of.room.X, Rows: of.room.Y, Options: o})
			return page.Then(func() tea.Cmd { return m.thumbs.Got(of, drawn, err) })
		}
	}))
}

// viewThumbs draws the pictures in a box of the given size.
func (m *Model) viewThumbs(size, room image.Point, th *theme.Theme) string {
	sources, g := m.thumbSources(room)
	title := "Picture: " + text.Safe(sources[0].entry.Source.Name())
	if n := len(m.targets()); n > 1 {
		title = "Pictures of " + text.Plural(n, "file")
	}
	var lines, row []string
	for n, s := range sources {
		row = append(row, m.viewThumb(s, g, th))
		if len(row) == g.Columns || n == len(sources)-1 {
			lines, row = append(lines, kit.JoinH(row...)), nil
		}
	}
	return kit.Box(title, text.Fit(kit.JoinV(lines...), room.X, room.Y), size, false, th)
}

func (m *Model) viewThumb(s *source, g picture.Grid, th *theme.Theme) string {
	pic := g.Picture()
	of, is := m.thumbOf(s, pic)
	lines, err := m.thumbs.Tile(of)
	words := "…"
	switch {
	case !is && s.known.looked, err != nil, s.entry.Source.Path == "":
		words = "no picture"
	case lines != nil:
		words = ""
	}
	body := strings.Join(lines, "\n")
	if words != "" {
		body = kit.OverlayCenter(text.Fit("", pic.X, pic.Y), th.Muted.Render(text.Truncate(words, pic.X)))
	}
	style := th.Text
	if s == m.current() {
		style = th.Strong
	}
	name := style.Render(text.PadRight(text.TruncateMiddle(text.Safe(s.entry.Source.Name()), pic.X), pic.X))
	return text.Fit(kit.JoinV(text.Fit(body, pic.X, pic.Y), name), g.Tile.X, g.Tile.Y)
}
