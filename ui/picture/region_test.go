package picture

import (
	"image"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/api/media"
	"mediadesk/api/media/mediatest"
)

func TestRegionBorder(t *testing.T) {
	p := New(mediatest.Quarters(160, 160), media.Normal)
	tests := []struct {
		name string
		rect image.Rectangle
		want []string
	}{
		{"box", image.Rect(40, 40, 120, 120), []string{
			"                ",
			"                ",
			"    ┌──────┐    ",
			"    │      │    ",
			"    │      │    ",
			"    └──────┘    ",
			"                ",
			"                ",
		}},
		{"corners round outwards", image.Rect(59, 59, 61, 61), []string{
			"", "", "     ┌┐", "     └┘", "", "", "", "",
		}},
		{"one line", image.Rect(40, 60, 120, 61), []string{"", "", "", "    [──────]", "", "", "", ""}},
		{"one column", image.Rect(50, 40, 51, 120), []string{"", "", "     ┬", "     │", "     │", "     ┴", "", ""}},
		{"one pixel", image.Rect(159, 159, 160, 160), []string{"", "", "", "", "", "", "", "               +"}},
		{"partly outside", image.Rect(100, -50, 999, 40), []string{"          ┌────┐", "          └────┘", "", "", "", "", "", ""}},
		{"empty", image.Rect(10, 10, 10, 50), make([]string, 8)},
		{"beside", image.Rect(200, 10, 220, 50), make([]string, 8)},
	}
	v := NewRegionView(p, 16, 8, Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := v.Render(tt.rect)
			for i, line := range r {
				if got, want := strings.TrimRight(ansi.Strip(line), " "),
					strings.TrimRight(tt.want[i], " "); got != want {
					t.Errorf("line %d is %q, want %q", i, got, want)
				}
			}
		})
	}
}

// TestRegionLight: the inside is unchanged, and the outside is darker.
func TestRegionLight(t *testing.T) {
	p := New(mediatest.Quarters(160, 160), media.Normal)
	plain := screenshot(t, Render(p, 16, 8, Options{}), 16)
	marked := NewRegionView(p, 16, 8, Options{}).Render(image.Rect(40, 40, 120, 120))
	for i, line := range marked {
		for _, g := range "┌─┐│└┘" {
			line = strings.ReplaceAll(line, string(g), " ")
		}
		marked[i] = line
	}
	shot := screenshot(t, marked, 16)
	for y := range shot.Rect.Dy() {
		for x := range shot.Rect.Dx() {
			cell := image.Pt(x/cellWidth, y/cellHeight)
			is, was := shot.RGBAAt(x, y), plain.RGBAAt(x, y)
			inside := cell.In(image.Rect(5, 3, 11, 5))
			if inside && is != was || !inside && (is.R >= was.R || is.G >= was.G || is.B >= was.B) {
				t.Fatalf("pixel %d,%d was %v and is %v, inside: %v", x, y, was, is, inside)
			}
		}
	}
	none := NewRegionView(p, 16, 8, Options{}).Render(image.Rectangle{})
	if strings.Join(none, "") != strings.Join(Render(p, 16, 8, Options{}), "") {
		t.Error("without a region the picture is drawn differently")
	}
}
