package edit

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/api/rule"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Tile is a file or folder on a contact sheet.
type Tile struct {
	Name string
	Sign theme.Sign // before the name
	// Marked marks it; Current is the tile of the cursor in a sheet without one.
	Marked, Current bool
	// Note is a list below the name, with [TilesOptions].Notes.
	Note  []string
	Words string // shown if there is no picture, such as "PDF"
	// Picture is the picture to show; none without a key.
	Picture Thumb
	// Folder is the folder whose first pictures are shown; empty for a file.
	Folder string
}

// Thumb is a picture on a contact sheet.
type Thumb struct {
	// Key identifies the picture and its state.
	Key, Name string
	// Path returns a local file with it; it runs in a command. nil is the sample picture.
	Path func(ctx context.Context) (string, error)
	// Region is framed, or alone visible with Crop; none if it is empty. Size and Orientation are
	// those of the stored picture, as in [Subject].
	Region      rule.Region
	Size        image.Point
	Orientation media.Orientation
	Crop        bool
	// Fill cuts a picture without region to the proportions of its tile.
	Fill bool
}

func (t Thumb) id() string {
	if t.Region == (rule.Region{}) {
		return t.Key
	}
	return fmt.Sprint(t.Key, " ", t.Region, t.Crop)
}

// part returns what is framed or alone visible in a tile, in pixels of the decoded picture.
func (t Thumb) part(of *picture.Picture, tile image.Point, aspect float64) image.Rectangle {
	if t.Fill {
		return media.CoverCut(of.Size(), image.Pt(100*tile.X, int(100*aspect*float64(tile.Y))))
	}
	plane, ok := PlaneOf(Subject{Size: t.Size, Orientation: t.Orientation}, of)
	if !ok || t.Region == (rule.Region{}) {
		return image.Rectangle{}
	}
	return plane.drawn(plane.Seen(t.Region), of.Size())
}

// TilesOptions configures a contact sheet.
type TilesOptions struct {
	// Context ends the loading of pictures.
	Context context.Context
	// Loader draws pictures; nil for none.
	Loader *picture.Loader
	// List has the rows and the cursor. Without it the sheet is a preview of Len tiles, and a
	// single one fills the space.
	List *kit.Lines
	Len  func() int
	Rest bool // a preview says how many have no room
	// Notes reports whether tiles have a note below their name; nil means that none has.
	Notes func() bool
	Tile  func(i int) Tile
	// Below is how many rows something below the sheet takes at times; the tiles stay as large as without
	// it. nil means none.
	Below func() int
	// First returns the first pictures of a folder, in a command; may be nil.
	First func(ctx context.Context, folder string) ([]Thumb, error)
}

// Tiles is a contact sheet: tiles with pictures side by side, larger if there is more space. It
// loads visible pictures and those of the next page. Create it with [NewTiles].
type Tiles struct {
	// On is set while the sheet is shown.
	On bool

	o      TilesOptions
	room   image.Point
	top    int // first visible row
	draw   picture.Options
	images picture.Sheet[tileKey]
	seen   map[string]image.Point // sizes of decoded pictures, by Thumb.Key

	firsts    map[string][]Thumb // by folder; nil while being read
	requested map[string]bool    // the folders of which they are read or known
	asking    bool
	also      []string // folders whose first pictures are needed elsewhere
}

type tileKey struct {
	of   string
	size image.Point
	draw picture.Options
}

const (
	// MaxFirst limits the pictures of files that a preview shows, and those of a folder on a disk.
	MaxFirst = 24
	// tileTimeout limits the time for loading a picture.
	tileTimeout = 20 * time.Second
	// maxSingle is the width of a single picture in a question.
	maxSingle = 64
	// loadDelay is how long the cursor stays before a preview loads pictures.
	loadDelay = 60 * time.Millisecond
)

// NewTiles returns a contact sheet.
func NewTiles(o TilesOptions) *Tiles {
	if o.List != nil {
		o.Len = o.List.Len
	}
	return &Tiles{o: o, firsts: map[string][]Thumb{}, requested: map[string]bool{}, seen: map[string]image.Point{}}
}

// Fetched returns the Path of a picture that get stores in a local file.
func Fetched[T any](get func(context.Context, T) (string, error), v T) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) { return get(ctx, v) }
}

// ThumbOf returns the picture of a stored file, whose thumbnail get stores in a local file.
func ThumbOf(f api.File, get func(context.Context, api.File) (string, error)) Thumb {
	key := f.FileID + " " + f.VersionID() + f.FilePath // not at an address of before
	w, h, _ := rule.PixelSize(&f)
	return Thumb{Key: key, Name: f.Name, Path: Fetched(get, f), Size: image.Pt(w, h)}
}

// Local returns the Path of a local file.
func Local(path string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return path, nil }
}

// Shown returns the sheet while it is on, for a list.
func (s *Tiles) Shown() kit.Tiles {
	return text.Either[kit.Tiles](s.On, s, nil)
}

// Toggle shows the sheet or hides it.
func (s *Tiles) Toggle() tea.Cmd {
	s.On, s.top = !s.On, 0
	return s.Delete()
}

// Delete deletes all pictures from the terminal and stops loading.
func (s *Tiles) Delete() tea.Cmd { return s.images.DeleteAll() }

// Forget rereads the first pictures of folders, and pictures that could not be read, when needed.
func (s *Tiles) Forget() {
	clear(s.requested)
	s.images.Forget()
}

// Arrange sets the size, keeps the cursor visible and fills the rows.
func (s *Tiles) Arrange(room image.Point, draw picture.Options) {
	s.room, s.draw = room, draw
	g := s.Grid()
	last := (s.o.Len()-1)/g.Columns + 1 - g.Rows // without empty rows below
	s.top = g.Top(min(s.top, max(0, last)), s.cursor())
}

// Grid returns the arrangement of the tiles.
func (s *Tiles) Grid() picture.Grid { return s.gridOf(s.room) }

func (s *Tiles) gridOf(room image.Point) picture.Grid {
	switch {
	case s.single():
		return picture.Grid{Columns: 1, Rows: 1, Tile: room.Add(image.Pt(1, 1))}
	case s.o.List == nil:
		// There is no gap at the right. The last line is blank or says how many have no room, after a blank one.
		g := picture.GridOf(room.Add(image.Pt(2, 1)), s.o.Len(), s.captions())
		if s.o.Rest && s.o.Len() > g.Page() {
			g = picture.GridOf(room.Add(image.Pt(2, -1)), s.o.Len(), s.captions())
		}
		return g
	}
	below := 0
	if s.o.Below != nil {
		below = s.o.Below()
	}
	// A frame has one line more. A single tile is smaller than its picture in the preview beside it.
	g := picture.GridOf(room.Add(image.Pt(0, below-1)), max(2, s.o.Len()), s.captions())
	g.Tile.Y = min(g.Tile.Y, (g.Tile.X-2)/3+s.captions()+3) // pictures are 3:2
	if below > 0 {
		g.Rows = max(1, (room.Y-1)/g.Tile.Y)
		g.Tile.Y = min(g.Tile.Y, room.Y-1)
	}
	return g
}

// of returns the grid with the size of a tile, which differ without a cursor. Rows are as wide as the
// room. The pictures of a single one have one height and equal, small gaps: wider ones have wider tiles.
func (s *Tiles) of(g picture.Grid, tile int) picture.Grid {
	n, at := s.o.Len(), tile%g.Columns
	if s.o.List != nil || n < 2 {
		return g
	}
	if n > g.Columns {
		g.Tile.X = (at+1)*g.Width/g.Columns - at*g.Width/g.Columns
		return g
	}
	all, words := 0.0, 1+s.captions()
	for i := range n {
		all += s.shape(s.o.Tile(i).Picture)
	}
	high := max(4-words, min(g.Tile.Y-words, int(float64(g.Width-2*n)/all)))
	gap := int((float64(g.Width)-all*float64(high))/float64(n) - 0.5) // widths are rounded
	wide := int(math.Round(s.shape(s.o.Tile(tile).Picture) * float64(high)))
	g.Tile = image.Pt(wide+max(2, min(gap, 6)), high+words)
	return g
}

// Fit returns the size of the tiles in a room.
func (s *Tiles) Fit(room image.Point) image.Point {
	if s.single() {
		return image.Pt(min(room.X, maxSingle), min(room.Y, maxSingle/4))
	}
	g := s.of(s.gridOf(room), 0)
	return image.Pt(room.X, min(room.Y, g.Rows*g.Tile.Y+text.Either(s.o.Len() > g.Page(), 2, 0)))
}

// shape returns the columns of a picture per row.
func (s *Tiles) shape(t Thumb) float64 {
	size := image.Pt(3, 2)
	if p, ok := PlaneOf(Subject{Size: t.Size, Orientation: t.Orientation}, nil); ok {
		size = text.Either(t.Crop, p.Seen(t.Region).Size(), p.Upright())
	}
	if seen, ok := s.seen[t.Key]; ok && !t.Crop { // a record may not say that it is turned
		size = seen
	}
	return max(1.2, min(cmp.Or(s.draw.CellAspect, 2)*float64(size.X)/float64(size.Y), 5))
}

// captions returns the number of lines below a picture.
func (s *Tiles) captions() int { return text.Either(s.o.Notes != nil && s.o.Notes(), 2, 1) }

// single reports whether one picture fills the space.
func (s *Tiles) single() bool { return s.o.List == nil && s.o.Len() == 1 }

// picture returns the size of the picture in a tile, above its words, and whether there is a gap above it,
// in which a frame fits.
func (s *Tiles) picture(g picture.Grid) (room image.Point, gap bool) {
	if s.single() || g.Tile.X < 8 || g.Tile.Y < 4+s.captions() {
		return image.Pt(max(1, g.Tile.X-1), max(1, g.Tile.Y-1)), false
	}
	return g.Tile.Sub(image.Pt(2, 1+s.captions())), true
}

func (s *Tiles) cursor() int {
	if s.o.List == nil {
		return 0
	}
	return s.o.List.Cursor()
}

// Visible returns the visible tiles.
func (s *Tiles) Visible() (from, to int) {
	g := s.Grid()
	from = s.top * g.Columns
	return from, min(s.o.Len(), from+g.Page())
}

// Off reports whether pictures cannot be shown.
func (s *Tiles) Off() bool { return s.o.Loader == nil || s.draw.Method == picture.MethodOff }

// Want loads missing pictures that are visible or on the next page. Call it at the end of each
// Update.
func (s *Tiles) Want() tea.Cmd {
	if s.Off() || !s.On || s.room.X < 4 || s.room.Y < 2 {
		return tea.Batch(s.Delete(), s.wantFirsts(nil))
	}
	g := s.Grid()
	room, _ := s.picture(g)
	from, many := s.top*g.Columns, 2*g.Page()
	if s.draw.Method.Pixels() && many > picture.MaxReal {
		many = g.Page()
	}
	var keys []tileKey
	var folders []string
	thumbs := map[tileKey]Thumb{}
	for i := from; i < min(s.o.Len(), from+many); i++ {
		t := s.o.Tile(i)
		in, _ := s.picture(s.of(g, i))
		list, size := s.thumbs(t, in)
		if t.Folder != "" {
			folders = append(folders, t.Folder)
		}
		for _, thumb := range list {
			thumb.Fill = t.Folder != ""
			key := tileKey{thumb.id(), size, s.draw}
			keys = append(keys, key)
			thumbs[key] = thumb
		}
	}
	gone := s.images.Delete(func(k tileKey) bool {
		return k.draw != s.draw || s.o.List != nil && k.size != room && k.size != part(room) ||
			s.o.List == nil && !slices.Contains(keys, k)
	})
	load := func(ctx context.Context, key tileKey, o picture.Options) tea.Cmd {
		return func() tea.Msg {
			drawn, seen, err := s.load(ctx, thumbs[key], key, o)
			return page.Then(func() tea.Cmd {
				if s.o.List == nil && seen != (image.Point{}) {
					s.seen[thumbs[key].Key] = seen
				}
				return s.images.Got(key, drawn, err)
			})
		}
	}
	return tea.Batch(gone, s.wantFirsts(folders), s.images.Want(s.o.Context, keys, s.draw, load))
}

// part returns the size of one of the first four pictures of a folder, or of two where four would be strips.
func part(room image.Point) image.Point {
	return image.Pt((room.X-1)/2, text.Either(room.Y < 6, room.Y, room.Y/2))
}

func (s *Tiles) thumbs(t Tile, room image.Point) ([]Thumb, image.Point) {
	switch firsts := s.firsts[t.Folder]; {
	case t.Folder == "" && t.Picture.Key == "":
		return nil, room
	case t.Folder == "":
		return []Thumb{t.Picture}, room
	case len(firsts) < 3, part(room).X < 4:
		return firsts[:min(len(firsts), 1)], room
	default:
		return firsts[:min(len(firsts), text.Either(room.Y < 6, 2, 4))], part(room)
	}
}

// wantFirsts reads the first pictures of folders, one folder at a time.
func (s *Tiles) wantFirsts(folders []string) tea.Cmd {
	for _, folder := range slices.Concat(s.also, folders) {
		if s.requested[folder] || s.asking || s.o.First == nil {
			continue
		}
		s.requested[folder], s.asking = true, true
		return page.Within(s.o.Context, tileTimeout, func(ctx context.Context) tea.Msg {
			firsts, _ := s.o.First(ctx, folder) // without them the folder shows words
			return page.Do(func() {
				s.asking = false
				s.firsts[folder] = firsts
			})
		})
	}
	return nil
}

// Also sets the folders whose first pictures are read for other uses than the sheet, in that order.
func (s *Tiles) Also(folders ...string) { s.also = folders }

// Firsts returns the first pictures of a folder as far as known.
func (s *Tiles) Firsts(folder string) []Thumb { return s.firsts[folder] }

func (s *Tiles) load(ctx context.Context, t Thumb, key tileKey,
	o picture.Options,
) (drawn picture.Surface, seen image.Point, err error) {
	ctx, cancel := context.WithTimeout(ctx, tileTimeout)
	defer cancel()
	if s.o.List == nil {
		select {
		case <-ctx.Done():
		case <-time.After(loadDelay):
		}
	}
	part := func(of *picture.Picture) image.Rectangle {
		seen = of.Size()
		return t.part(of, key.size, cmp.Or(o.CellAspect, 2))
	}
	want := picture.Request{
		Cols: key.size.X, Rows: key.size.Y, Options: o, Mark: &picture.Mark{Part: part, Crop: t.Crop || t.Fill},
	}
	draw := s.o.Loader.Sample
	if t.Path != nil {
		draw = s.o.Loader.Load
		want.Path, err = t.Path(ctx)
	}
	if err == nil {
		drawn, err = draw(ctx, want)
	}
	if err == nil && ctx.Err() != nil {
		drawn.Drop() // no longer wanted
		return nil, seen, ctx.Err()
	}
	return drawn, seen, err
}

// Update reports whether a picture of the sheet was transmitted.
func (s *Tiles) Update(msg tea.Msg) (used bool) {
	sent, ok := msg.(picture.Transmitted)
	return ok && s.images.Transmitted(sent)
}

// Failure returns why the only picture of a preview cannot be shown, or nil.
func (s *Tiles) Failure() error {
	if !s.single() {
		return nil
	}
	room, _ := s.picture(s.Grid())
	_, err := s.images.Tile(tileKey{s.o.Tile(0).Picture.id(), room, s.draw})
	return err
}

// Busy reports whether pictures are loading.
func (s *Tiles) Busy() bool { return s.images.Busy() || s.asking }

// View draws the tiles in exactly the given size.
func (s *Tiles) View(size image.Point, th *theme.Theme) string {
	g := s.gridOf(size)
	_, gap := s.picture(g)
	from := g.Top(s.top, s.cursor()) * g.Columns
	var tiles []Tile
	short := false // all have their folder before the name, or none
	for i := from; i < min(s.o.Len(), from+g.Page()); i++ {
		tiles = append(tiles, s.o.Tile(i))
		room, _ := s.picture(s.of(g, i))
		short = short || text.Width(tiles[len(tiles)-1].Name) > room.X
	}
	for i := range tiles {
		tiles[i].Name = text.Either(short, path.Base(tiles[i].Name), tiles[i].Name)
	}
	var out []string
	for row := range slices.Chunk(tiles, g.Columns) {
		var blocks []string
		for i, t := range row {
			blocks = append(blocks, s.tile(t, s.of(g, from+i), s.o.List != nil && from+i == s.cursor(), th))
		}
		from += len(row)
		lines := strings.Split(kit.JoinH(blocks...), "\n")
		if last := len(out) - 1; gap && last >= 0 { // a row shares its first line with the one before it
			if blank(lines[0]) {
				lines[0] = out[last]
			}
			out = out[:last]
		}
		out = append(out, lines...)
	}
	tight := s.o.List == nil && !s.Busy() // a picture that is loading may need the blank lines
	for gap && tight && len(out) > 0 && blank(out[0]) {
		out = out[1:]
	}
	if n := s.o.Len() - g.Page(); s.o.Rest && n > 0 {
		for len(out) > 1 && blank(out[len(out)-1]) {
			out = out[:len(out)-1]
		}
		gap := slices.Repeat([]string{" "}, max(0, min(1, size.Y-1-len(out))))
		out = slices.Concat(out[:min(len(out), size.Y-1)], gap,
			[]string{centered(th.Muted.Render("and "+text.Count(n)+" more"), image.Pt(size.X, 1))})
	}
	left := text.Either(tight, size.X, 0) // they begin where the text above and below does, if narrow pictures let them
	if s.o.Len() > g.Columns {
		left = min(left, 3)
	}
	for _, line := range out {
		if !blank(line) {
			left = min(left, len(line)-len(strings.TrimLeft(line, " ")))
		}
	}
	for i, line := range out {
		out[i] = text.Either(blank(line), line, line[min(left, len(line)):])
	}
	return text.Fit(kit.JoinV(out...), size.X, size.Y)
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

// tile draws one tile: its picture with the words directly below, in a frame if it is selected.
func (s *Tiles) tile(t Tile, g picture.Grid, selected bool, th *theme.Theme) string {
	room, gap := s.picture(g)
	body := text.Fit(s.body(t, room, th), room.X, room.Y)
	if s.single() {
		return body
	}
	style := text.Either(t.Folder != "", th.Accent, th.Text)
	switch {
	case selected:
		style = th.Title
	case t.Current:
		style = th.Accent
	case t.Marked:
		style = th.Marked
	}
	sign, line := text.If(t.Sign != theme.SignNone, th.Sign(t.Sign)+" "), image.Pt(room.X, 1)
	words := text.ShortName(t.Name+text.If(t.Folder != "", "/"), max(1, room.X-text.Width(sign)))
	name := centered(sign+style.Render(words), line)
	if selected && !gap {
		name = th.Selected.Render(ansi.Strip(name))
	}
	body += "\n" + name
	if s.captions() > 1 && gap {
		style = text.Either(t.Sign == theme.SignBad, th.Bad, th.Muted)
		note := text.Truncate(text.Safe(text.List(t.Note, room.X-2)), room.X)
		body += "\n" + centered(style.Render(note), line)
	}
	switch {
	case gap && selected:
		return kit.Box("", body, g.Tile.Add(image.Pt(0, 1)), true, th)
	case gap:
		indent := text.If(s.o.List != nil, " ")
		body = "\n" + indent + strings.ReplaceAll(body, "\n", "\n"+indent)
		return text.Fit(body, g.Tile.X, g.Tile.Y+1)
	}
	return text.Fit(body, g.Tile.X, g.Tile.Y)
}

func (s *Tiles) body(t Tile, room image.Point, th *theme.Theme) string {
	style, words := text.Either(t.Folder != "", th.Accent, th.Muted), t.Words
	list, size := s.thumbs(t, room)
	var parts []string
	for _, thumb := range list {
		lines, err := s.images.Tile(tileKey{thumb.id(), size, s.draw})
		switch {
		case lines != nil:
			// Words stand directly under pictures, in a row with the others.
			if last := len(lines) - 1; !s.single() {
				for last > 0 && blank(lines[last]) {
					last--
				}
				lines = append(make([]string, max(0, size.Y-last-1)), lines[:last+1]...)
			}
			parts = append(parts, text.Fit(strings.Join(lines, "\n"), size.X, size.Y))
		case err != nil && len(list) == 1 && t.Folder == "":
			words = "no picture"
		case err == nil && !s.Off() && thumb.Path != nil:
			parts = append(parts, centered(th.Muted.Render(text.Truncate("Loading…", size.X)), size))
		}
	}
	switch {
	case len(parts) == 0:
		return centered(style.Render(text.Truncate(text.Safe(words), room.X)), room)
	case size == room:
		return parts[0]
	}
	blank := text.Fit("", size.X, size.Y)
	for len(parts) < 4 {
		parts = append(parts, blank)
	}
	gap := text.Fit("", 1, size.Y)
	if size.Y == room.Y {
		return kit.JoinH(parts[0], gap, parts[1])
	}
	between := strings.Repeat("\n", 1+room.Y-2*size.Y)
	return kit.JoinH(parts[0], gap, parts[1]) + between + kit.JoinH(parts[2], gap, parts[3])
}

func centered(words string, size image.Point) string {
	return kit.OverlayCenter(text.Fit("", size.X, size.Y), text.Truncate(words, size.X))
}

// At returns the tile at a cell of the sheet.
func (s *Tiles) At(at image.Point) (int, bool) {
	g := s.Grid()
	i, ok := g.At(at)
	i += s.top * g.Columns
	return i, ok && i < s.o.Len()
}

// Wheel moves the cursor by a row of tiles.
func (s *Tiles) Wheel(msg tea.MouseWheelMsg) {
	s.Move(map[tea.MouseButton]int{tea.MouseWheelUp: -1, tea.MouseWheelDown: 1}[msg.Button])
}

// Page returns the number of visible rows of tiles.
func (s *Tiles) Page() int { return s.Grid().Rows }

// Len returns the number of rows of tiles.
func (s *Tiles) Len() int {
	columns := s.Grid().Columns
	return (s.o.Len() + columns - 1) / columns
}

// Move moves the cursor by rows of tiles. It keeps the column, but ends at the first or last tile.
func (s *Tiles) Move(by int) {
	columns, rows, list := s.Grid().Columns, s.Len(), s.o.List
	row := list.Cursor()/columns + by
	switch {
	case by <= -rows:
		list.SetCursor(0)
	case by >= rows:
		list.SetCursor(list.Len() - 1)
	default:
		list.SetCursor(max(0, min(row, rows-1))*columns + list.Cursor()%columns)
	}
}

// Actions returns the cursor actions: those of a list, and sideways moves with ids that start with
// id.
func (s *Tiles) Actions(id string) []kit.Action {
	aside := func(id, words, shown string, by int, keys ...string) kit.Action {
		return kit.Action{ID: id, Keys: kit.Bind(words, shown, keys...), Group: "Cursor", Do: func() tea.Cmd {
			s.o.List.Move(by)
			return nil
		}}
	}
	return append([]kit.Action{
		aside(id+".left", "left", "←/h", -1, "left", "h"),
		aside(id+".right", "right", "→/l", 1, "right", "l"),
	}, kit.ListActions(func() kit.Scroller { return s }, nil)...)
}
