package edit

import (
	"image"
	"slices"
	"testing"

	"mediadesk/ui/picture"
)

// TestShortNamesOfTiles: only an ending that all files share is dropped, and only where a name is too long.
func TestShortNamesOfTiles(t *testing.T) {
	const long = "a-very-long-name.jpg"
	for _, c := range []struct{ folders, files, want []string }{
		{nil, []string{"bee.jpg", "ant.jpg"}, []string{"bee.jpg", "ant.jpg"}},
		{nil, []string{long, "bee.jpg"}, []string{"a-very-long-name", "bee"}},
		{nil, []string{long, "bee.png"}, []string{long, "bee.png"}},
		{[]string{"2026.jpg", "v1.2"}, []string{long, "bee.jpg"}, []string{"2026.jpg", "v1.2", "a-very-long-name", "bee"}},
		{[]string{"a-very-long-name.1", "v1.1"}, nil, []string{"a-very-long-name.1", "v1.1"}},
		{nil, []string{".a-very-long-name", ".a-very-long-name"}, []string{".a-very-long-name", ".a-very-long-name"}},
	} {
		var tiles []Tile
		for _, name := range c.folders {
			tiles = append(tiles, Tile{Name: name, Folder: "/" + name})
		}
		for _, name := range c.files {
			tiles = append(tiles, Tile{Name: name})
		}
		s := NewTiles(TilesOptions{Len: func() int { return len(tiles) }})
		s.shorten(tiles, picture.Grid{Columns: 2, Rows: 1, Tile: image.Pt(12, 8)})
		var got []string
		for _, tile := range tiles {
			got = append(got, tile.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q and %q became %q, want %q", c.folders, c.files, got, c.want)
		}
	}
}
