package kit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

func TestReader(t *testing.T) {
	th := theme.New(true, true)
	var text strings.Builder
	for i := range 50 {
		fmt.Fprintf(&text, "line %02d\r\n", i)
	}
	r := kit.NewReader("Post", text.String())
	r.Resize(pt(40, 12))
	first := func() string {
		lines := strings.Split(ansi.Strip(r.View(pt(40, 12), th)), "\n")
		if len(lines) != 12 {
			t.Fatalf("%d lines, want 12", len(lines))
		}
		return strings.Trim(lines[1], "│ ")
	}
	mediatest.Equal(t, first(), "line 00", "begins with")
	for _, c := range []struct{ keys, want string }{
		{"j down", "line 02"},
		{"k k k", "line 00"},
		{"pgdown", "line 09"},
		{"space pgup", "line 09"},
		{"ctrl+d ctrl+u", "line 09"},
		{"G", "line 40"},
		{"j", "line 40"},
		{"g", "line 00"},
		{"x", "line 00"},
	} {
		if press(r, strings.Fields(c.keys)...); r.Closed() {
			t.Errorf("%s closed the reader", c.keys)
		}
		mediatest.Equal(t, first(), c.want, "%s", c.keys)
	}
	r.Mouse(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	mediatest.Equal(t, first(), "line 03", "the wheel went to")
	uitest.Shows(t, ansi.Strip(r.View(pt(40, 12), th)), "13 of 50 lines")
	for _, k := range []string{"esc", "q", "enter"} {
		r := kit.NewReader("Post", "text")
		if press(r, k); !r.Closed() {
			t.Errorf("%s did not close the reader", k)
		}
	}
	short := ansi.Strip(kit.NewReader("T", "a\x1b[31m\n\n\tb").View(pt(30, 20), th))
	uitest.Shows(t, short, `a\x1b[31m`, "  b")
	if n := strings.Count(short, "\n"); n != 4 {
		t.Errorf("three lines take %d:\n%s", n+1, short)
	}
}

func TestClicks(t *testing.T) {
	at := newClock()
	c := kit.NewClicks(at.now)
	click := func(x int, after time.Duration) bool {
		at.pass(after)
		return c.Double(tea.MouseClickMsg{X: x, Y: 1, Button: tea.MouseLeft})
	}
	for i, step := range []struct {
		x     int
		after time.Duration
		want  bool
	}{
		{1, 0, false},
		{1, 400 * time.Millisecond, true},
		{1, time.Millisecond, false},
		{1, 401 * time.Millisecond, false},
		{2, time.Millisecond, false},
		{2, time.Millisecond, true},
	} {
		mediatest.Equal(t, click(step.x, step.after), step.want, "click %d", i)
	}
	if c.Double(tea.MouseClickMsg{X: 2, Y: 1, Button: tea.MouseRight}) {
		t.Error("the right button double clicks")
	}
}
