package kit_test

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
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
		{"", "line 1.", "20 more lines"},
		{"down", "line 2.", "19 more lines"},
		{"k", "line 1.", "20 more lines"},
		{"pgdown", "line 10.", "11 more lines"},
		{"ctrl+u", "line 5.", "16 more lines"},
		{"G", "line 21.", ""},
		{"j", "line 21.", ""},
		{"ctrl+d", "line 21.", ""},
		{"pgup", "line 12.", "9 more lines"},
		{"home", "line 1.", "20 more lines"},
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
	uitest.Shows(t, draw(), "line 1.")
	uitest.Lacks(t, draw(), "lines")
}
