package picture

import (
	"context"
	"errors"
	"image"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"
)

// Sheet holds the pictures of a contact sheet, a tile per key, and loads a few at a time.
// It draws up to [MaxReal] tiles in pixels if the terminal supports them. For one more it
// deletes the oldest that is no longer wanted, or draws glyphs if all are wanted.
//
// A key must include everything that its picture depends on. The zero Sheet is ready to
// use. Except for its commands it is not safe for concurrent use.
type Sheet[K comparable] struct {
	tiles  map[K]*tile
	order  []K // of tiles, oldest first
	real   []K // of tiles with an [Image], oldest first
	flight map[K]flight
}

type flight struct {
	cancel context.CancelFunc
	ended  func() error // why it was canceled, or nil
}

type tile struct {
	slot Slot
	err  error
}

const (
	// MaxReal limits the tiles of a sheet drawn by the terminal, since two sheets and other screens
	// share its pictures.
	MaxReal = 110

	maxTiles  = 800 // about 10 kB each
	maxFlight = 4   // concurrent loads
)

// Tile returns the lines of a key, or an error; both nil until ready.
func (w *Sheet[K]) Tile(key K) (lines []string, err error) {
	t := w.tiles[key]
	if t == nil {
		return nil, nil
	}
	return t.slot.Lines(), t.err
}

// Want loads missing tiles for the keys, a few at a time and in order. Call it again when a tile
// arrives or other keys are wanted. load draws a key with the given options and passes its result
// to [Sheet.Got]. Its context is canceled when the key is no longer wanted.
func (w *Sheet[K]) Want(ctx context.Context, keys []K, o Options,
	load func(context.Context, K, Options) tea.Cmd,
) tea.Cmd {
	if !o.Method.Pixels() {
		o.Method, o.Cell = MethodBlocks, image.Point{}
	}
	if w.flight == nil {
		w.flight, w.tiles = map[K]flight{}, map[K]*tile{}
	}
	w.giveUp(func(k K) bool { return !slices.Contains(keys, k) })
	var cmds []tea.Cmd
	for _, key := range keys {
		if len(w.flight) >= maxFlight {
			break
		}
		if _, ok := w.tiles[key]; ok || w.flight[key].cancel != nil {
			continue
		}
		drawn, gone := w.makeRoom(o, keys)
		loading, cancel := context.WithCancel(ctx)
		w.flight[key] = flight{cancel, loading.Err}
		cmds = append(cmds, gone, load(loading, key, drawn))
	}
	return tea.Batch(cmds...)
}

// makeRoom returns the options for one more tile, deleting an old one if needed.
func (w *Sheet[K]) makeRoom(o Options, requested []K) (Options, tea.Cmd) {
	if !o.Method.Pixels() || len(w.real)+len(w.flight) < MaxReal {
		return o, nil
	}
	if i := slices.IndexFunc(w.real, func(k K) bool { return !slices.Contains(requested, k) }); i >= 0 {
		oldest := w.real[i]
		return o, w.Delete(func(k K) bool { return k == oldest })
	}
	o.Method, o.Cell = MethodBlocks, image.Point{}
	return o, nil
}

// Got accepts the result of a load. Results of canceled loads are dropped.
func (w *Sheet[K]) Got(key K, drawn Surface, err error) tea.Cmd {
	loading, requested := w.flight[key]
	canceled := errors.Is(err, context.Canceled)
	if requested && canceled && loading.ended() == nil {
		requested = false // a canceled load; there is a new one
	} else if requested {
		loading.cancel()
		delete(w.flight, key)
	}
	if drawn != nil && (!requested || err != nil) {
		drawn.Drop()
		drawn = nil
	}
	if !requested || canceled {
		return nil
	}
	t := &tile{err: err}
	w.tiles[key] = t
	w.order = append(w.order, key)
	if _, real := drawn.(*Image); real {
		w.real = append(w.real, key)
	}
	cmd := t.slot.Set(drawn)
	if len(w.order) > maxTiles {
		oldest := w.order[0]
		cmd = tea.Batch(cmd, w.Delete(func(k K) bool { return k == oldest }))
		delete(w.tiles, oldest)
		w.order = slices.DeleteFunc(w.order, func(k K) bool { return k == oldest })
	}
	return cmd
}

// Transmitted shows a tile's picture and reports whether it belongs to this sheet.
func (w *Sheet[K]) Transmitted(msg Transmitted) bool {
	for _, key := range w.real {
		if _, used := w.tiles[key].slot.Transmitted(msg); used {
			return true
		}
	}
	return false
}

// Forget drops failures: those tiles are loaded again when wanted.
func (w *Sheet[K]) Forget() {
	w.order = slices.DeleteFunc(w.order, func(key K) bool { return w.tiles[key].err != nil })
	maps.DeleteFunc(w.tiles, func(_ K, t *tile) bool { return t.err != nil })
}

// Delete deletes real pictures of some keys from the terminal and cancels their loads. Glyph tiles
// are kept.
func (w *Sheet[K]) Delete(which func(K) bool) tea.Cmd {
	var gone []tea.Cmd
	w.giveUp(which)
	w.real = slices.DeleteFunc(w.real, func(key K) bool {
		if !which(key) {
			return false
		}
		gone = append(gone, w.tiles[key].slot.Set(nil))
		delete(w.tiles, key)
		w.order = slices.DeleteFunc(w.order, func(k K) bool { return k == key })
		return true
	})
	return tea.Batch(gone...)
}

func (w *Sheet[K]) giveUp(which func(K) bool) {
	for key, loading := range w.flight {
		if which(key) {
			loading.cancel()
			delete(w.flight, key)
		}
	}
}

// DeleteAll deletes all real pictures of the sheet.
func (w *Sheet[K]) DeleteAll() tea.Cmd { return w.Delete(func(K) bool { return true }) }

// Busy reports whether tiles are loading.
func (w *Sheet[K]) Busy() bool { return len(w.flight) > 0 }

// leastTile is the least width of a tile in cells.
const leastTile = 18

// Grid is the arrangement of tiles.
type Grid struct {
	Columns, Rows, Width int
	Tile                 image.Point // with a gap and the words below the picture
}

// GridOf arranges n tiles with some lines of words in a rectangle: the largest that all fit, or else
// as many as one can read. Larger rectangles have more and larger tiles.
func GridOf(room image.Point, n, words int) (g Grid) {
	// Keep two rows visible if possible.
	least := max(leastTile, min(leastTile+(room.X-80)/10, (room.Y/2-words-1)*3+2))
	if n > 0 && room.X/n >= least-3 { // a little smaller, so that a single row has all
		least = min(least, room.X/n)
	}
	most := max(1, room.X/least, min(2, room.X/15))
	for columns := 1; columns <= most && (columns == 1 || g.Page() < n); columns++ {
		// A tile is a 3:2 picture, with cells twice as high as wide. It may be a little lower to fit
		// one more row, or lower if all fit and are still larger than in one more column.
		height := max(2, min((room.X/columns-2)/3+words+1, room.Y))
		lowest := height - 1
		if next := (room.X/(columns+1)-2)/3 + words + 2; room.Y/next*columns >= n {
			lowest = min(lowest, next)
		}
		g = Grid{Columns: columns, Tile: image.Pt(max(1, room.X/columns), height)}
		g.Rows = max(1, min(room.Y/lowest, (n+columns-1)/columns))
		if g.Tile.Y = max(1, min(height+2, room.Y/g.Rows)); n <= columns { // spare lines are gaps
			g.Tile.Y = max(1, room.Y) // in one row, those that are not as wide can be higher
		}
	}
	if n > g.Columns && n <= g.Page() { // rows of one length, or a single one that is not lower, of a few hardly
		if high := (room.X/n-2)/3 + words + 1; g.Rows == 2 && (high >= g.Tile.Y || n < 5 && high*5 >= g.Tile.Y*4) {
			g.Rows, g.Tile.Y = 1, room.Y
		}
		g.Columns = (n + g.Rows - 1) / g.Rows
		g.Tile.X = room.X / g.Columns
	}
	g.Width = room.X
	return g
}

// Page returns the number of tiles on a page.
func (g Grid) Page() int { return g.Columns * g.Rows }

// Top returns the first visible row so that the cursor's tile is visible; top is the previous one.
func (g Grid) Top(top, cursor int) int {
	row := cursor / g.Columns
	return max(row-g.Rows+1, min(top, row), 0)
}

// At returns the index of the tile at a cell, from the first visible one; false if none.
func (g Grid) At(at image.Point) (int, bool) {
	if at.X < 0 || at.Y < 0 || at.X/g.Tile.X >= g.Columns || at.Y/g.Tile.Y >= g.Rows {
		return 0, false
	}
	return at.Y/g.Tile.Y*g.Columns + at.X/g.Tile.X, true
}
