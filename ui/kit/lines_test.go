package kit_test

import (
	"image"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
)

func pt(x, y int) image.Point { return image.Pt(x, y) }

// TestListDrawsOnlyWhatIsSeen: only visible rows are drawn, however long the list is.
func TestListDrawsOnlyWhatIsSeen(t *testing.T) {
	var l kit.Lines
	l.SetLen(100_000)
	l.SetCursor(54_321)
	drawn := 0
	l.View(pt(80, 40), func(int, int, bool) string { drawn++; return "" })
	mediatest.Equal(t, drawn, 40, "rows were drawn for 40")
}

func TestListAlwaysShowsItsCursor(t *testing.T) {
	keys := strings.Fields("up down g G pgup pgdown ctrl+u ctrl+d")
	rapid.Check(t, func(t *rapid.T) {
		var l kit.Lines
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				l.SetLen(rapid.IntRange(-1, 60).Draw(t, "n"))
			case 1:
				l.SetHeight(rapid.IntRange(0, 20).Draw(t, "h"))
			case 2:
				wheel := []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}
				l.Wheel(tea.MouseWheelMsg{Button: rapid.SampledFrom(wheel).Draw(t, "wheel")})
			case 3:
				if i, ok := l.At(rapid.IntRange(-1, 20).Draw(t, "y")); ok {
					l.SetCursor(i)
				}
			default:
				press(listKeys{of: &l}, rapid.SampledFrom(keys).Draw(t, "key"))
			}
			from, to := l.Visible()
			if from < 0 || to > l.Len() || l.Cursor() < 0 || (l.Len() > 0 && l.Cursor() >= l.Len()) {
				t.Fatalf("rows %d to %d of %d, cursor %d", from, to, l.Len(), l.Cursor())
			}
			if to > from && (l.Cursor() < from || l.Cursor() >= to) {
				t.Fatalf("cursor %d is not among rows %d to %d", l.Cursor(), from, to)
			}
		}
	})
}
