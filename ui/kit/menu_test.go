package kit_test

import (
	"image"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

func TestMenu(t *testing.T) {
	rows := []kit.MenuRow{{Key: "n", Words: "name"}, {Key: "s", Words: "size", On: true}, {Words: "kind", Note: "写真 \x1b[31m.jpg"}}
	for _, c := range []struct {
		keys string
		want int
	}{
		{"n", 0},
		{"enter", 1}, // the row that holds now has the cursor
		{"down enter", 2},
		{"k space", 0},
		{"esc", kit.MenuClosed},
		{"q", kit.MenuClosed},
		{"x", kit.MenuOpen},
	} {
		m, got := kit.NewMenu("Sort", rows...), kit.MenuOpen
		for k := range strings.FieldsSeq(c.keys) {
			got = m.Update(kit.KeyMsg(k))
		}
		if got != c.want {
			t.Errorf("%s came to %d, want %d", c.keys, got, c.want)
		}
	}
	if got := kit.NewMenu("Nothing").Update(kit.KeyMsg("enter")); got != kit.MenuClosed {
		t.Errorf("enter in an empty menu came to %d", got)
	}
	view := ansi.Strip(kit.NewMenu("Sort", rows...).View(image.Pt(60, 20), theme.New(true, true)))
	for _, want := range []string{"Sort", "size (now)", `写真 \x1b[31m.jpg`} {
		if !strings.Contains(view, want) {
			t.Errorf("the menu does not show %q:\n%s", want, view)
		}
	}
	uitest.Sweep(t, func(w, h int, th *theme.Theme) string {
		return kit.NewMenu("Sort "+hostile, rows...).View(image.Pt(w, h), th)
	})
}
