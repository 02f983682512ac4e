package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// Where there is no step back, esc takes the messages away, one after the other,
// and says nothing itself.
func TestEscDismissesMessages(t *testing.T) {
	m := newModel(t, openSession(t))
	m.toasts.Push(page.Toast{Text: "The first message."})
	m.toasts.Push(page.Toast{Text: "The second message."})
	for _, left := range []int{1, 0, 0} {
		m.Update(kit.KeyMsg("esc"))
		if got := m.toasts.Len(); got != left {
			t.Errorf("%d messages are left, want %d:\n%s", got, left, ansi.Strip(m.View().Content))
		}
	}
	// Where there is one, esc is that step and the message stays.
	m.toasts.Push(page.Toast{Text: "A third message."})
	m.Update(kit.KeyMsg("/"))
	m.Update(kit.KeyMsg("esc"))
	if !strings.Contains(ansi.Strip(m.View().Content), "A third message.") {
		t.Error("a step back took the message away")
	}
}
