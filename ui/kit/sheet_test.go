package kit

import (
	"image"
	"strconv"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"charm.land/lipgloss/v2"
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
	if lines := strings.Split(ansi.Strip(s.View(th)), "\n"); lines[0][0] != ' ' || !strings.HasPrefix(lines[9], "⋮ line") {
		t.Errorf("at the top:\n%s", strings.Join(lines, "\n"))
	}
	s.Keep(29)
	if lines := strings.Split(ansi.Strip(s.View(th)), "\n"); lines[9][0] != ' ' || !strings.HasPrefix(lines[0], "⋮ line") {
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

func TestSheetStands(t *testing.T) {
	s := NewSheet(image.Pt(20, 4), 10)
	s.Lower(1)
	s.Text(7, 2, "one two\n\x1b", lipgloss.NewStyle())
	want := []string{
		strings.Repeat(" ", 20),
		"       one two      ",
		`       \x1b         `,
		strings.Repeat(" ", 20),
	}
	if got := strings.Split(ansi.Strip(s.View(theme.New(true, true))), "\n"); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q, want %q", got, want)
	}
	for at, want := range map[image.Point]int{{5, 1}: 7, {14, 2}: 7, {4, 1}: NoStop, {15, 1}: NoStop, {5, 0}: NoStop, {5, 3}: NoStop, {5, -1}: NoStop} {
		if got := s.StopAt(at.X, at.Y); got != want {
			t.Errorf("at %v is %d, want %d", at, got, want)
		}
	}
}

func TestCards(t *testing.T) {
	taken := -1
	cards := func() *Cards {
		take := func(i int) func() tea.Cmd {
			return func() tea.Cmd { taken = i; return nil }
		}
		return NewCards(Card{Key: "a", Title: "one", Do: take(0)}, Card{Key: "b", Title: "two", Disabled: "not yet", Do: take(1)}, Card{Key: "l", Title: "three", Do: take(2)})
	}
	press := func(c *Cards, name string) (reason string) {
		for _, a := range c.Actions("") {
			if key.Matches(KeyMsg(name), a.Keys) {
				if reason = a.Reason(); reason == "" {
					a.Do()
				}
				break
			}
		}
		return reason
	}
	tests := []struct {
		keys      []string
		taken, at int
		reason    string
	}{
		{[]string{"enter"}, 0, 0, ""},
		{[]string{"down", "up", "space"}, 0, 0, ""},
		{[]string{"j", "enter"}, -1, 1, "not yet"},
		{[]string{"b"}, -1, 0, "not yet"},
		{[]string{"l"}, 2, 2, ""},
		{[]string{"G", "j", "right"}, 2, 2, ""},
		{[]string{"tab", "shift+tab", "k", "g", "z"}, -1, 0, ""},
	}
	for _, tt := range tests {
		c, reason := cards(), ""
		taken = -1
		for _, k := range tt.keys {
			reason = press(c, k)
		}
		if taken != tt.taken || c.Cursor() != tt.at || reason != tt.reason {
			t.Errorf("%v: got %d at %d (%s), want %d at %d (%s)", tt.keys, taken, c.Cursor(), reason, tt.taken, tt.at, tt.reason)
		}
	}
	c := cards()
	s := NewSheet(image.Pt(40, 20), 40)
	c.Draw(s, 10, theme.New(true, false))
	out := ansi.Strip(s.View(theme.New(true, true)))
	for _, want := range []string{"> one", "  two", "Not now: not yet", "  three"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not drawn:\n%s", want, out)
		}
	}
	taken = -1
	if c.Click(s.StopAt(3, 0) - 10); taken != 0 {
		t.Error("the first line is not the first card")
	}
	c.Wheel(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if taken = -1; c.Click(c.Cursor()) != nil || c.Cursor() != 1 || taken != -1 {
		t.Errorf("the wheel moved to card %d, and card %d was chosen", c.Cursor(), taken)
	}
	if press(new(Cards), "enter") == "" {
		t.Error("no cards give a card")
	}
}
