package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// TestEscDismissesMessages: with nothing open, esc dismisses the message and shows none.
func TestEscDismissesMessages(t *testing.T) {
	m := newModel(t, openSession(t))
	m.Update(page.Toast{Text: "The first message."})
	m.Update(page.Toast{Text: "The second message."})
	for range 2 {
		m.Update(kit.KeyMsg("esc"))
		if got := ansi.Strip(m.View().Content); strings.Contains(got, "message.") {
			t.Errorf("esc did not dismiss the message:\n%s", got)
		}
	}
	// Where esc goes back to another screen, it does so and the message stays.
	m.Update(page.Show{ID: page.Library})
	m.Update(page.Toast{Text: "A third message."})
	m.Update(kit.KeyMsg("/"))
	m.Update(kit.KeyMsg("esc"))
	if !strings.Contains(ansi.Strip(m.View().Content), "A third message.") {
		t.Errorf("going back dismissed the message:\n%s", ansi.Strip(m.View().Content))
	}
}
