package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// TestMessagesLine: a message is above the hints and moves nothing. In a low terminal it replaces them.
// ! shows it in full on every screen and over every popup.
func TestMessagesLine(t *testing.T) {
	m := newModel(t, openSession(t))
	long := "Nothing was stored, because " + strings.Repeat("the disk is full and ", 9) + "the light is off."
	for _, size := range []tea.WindowSizeMsg{{Width: 200, Height: 60}, {Width: 80, Height: 24}, {Width: 40, Height: 12}} {
		m.messages.Dismiss()
		m.Update(size)
		before := m.rects().screen
		hints := lastLine(m)
		m.Update(page.Toast{Level: page.Bad, Text: long})
		lines := strings.Split(ansi.Strip(m.View().Content), "\n")
		at := len(lines) - 2
		if size.Height < statusHeight {
			at++
		} else if lastLine(m) != hints {
			t.Errorf("%v: got the hints %q, want %q", size, lastLine(m), hints)
		}
		if line := lines[at]; !strings.Contains(line, "Nothing was stored") || size.Width < 200 && !strings.HasSuffix(line, "… ! more") && !strings.HasSuffix(line, "…  ! more") {
			t.Errorf("%v: the message is %q", size, line)
		}
		if m.rects().screen != before {
			t.Errorf("%v: the message moved the screen", size)
		}
		m.Update(kit.KeyMsg("!"))
		if got := strings.Join(strings.Fields(strings.ReplaceAll(ansi.Strip(m.View().Content), "│", "")), " "); !strings.Contains(got, "the light is off.") {
			t.Errorf("%v: ! shows\n%s", size, ansi.Strip(m.View().Content))
		}
		m.Update(kit.KeyMsg("!"))
		if m.host.Overlays.Top() != nil {
			t.Errorf("%v: ! does not close the messages", size)
		}
	}
	// Over a popup of a screen.
	m.Update(kit.KeyMsg(","))
	m.Update(kit.KeyMsg("!"))
	if !strings.Contains(ansi.Strip(m.View().Content), "─ Messages ─") {
		t.Errorf("! over a menu shows\n%s", ansi.Strip(m.View().Content))
	}
}

// lastLine returns the line of hints.
func lastLine(m *Model) string {
	lines := strings.Split(ansi.Strip(m.View().Content), "\n")
	return lines[len(lines)-1]
}

// TestHover: the mouse over a tab shows its name and its key in the line of hints until the mouse leaves or a key is pressed.
func TestHover(t *testing.T) {
	m := newModel(t, openSession(t))
	m.Update(tea.WindowSizeMsg{Width: 40, Height: 12})
	m.messages.Dismiss()
	usual := lastLine(m)
	over := func(x, y int, want string) {
		t.Helper()
		msg := dropMotion(m, tea.MouseMotionMsg{X: x, Y: y})
		if msg != nil {
			m.Update(msg)
		}
		if got := lastLine(m); strings.TrimRight(got, " ") != strings.TrimRight(want, " ") {
			t.Errorf("at %d,%d the last line is %q, want %q", x, y, got, want)
		}
	}
	for x, want := range map[int]string{
		2:                                      "Pick",
		strings.Index(topLineOf(m), " 2 ") + 1: "Uploads. Click, or press 2.",
		strings.Index(topLineOf(m), " 5 ") + 1: "Settings. Click, or press 5.",
	} {
		over(x, 0, want)
		if !strings.Contains(m.topLine(40), "\x1b[4;") && !strings.Contains(m.topLine(40), ";4;") && !strings.Contains(m.topLine(40), ";4m") {
			t.Errorf("the tab at %d is not underlined: %q", x, m.topLine(40))
		}
		over(x, 4, usual)
	}
	over(38, 0, usual)
	over(2, 0, "Pick")
	m.Update(kit.KeyMsg("f5"))
	over(2, 4, usual)
	if dropMotion(m, tea.MouseMotionMsg{Y: 4}) != nil {
		t.Error("a movement over the screen draws a frame")
	}
	if dropMotion(m, tea.MouseMotionMsg{Y: 4, Button: tea.MouseLeft}) == nil {
		t.Error("a movement with a button is lost")
	}
}

// topLineOf is the top line without styles.
func topLineOf(m *Model) string { return ansi.Strip(m.topLine(m.size.X)) }

// TestClicks: a click on a hint runs its action, one on the status line opens the messages, and one
// on a tab opens that screen.
func TestClicks(t *testing.T) {
	m := newModel(t, openSession(t))
	click := func(words string) {
		t.Helper()
		for y, line := range strings.Split(ansi.Strip(m.View().Content), "\n") {
			if before, _, ok := strings.Cut(line, words); ok {
				m.Update(tea.MouseClickMsg{X: ansi.StringWidth(before), Y: y, Button: tea.MouseLeft})
				return
			}
		}
		t.Fatalf("no %q on\n%s", words, ansi.Strip(m.View().Content))
	}
	shows := func(words string) {
		t.Helper()
		if got := ansi.Strip(m.View().Content); !strings.Contains(got, words) {
			t.Errorf("no %q on\n%s", words, got)
		}
	}
	click("? help")
	shows("type to search")
	m.Update(kit.KeyMsg("esc"))
	m.Update(page.Toast{Text: "The disk is full."})
	click("The disk is full.")
	shows("─ Messages ─")
	click("esc close")
	if m.host.Overlays.Top() != nil {
		t.Error("the hint of an overlay does nothing")
	}
	click("4 Library")
	if m.host.Front() != page.Library {
		t.Errorf("in front is %v, want %v", m.host.Front(), page.Library)
	}
}

// TestPalette: the palette has the actions of all screens, opens the screen and runs them. The help
// has the actions of the focused part.
func TestPalette(t *testing.T) {
	m := newModel(t, openSession(t))
	screen := func() string { return ansi.Strip(m.View().Content) }
	find := func(words string) {
		m.Update(kit.KeyMsg(":"))
		for _, r := range words {
			m.Update(kit.KeyMsg(string(r)))
		}
	}
	find("library contact sheet")
	m.Update(kit.KeyMsg("enter"))
	if m.host.Front() != page.Library || m.host.Overlays.Top() != nil {
		t.Fatalf("the palette did not open its screen:\n%s", screen())
	}
	find("picker.add-url")
	m.Update(kit.KeyMsg("enter"))
	if m.host.Front() != page.Picker || !m.host.Covered() {
		t.Errorf("the action of another screen does not run:\n%s", screen())
	}
	m.Update(kit.KeyMsg("esc"))
	// A disabled action says why on its own screen.
	find("uploads.pause-all")
	m.Update(kit.KeyMsg("enter"))
	if _, told := m.messages.Shown(); m.host.Front() != page.Uploads || !told {
		t.Errorf("the disabled reason is not shown:\n%s", screen())
	}
	find("upload form send")
	if got := screen(); !strings.Contains(got, "pick files and press u first") {
		t.Errorf("the palette does not say how to open the form:\n%s", got)
	}
	m.Update(kit.KeyMsg("esc"))
	m.Update(kit.KeyMsg("esc"))
	m.Update(kit.KeyMsg("?"))
	for _, r := range "library.grid" {
		m.Update(kit.KeyMsg(string(r)))
	}
	if got := screen(); !strings.Contains(got, "No matching action") {
		t.Errorf("the help has actions of other parts:\n%s", got)
	}
}
