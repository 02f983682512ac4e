package kit_test

import (
	"fmt"
	"image"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"mediadesk/ui/kit"
)

func pt(x, y int) image.Point { return image.Pt(x, y) }

func number(i, _ int, selected bool) string {
	if selected {
		return fmt.Sprint(">", i)
	}
	return fmt.Sprint(" ", i)
}

func TestListKeys(t *testing.T) {
	for _, c := range []struct {
		keys string
		want int
	}{
		{"down", 1},
		{"j j j k", 2},
		{"up", 0},
		{"G", 99},
		{"end down", 99},
		{"G g", 0},
		{"G home", 0},
		{"pgdown", 9},
		{"ctrl+f ctrl+f ctrl+b", 9},
		{"pgdown pgdown pgup", 9},
		{"ctrl+d", 5},
		{"ctrl+d ctrl+d ctrl+u", 5},
	} {
		var l kit.Lines
		l.SetLen(100)
		l.SetHeight(10)
		press(listKeys{of: &l}, strings.Fields(c.keys)...)
		if l.Cursor() != c.want {
			t.Errorf("%s: row %d, want %d", c.keys, l.Cursor(), c.want)
		}
	}
}

func TestListView(t *testing.T) {
	var l kit.Lines
	l.SetLen(5)
	l.SetHeight(3)
	if got := l.View(pt(3, 3), number); got != ">0 \n 1 \n 2 " {
		t.Errorf("got %q", got)
	}
	l.SetCursor(4)
	if got := l.View(pt(3, 3), number); got != " 2 \n 3 \n>4 " {
		t.Errorf("got %q", got)
	}
	for y, want := range map[int]bool{-1: false, 0: true, 3: false} {
		if i, ok := l.At(y); ok != want || ok && i != 2 {
			t.Errorf("line %d is row %d, %t", y, i, ok)
		}
	}
	l.SetLen(1)
	if got := l.View(pt(3, 3), number); got != ">0 \n   \n   " {
		t.Errorf("got %q", got)
	}
	if _, ok := l.At(1); ok {
		t.Error("got a row outside the list")
	}
	if got := l.Position(); got != "1 of 1" {
		t.Errorf("got %q, want \"1 of 1\"", got)
	}
	l.SetLen(0)
	if l.Cursor() != 0 || l.Position() != "empty" {
		t.Errorf("an empty list is at %d, %q", l.Cursor(), l.Position())
	}
}

func TestListWheel(t *testing.T) {
	var l kit.Lines
	l.SetLen(50)
	l.SetHeight(10)
	l.Wheel(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if from, to := l.Visible(); from != 3 || to != 13 || l.Cursor() != 3 {
		t.Errorf("rows %d to %d, cursor %d", from, to, l.Cursor())
	}
	l.Wheel(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	if from, _ := l.Visible(); from != 0 || l.Cursor() != 3 {
		t.Errorf("rows from %d, cursor %d", from, l.Cursor())
	}
	if l.Wheel(tea.FocusMsg{}) || l.Wheel(tea.MouseWheelMsg{Button: tea.MouseWheelLeft}) {
		t.Error("used the wheel sideways")
	}
}

// TestListDrawsOnlyWhatIsSeen: only visible rows are drawn, however long the list is.
func TestListDrawsOnlyWhatIsSeen(t *testing.T) {
	var l kit.Lines
	l.SetLen(100_000)
	l.SetCursor(54_321)
	drawn := 0
	l.View(pt(80, 40), func(int, int, bool) string { drawn++; return "" })
	if drawn != 40 {
		t.Errorf("%d rows were drawn for 40, want 40", drawn)
	}
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
				b := rapid.SampledFrom([]tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}).Draw(t, "wheel")
				l.Wheel(tea.MouseWheelMsg{Button: b})
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
