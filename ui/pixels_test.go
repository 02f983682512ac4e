package ui

import (
	"image"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/page"
	"mediadesk/ui/picture"
)

// pixelScreen is a screen that wants the mouse in pixels and records its messages.
type pixelScreen struct {
	page.Screen
	want bool
	got  []tea.Msg
}

func (f *pixelScreen) WantsPixels() bool          { return f.want }
func (f *pixelScreen) Update(msg tea.Msg) tea.Cmd { f.got = append(f.got, msg); return nil }

func TestMouseByPixels(t *testing.T) {
	m := newModel(t, openSession(t))
	s := &pixelScreen{Screen: m.host.Screen(page.Library), want: true}
	m.host.Keep(page.Library, s)
	m.host.Show(page.Library, false)
	if m.aim() != nil {
		t.Error("the program requested pixels from a terminal without them")
	}
	m.abilities = picture.Abilities{PixelMouse: true, Cell: image.Pt(10, 20)}
	raw := func(cmd tea.Cmd) any {
		t.Helper()
		if cmd == nil {
			return nil
		}
		return cmd().(tea.RawMsg).Msg
	}
	if got := raw(m.aim()); got != "\x1b[?1016h" || m.aim() != nil {
		t.Errorf("got the request %q, want \"\\x1b[?1016h\"", got)
	}
	s.got = nil
	m.mouse(tea.MouseClickMsg{X: 57, Y: 65, Button: tea.MouseLeft})
	if len(s.got) != 2 || s.got[0] != (page.Pointer{Cell: image.Pt(10, 20), Within: image.Pt(7, 5)}) {
		t.Fatalf("got the messages %+v", s.got)
	}
	if click := s.got[1].(tea.MouseClickMsg); click.X != 5 || click.Y != 2 { // without the top line
		t.Errorf("the click is at %d,%d", click.X, click.Y)
	}
	s.want = false
	if got := raw(m.aim()); got != "\x1b[?1016l\x1b[?1006h" {
		t.Errorf("got the reset %q, want \"\\x1b[?1016l\\x1b[?1006h\"", got)
	}
	s.got = nil
	m.mouse(tea.MouseClickMsg{X: 57, Y: 5, Button: tea.MouseLeft})
	if len(s.got) != 1 {
		t.Errorf("got the messages %+v", s.got)
	}
}
