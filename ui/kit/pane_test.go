package kit_test

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
)

func TestPaneScrolls(t *testing.T) {
	th := theme.New(true, false)
	lines := make([]string, 30)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d.", i+1)
	}
	var p kit.Pane
	size := image.Pt(30, 12)
	p.SetSize(len(lines), size)
	draw := func() string { return ansi.Strip(p.View("Title", lines, size, true, th)) }
	for _, c := range []struct{ key, first, footer string }{
		{"", "line 1.", "10 of 30 lines"},
		{"down", "line 2.", "11 of 30 lines"},
		{"k", "line 1.", "10 of 30 lines"},
		{"pgdown", "line 10.", "19 of 30 lines"},
		{"ctrl+u", "line 5.", "14 of 30 lines"},
		{"G", "line 21.", "30 of 30 lines"},
		{"j", "line 21.", "30 of 30 lines"},
		{"ctrl+d", "line 21.", "30 of 30 lines"},
		{"pgup", "line 12.", "21 of 30 lines"},
		{"home", "line 1.", "10 of 30 lines"},
	} {
		if c.key != "" {
			press(listKeys{of: &p}, c.key)
		}
		drawn := draw()
		if got := strings.Split(drawn, "\n")[1]; !strings.Contains(got, c.first) ||
			!strings.Contains(drawn, c.footer) {
			t.Errorf("after %q:\n%s", c.key, drawn)
		}
	}
	if kit.PaneWidth(size) != 26 || kit.PaneWidth(image.Pt(10, 5)) != 8 {
		t.Error("lines have the box but for a blank at both sides")
	}
	press(listKeys{of: &p}, "G")
	lines = lines[:3]
	if drawn := draw(); !strings.Contains(drawn, "line 1.") || strings.Contains(drawn, "lines") {
		t.Errorf("fewer lines than before:\n%s", drawn)
	}
}
