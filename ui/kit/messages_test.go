package kit_test

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

// TestMessages: the status line shows the latest message, and the history has all of them in full.
func TestMessages(t *testing.T) {
	th := theme.New(true, true)
	at := newClock()
	messages := kit.NewMessages(at.now)
	line := func() string { return ansi.Strip(messages.Line(40, "!", th)) }
	if strings.TrimSpace(line()) != "" || messages.Dismiss() || !messages.Empty() {
		t.Error("got a message before the first one")
	}
	if messages.Push(kit.Message{Level: kit.Good, Text: "Stored a.jpg"}) == nil {
		t.Error("the message does not end")
	}
	uitest.Shows(t, line(), "Stored a.jpg")
	uitest.Lacks(t, line(), "more")
	long := "The service refused b.jpg because " + strings.Repeat("it is large and ", 5) + "late."
	at.pass(time.Minute)
	messages.Push(kit.Message{Level: kit.Bad, Text: long, Detail: "the first reason\nthe second reason"})
	messages.Push(kit.Message{Level: kit.Bad, Text: long, Detail: "the first reason\nthe second reason"})
	if got := line(); strings.Contains(got, "a.jpg") || !strings.HasSuffix(got, "…  ! whole message") ||
		ansi.StringWidth(got) != 40 {
		t.Errorf("a long message: %q", got)
	}

	copied := ""
	var over kit.Overlays
	over.Resize(pt(100, 20))
	over.Open(messages.History(over.Open, func(words string) tea.Cmd { copied = words; return nil }, &theme.Theme{}))
	view := ansi.Strip(over.Top().View(pt(100, 20), th))
	for _, words := range []string{"large and late.", "the first reason", "the second reason", "Stored a.jpg", at.now().Format("2 Jan 2006 15:04")} {
		if strings.Count(view, words) != 1 {
			t.Errorf("the history has %q %d times:\n%s", words, strings.Count(view, words), view)
		}
	}
	if strings.Index(view, "refused") > strings.Index(view, "Stored") {
		t.Errorf("the latest is not the first:\n%s", view)
	}
	press(over.Top(), "enter")
	uitest.Shows(t, ansi.Strip(over.Top().View(pt(100, 20), th)), "the second reason")
	over.CloseAll()
	over.Open(messages.History(over.Open, func(words string) tea.Cmd { copied = words; return nil }, &theme.Theme{}))
	press(over.Top(), "down", "y")
	if over.Top() != nil || copied != "Stored a.jpg" {
		t.Errorf("copied %q", copied)
	}
}

// TestMessagesGo: a message disappears after its own time, not after that of an earlier one.
func TestMessagesGo(t *testing.T) {
	messages := kit.NewMessages(time.Now)
	messages.Push(kit.Message{Text: "one"})
	messages.Push(kit.Message{Text: "two"})
	if messages.Update(tea.FocusMsg{}) {
		t.Error("used a message for others")
	}
	if m, ok := messages.Shown(); !messages.Update(kit.MessageOver{}) || !ok || m.Text != "two" {
		t.Errorf("an old tick removed %+v", m)
	}
	messages.Dismiss()
	if _, ok := messages.Shown(); ok || messages.Empty() {
		t.Error("dismissing does not hide the message, or removes it from the history")
	}
}
