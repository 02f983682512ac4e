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

// TestTip: the first visit to a screen shows its tip without hiding anything. Esc dismisses it, and
// it does not come again.
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
		t.Errorf("got the tip of another screen:\n%s", got)
	}
	m.Update(kit.KeyMsg("esc"))
	if strings.Contains(screen(), "Tip:") {
		t.Error("esc does not dismiss the tip")
	}
	m.Update(page.Show{ID: page.Picker})
	if strings.Contains(screen(), "Tip:") {
		t.Error("the tip came twice")
	}
	// A tip does not replace a message but waits for the next visit.
	m.Update(page.Toast{Text: "The disk is full."})
	m.Update(page.Show{ID: page.Settings})
	if !strings.Contains(screen(), "The disk is full.") {
		t.Error("the tip replaced a message")
	}
	m.Update(kit.KeyMsg("esc"))
	m.Update(page.Show{ID: page.Picker})
	m.Update(page.Show{ID: page.Settings})
	if !strings.Contains(screen(), "Tip: ") {
		t.Error("the next visit shows no tip")
	}
	for _, tip := range tips {
		if w := len("i Tip: " + tip.text); w > 80 {
			t.Errorf("the tip %s takes %d columns", tip.name, w)
		}
	}
}
