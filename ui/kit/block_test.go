package kit

import (
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi/kitty"
)

// TestOverlayEndsPictures: an overlay without color over a real picture ends the picture in the
// cell to its left. A colored overlay ends it by itself and loses no cell.
func TestOverlayEndsPictures(t *testing.T) {
	line := func(y int) string {
		var b strings.Builder
		for x := range 8 {
			b.WriteString(string([]rune{kitty.Placeholder, kitty.Diacritic(y), kitty.Diacritic(x), kitty.Diacritic(7)}))
		}
		return b.String()
	}
	for _, ink := range []string{"", "\x1b[31m"} {
		base := ink + line(0) + "\x1b[m\n" + ink + line(1) + "\x1b[m\n" + ink + line(2) + "\x1b[m"
		after := uv.NewScreenBuffer(8, 3)
		uv.NewStyledString(OverlayAt(base, "ab", 3, 1, nil)).Draw(after, after.Bounds())
		for y := range 3 {
			for x := range 8 {
				want := " "
				switch {
				case y == 1 && x == 3:
					want = "a"
				case y == 1 && x == 4:
					want = "b"
				}
				if got := after.CellAt(x, y).Content; got != want {
					t.Errorf("ink %q: cell %d,%d is %q, not %q", ink, x, y, got, want)
				}
			}
		}
	}
}
