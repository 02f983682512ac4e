package kit

import (
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi/kitty"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/theme"
)

// TestOverlayEndsPictures: a popup hides the cells that it covers of a real picture, and the whole
// picture if it has no color, because kitty would go on with it.
func TestOverlayEndsPictures(t *testing.T) {
	cell := func(x, y int) string {
		return string([]rune{kitty.Placeholder, kitty.Diacritic(y), kitty.Diacritic(x), kitty.Diacritic(7)})
	}
	line := func(y int) string {
		var b strings.Builder
		for x := range 8 {
			b.WriteString(cell(x, y))
		}
		return b.String()
	}
	for _, ink := range []string{"", "\x1b[31m"} {
		base := ink + line(0) + "\x1b[m\n" + ink + line(1) + "\x1b[m\n" + ink + line(2) + "\x1b[m"
		after := uv.NewScreenBuffer(8, 3)
		dimmed, _ := Dim(base, &theme.Theme{})
		uv.NewStyledString(OverlayAt(dimmed, "ab", 3, 1)).Draw(after, after.Bounds())
		for y := range 3 {
			for x := range 8 {
				want := cell(x, y)
				switch {
				case y == 1 && x == 3:
					want = "a"
				case y == 1 && x == 4:
					want = "b"
				case ink == "":
					want = " "
				}
				mediatest.Equal(t, after.CellAt(x, y).Content, want, "ink %q: cell %d,%d is", ink, x, y)
			}
		}
	}
}
