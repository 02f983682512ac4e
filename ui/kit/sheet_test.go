package kit

import (
	"image"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"mediadesk/ui/theme"
)

// TestSheetShowsTheFocus: in a sheet of any length the first line of the focus is visible, the
// drawing fills its rectangle, and each line is where it is drawn.
func TestSheetShowsTheFocus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := image.Pt(rapid.IntRange(1, 120).Draw(t, "width"), rapid.IntRange(1, 40).Draw(t, "height"))
		n := rapid.IntRange(1, 100).Draw(t, "lines")
		from := rapid.IntRange(0, n-1).Draw(t, "from")
		to := rapid.IntRange(from, n-1).Draw(t, "to")
		s := NewSheet(size, 76)
		for i := range n {
			s.Line(i, strings.Repeat("x", i))
			if i == to {
				s.Keep(from)
			}
		}
		out := s.View(theme.New(true, true))
		if got := Size(out); got != size {
			t.Fatalf("drawn is %v, want %v", got, size)
		}
		for y := range size.Y {
			if s.StopAt(size.X/2, y) == from {
				return
			}
		}
		t.Fatalf("line %d of %d is not seen:\n%s", from, n, out)
	})
}

// What is cut off is marked: in a sheet, a menu, the help and the messages.
func TestCutIsMarked(t *testing.T) {
	th, size := theme.New(true, true), image.Pt(40, 10)
	s := NewSheet(size, 36)
	for range 30 {
		s.Line(NoStop, "line")
	}
	if lines := strings.Split(ansi.Strip(s.View(th)), "\n"); lines[0][0] != ' ' ||
		!strings.HasPrefix(lines[9], "⋮ line") {
		t.Errorf("at the top:\n%s", strings.Join(lines, "\n"))
	}
	s.Keep(29)
	if lines := strings.Split(ansi.Strip(s.View(th)), "\n"); lines[9][0] != ' ' ||
		!strings.HasPrefix(lines[0], "⋮ line") {
		t.Errorf("at the bottom:\n%s", strings.Join(lines, "\n"))
	}
	menu := NewMenu("A menu of many rows", make([]MenuRow, 20)...)
	var actions []Action
	for i := range 20 {
		actions = append(actions, Action{Keys: Bind("do", "", "x"), Group: strconv.Itoa(i / 10)})
	}
	for _, o := range []Overlay{menu, NewHelp("Help", actions)} {
		for room, cut := range map[image.Point]bool{size: true, {100, 60}: false} {
			o.Resize(room)
			if got := ansi.Strip(o.View(room, th)); strings.Contains(got, "1 of 20") != cut {
				t.Errorf("%T in %v:\n%s", o, room, got)
			}
		}
	}
}
