package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

// TestTip: the first visit of a screen shows its tip without hiding anything
// of the screen, esc takes it away, and it does not come again.
func TestTip(t *testing.T) {
	m := newModel(t, openSession(t))
	m.Update(tipsSeen{})
	screen := func() string { return ansi.Strip(m.View().Content) }
	if !strings.Contains(screen(), "Tip: Press space to pick") {
		t.Fatalf("no tip at the first visit:\n%s", screen())
	}
	uitest.Sweep(t, func(w, h int, th *theme.Theme) string {
		m.theme = th
		m.Update(tea.WindowSizeMsg{Width: w, Height: h})
		return m.View().Content
	})
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	m.Update(page.Show{ID: page.Library})
	if got := screen(); strings.Contains(got, "space to pick") || !strings.Contains(got, "Tip: Press enter to edit") {
		t.Errorf("the tip of another screen:\n%s", got)
	}
	m.Update(kit.KeyMsg("esc"))
	if strings.Contains(screen(), "Tip:") {
		t.Error("esc leaves the tip")
	}
	m.Update(page.Show{ID: page.Picker})
	if strings.Contains(screen(), "Tip:") {
		t.Error("a tip comes twice")
	}
	// A tip does not hide a message but waits for the next visit.
	m.Update(page.Toast{Text: "The disk is full."})
	m.Update(page.Show{ID: page.Settings})
	if !strings.Contains(screen(), "The disk is full.") {
		t.Error("a tip took a message away")
	}
	m.Update(kit.KeyMsg("esc"))
	m.Update(page.Show{ID: page.Picker})
	m.Update(page.Show{ID: page.Settings})
	if !strings.Contains(screen(), "Tip: ") {
		t.Error("the tip does not come at the next visit")
	}
	for _, tip := range tips {
		if w := len("i Tip: " + tip.text); w > 80 {
			t.Errorf("the tip %s takes %d columns", tip.name, w)
		}
	}
}
