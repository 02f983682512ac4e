package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/page"
)

// TestUploadsAreTold: badges, the title and messages report the uploads until the user sees the
// uploads screen.
func TestUploadsAreTold(t *testing.T) {
	m := newModel(t, openSession(t))
	m.o.Signal = config.SignalBell
	counted := func(open, failed int, ended ...session.Batch) tea.Cmd {
		_, cmd := m.Update(jobsCounted{m.session, session.Counts{Open: open, Failed: failed}, ended})
		return cmd
	}
	says := func(what, got string, words ...string) {
		t.Helper()
		for _, w := range words {
			if !strings.Contains(got, w) {
				t.Errorf("%s lacks %q: %q", what, w, got)
			}
		}
	}
	screen := func() string { return ansi.Strip(m.View().Content) }

	counted(6, 0)
	says("the screen", screen(), "2 Uploads ⋯6 ", "6 uploads continue (screen 2).")
	says("the title", m.title(), "mediadesk: 6 uploads")

	counted(4, 2)
	says("the screen", screen(), "2 Uploads ⋯4 ✗2 ")
	if strings.Count(screen(), "continue") != 1 {
		t.Errorf("the message came again:\n%s", screen())
	}
	counted(0, 8, session.Batch{Total: 42, Stored: 34, Failed: 8})
	says("the screen", screen(), "2 Uploads ✗8 ", "8 of 42 uploads failed (screen 2).")
	m.Update(tea.WindowSizeMsg{Width: 40, Height: 12})
	says("a small screen", screen(), "2 ✗8 ")
	x := strings.Index(ansi.Strip(m.topLine(40)), "✗8")
	if n := m.tabAt(x); n != 2 {
		t.Errorf("the badge belongs to tab %d", n)
	}
	m.messages.Dismiss()
	m.Update(tea.MouseMotionMsg{X: x})
	if got := lastLine(m); strings.TrimRight(got, " ") != "Uploads: 8 failed. Click, or press 2." {
		t.Errorf("the tab under the mouse is described by %q", got)
	}
	m.Update(tea.MouseMotionMsg{X: x, Y: 3})
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})

	counted(0, 0, session.Batch{Total: 1, Processing: 1})
	says("the screen", screen(), "0 of 1 upload stored, 1 processing")
	if strings.Contains(screen(), "✓ 0 of 1") {
		t.Errorf("a waiting upload has the sign of success:\n%s", screen())
	}
	m.messages.Dismiss()

	// Showing the uploads clears the badges and messages.
	m.Update(page.Show{ID: page.Uploads})
	counted(0, 0, session.Batch{Total: 3, Stored: 3})
	if strings.Contains(screen(), "✗8") || strings.Contains(screen(), "3 uploads stored") {
		t.Errorf("got a badge or message on the uploads screen:\n%s", screen())
	}
	if !m.uploading.seen.After(m.lastQuit) {
		t.Error("earlier failures count again")
	}

	// An absent user gets a signal, and the title keeps the result until they return.
	m.Update(tea.BlurMsg{})
	rung := false
	var run func(cmd tea.Cmd)
	run = func(cmd tea.Cmd) {
		if cmd == nil {
			return
		}
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			for _, c := range msg {
				run(c)
			}
		case tea.RawMsg:
			rung = rung || msg.Msg == "\a"
		}
	}
	m.messages.Dismiss()
	run(m.batchEnded(session.Batch{Total: 3, Stored: 2}))
	if says("the title", m.title(), "mediadesk: 2 of 3 uploads stored"); !rung {
		t.Error("no signal")
	}
	m.Update(tea.FocusMsg{})
	if m.title() != "mediadesk" {
		t.Errorf("got the title %q after the user returned, want \"mediadesk\"", m.title())
	}
}
