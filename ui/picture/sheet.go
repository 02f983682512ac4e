package picture

import (
	"context"
	"errors"
	"image"
	"slices"

	tea "charm.land/bubbletea/v2"
)

// Sheet holds the pictures of a contact sheet, a tile for each key, and has them
// made a few at a time. Where the terminal shows real pictures the tiles are such,
// as many as it may hold: then the oldest that is not wanted any more goes, and
// where all are wanted the others are glyphs.
//
// Two equal keys are of the same look: everything that a picture is drawn from
// belongs into them. The zero Sheet is ready to use. It is for one goroutine, that
// of the program's Update and View, but for its commands.
type Sheet[K comparable] struct {
	tiles  map[K]*tile
	order  []K // of tiles, the oldest first
	real   []K // of tiles with an [Image], the oldest first
	flight map[K]flight
}

// flight is the loading of a tile.
type flight struct {
	cancel context.CancelFunc
	ended  func() error // why it was given up; nil: it was not
}

// tile is the picture of a key, or why there is none.
type tile struct {
	slot Slot
	err  error
}

const (
	// MaxReal is how many tiles of one sheet the terminal draws. It holds 255
	// pictures in all, there may be two sheets, and other screens need some.
	MaxReal = 110

	maxTiles  = 800 // kept by a sheet, some 10 kB each
	maxFlight = 4   // on their way
)

// Tile returns the lines of a key or why there are none; both are nil until it is ready.
func (w *Sheet[K]) Tile(key K) (lines []string, err error) {
	t := w.tiles[key]
	if t == nil {
		return nil, nil
	}
	return t.slot.Lines(), t.err
}

// Want has the tiles of those keys made that are missing, a few at a time, in that
// order; to be called again whenever one came or other keys are wanted. The load of
// a key draws with the options it is given and brings its answer to [Sheet.Got]. Its
// context, a child of ctx, ends when the key is not wanted any more: what has
// scrolled away holds nothing else up.
func (w *Sheet[K]) Want(ctx context.Context, keys []K, o Options, load func(context.Context, K, Options) tea.Cmd) tea.Cmd {
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
		one, cancel := context.WithCancel(ctx)
		w.flight[key] = flight{cancel, one.Err}
		cmds = append(cmds, gone, load(one, key, drawn))
	}
	return tea.Batch(cmds...)
}

// makeRoom returns how one more tile is drawn, and deletes one for it if necessary.
func (w *Sheet[K]) makeRoom(o Options, wanted []K) (Options, tea.Cmd) {
	if !o.Method.Pixels() || len(w.real)+len(w.flight) < MaxReal {
		return o, nil
	}
	if i := slices.IndexFunc(w.real, func(k K) bool { return !slices.Contains(wanted, k) }); i >= 0 {
		oldest := w.real[i]
		return o, w.Delete(func(k K) bool { return k == oldest })
	}
	o.Method, o.Cell = MethodBlocks, image.Point{}
	return o, nil
}

// Got takes the answer of a load. What was given up meanwhile is dropped.
func (w *Sheet[K]) Got(key K, drawn Surface, err error) tea.Cmd {
	loading, wanted := w.flight[key]
	canceled := errors.Is(err, context.Canceled)
	if wanted && canceled && loading.ended() == nil {
		wanted = false // an answer to a load that was given up; there is a new one
	} else if wanted {
		loading.cancel()
		delete(w.flight, key)
	}
	if drawn != nil && (!wanted || err != nil) {
		drawn.Drop()
		drawn = nil
	}
	if !wanted || canceled {
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

// Transmitted shows the picture of a tile that the terminal has now, and reports whether
// it is one of this sheet.
func (w *Sheet[K]) Transmitted(msg Transmitted) bool {
	for _, key := range w.real {
		if _, used := w.tiles[key].slot.Transmitted(msg); used {
			return true
		}
	}
	return false
}

// Delete has the terminal forget the real pictures of some keys, and gives up
// those on their way. They are made again when they are wanted again; tiles of
// glyphs are kept.
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

// giveUp ends the loading of some keys.
func (w *Sheet[K]) giveUp(which func(K) bool) {
	for key, loading := range w.flight {
		if which(key) {
			loading.cancel()
			delete(w.flight, key)
		}
	}
}

// DeleteAll has the terminal forget every real picture of the sheet.
func (w *Sheet[K]) DeleteAll() tea.Cmd { return w.Delete(func(K) bool { return true }) }

// Busy tells whether tiles are on their way.
func (w *Sheet[K]) Busy() bool { return len(w.flight) > 0 }

// leastTile is the width of a tile in cells from which there is one more; slack is
// what may be missing from all of them together, so that there are two in 38.
const leastTile, slack = 20, 2

// Grid is how tiles share a rectangle of cells.
type Grid struct {
	Columns, Rows int
	Tile          image.Point // with the name below the picture
}

// GridOf shares out a rectangle. In a larger one there are more tiles, and larger ones.
func GridOf(room image.Point) Grid {
	// Two rows stay in sight where there is room for two.
	least := max(leastTile, min(leastTile+(room.X-80)/10, (room.Y/2-1)*8/3))
	g := Grid{Columns: max(1, (room.X+slack)/least)}
	g.Tile.X = max(1, room.X/g.Columns)
	// A tile is a picture of 4:3 in cells twice as high as wide, and a name. It is a little
	// lower if there is one row more then.
	g.Tile.Y = max(2, min((g.Tile.X-1)*3/8+1, room.Y))
	g.Rows = max(1, room.Y/g.Tile.Y, (room.Y+g.Tile.Y/3)/g.Tile.Y)
	g.Tile.Y = max(1, min(g.Tile.Y, room.Y/g.Rows))
	return g
}

// Page is how many tiles there are at once.
func (g Grid) Page() int { return g.Columns * g.Rows }

// Picture is the room for the picture in a tile.
func (g Grid) Picture() image.Point { return image.Pt(max(1, g.Tile.X-1), max(1, g.Tile.Y-1)) }

// Top is the first row of tiles that is seen when that was top before, and the
// tile of the cursor has to be seen.
func (g Grid) Top(top, cursor int) int {
	row := cursor / g.Columns
	return max(row-g.Rows+1, min(top, row), 0)
}

// At is the number of the tile at a cell, counted from the first that is seen;
// false beside them.
func (g Grid) At(at image.Point) (int, bool) {
	if at.X < 0 || at.Y < 0 || at.X/g.Tile.X >= g.Columns || at.Y/g.Tile.Y >= g.Rows {
		return 0, false
	}
	return at.Y/g.Tile.Y*g.Columns + at.X/g.Tile.X, true
}
