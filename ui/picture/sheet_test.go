package picture

import (
	"context"
	"image"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestSheetGivesUpWhatScrolledAway: loads that never end block nothing when their tiles are no longer
// visible, and can be started again.
func TestSheetGivesUpWhatScrolledAway(t *testing.T) {
	var w Sheet[string]
	contexts := map[string]context.Context{}
	want := func(keys ...string) {
		w.Want(t.Context(), keys, Options{}, func(ctx context.Context, key string, _ Options) tea.Cmd {
			contexts[key] = ctx
			return nil
		})
	}
	want("a", "b", "c", "d", "e")
	if len(contexts) != maxFlight || contexts["e"] != nil {
		t.Fatalf("%d on their way, want %v", len(contexts), maxFlight)
	}
	stalled := contexts["a"]
	want("d", "e", "f", "g")
	for key, ended := range map[string]bool{
		"a": true, "b": true, "c": true, "d": false, "e": false, "f": false, "g": false,
	} {
		if ctx := contexts[key]; ctx == nil || (ctx.Err() != nil) != ended {
			t.Errorf("%s: %v", key, ctx)
		}
	}
	w.Got("b", nil, context.Canceled)
	want("a", "d", "e", "f")
	w.Got("a", nil, stalled.Err()) // of the first load; the second goes on
	if contexts["a"] == stalled || contexts["a"].Err() != nil || !w.Busy() {
		t.Error("a tile that is visible again is not loaded again")
	}
	w.Got("a", &glyphs{[]string{"x"}}, nil)
	if lines, err := w.Tile("a"); lines == nil || err != nil {
		t.Error("the tile did not come")
	}
}

// TestTilesGrowWithTheRoom: a larger area has more and larger tiles; three are in several rows if they are much
// larger there.
func TestTilesGrowWithTheRoom(t *testing.T) {
	last := Grid{}
	for _, room := range []image.Point{{38, 9}, {78, 20}, {118, 33}, {198, 56}} {
		g := GridOf(room, 1000, 1)
		if g.Page() <= last.Page() || g.Tile.X < last.Tile.X || g.Columns*g.Tile.X > room.X ||
			g.Rows*g.Tile.Y > room.Y {
			t.Errorf("%v has %+v after %+v", room, g, last)
		}
		last = g
	}
	few, fewer := GridOf(image.Pt(80, 46), 3, 1), GridOf(image.Pt(165, 46), 3, 1)
	if last.Tile.X < 30 || few.Rows < 2 || fewer.Rows != 1 {
		t.Errorf("the largest tile is %v, three are %+v and %+v", last.Tile, few, fewer)
	}
}
