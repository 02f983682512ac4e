package ui

import (
	"context"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/uitest"
)

// TestFrameOfTheSizeBefore: a frame for a small terminal scrolls and arrives when the terminal is
// larger already, which leaves the old scroll margins behind. The next screen is complete anyway.
func TestFrameOfTheSizeBefore(t *testing.T) {
	d := openSession(t)
	home := t.TempDir()
	paths := config.FindPaths(func(string) string { return home })
	if err := paths.Make(); err != nil {
		t.Fatal(err)
	}
	m := New(Options{
		Paths: paths, Keys: &config.Keys{}, Folder: t.TempDir(), Pictures: "off",
		Open: func(context.Context, string, api.Key) (*session.Session, error) { return d, nil },
	})
	var term *uitest.Term
	term = uitest.Start(t, m, 120, 12, tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
		if size, yes := msg.(tea.WindowSizeMsg); yes && size.Height == 36 {
			term.Draw("\x1b[3;9r\x1b[1;12r") // what the renderer writes to set and reset margins
		}
		return msg
	}))
	defer func() {
		term.Quit()
		m.stop()
	}()
	term.WaitFor("? help")
	term.Press("?")
	term.WaitFor("type to search")
	term.Resize(120, 36)
	whole := func(top, bottom string) func(string) bool {
		return func(screen string) bool {
			lines := strings.Split(screen, "\n")
			boxed := true
			for _, line := range lines[2:33] {
				boxed = boxed && strings.Count(line, "│") >= 2
			}
			return boxed && len(lines) == 36 && strings.Contains(lines[0], top) && strings.Contains(lines[35], bottom)
		}
	}
	term.WaitUntil(whole("What can be done here", "esc close"))
	term.Type("way home")
	term.WaitUntil(whole("What can be done here", "esc close"))
}
