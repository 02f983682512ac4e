package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// With nothing open, esc dismisses the message and shows none.
func TestEscDismissesMessages(t *testing.T) {
	m := newModel(t, openSession(t))
	m.Update(page.Toast{Text: "The first message."})
	m.Update(page.Toast{Text: "The second message."})
	for range 2 {
		m.Update(kit.KeyMsg("esc"))
		if got := ansi.Strip(m.View().Content); strings.Contains(got, "message.") {
			t.Errorf("a message is left:\n%s", got)
		}
	}
	// With a step back, esc takes that step and the message stays.
	m.Update(page.Show{ID: page.Library})
	m.Update(page.Toast{Text: "A third message."})
	m.Update(kit.KeyMsg("/"))
	m.Update(kit.KeyMsg("esc"))
	if !strings.Contains(ansi.Strip(m.View().Content), "A third message.") {
		t.Errorf("a step back took the message away:\n%s", ansi.Strip(m.View().Content))
	}
}
