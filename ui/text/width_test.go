package text_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
)

// TestNoteTerminal: terminals measure some letters in one of two ways, and the kit follows.
func TestNoteTerminal(t *testing.T) {
	t.Cleanup(text.ForgetTerminal)
	const thumb, hindi = "👍🏽", "हिन्दी"
	if text.Width(thumb) != 4 || text.Width(hindi) != 5 {
		t.Errorf("counted one by one: %d and %d columns", text.Width(thumb), text.Width(hindi))
	}
	if got := text.Fit(hindi+"x", 4, 1); text.Width(got) != 4 || ansi.StringWidth(got) > 4 {
		t.Errorf("fitted into 4: %q", got)
	}
	for _, msg := range []tea.Msg{
		nil,
		tea.FocusMsg{},
		tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeNotRecognized},
		tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModePermanentlyReset},
		tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset},
	} {
		if text.NoteTerminal(msg); text.Width(thumb) != 4 {
			t.Fatalf("%v changed the way of counting", msg)
		}
	}
	text.NoteTerminal(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
	if text.Width(thumb) != 2 || text.Width("é") != 1 || text.Width("写") != 2 {
		t.Errorf("counted as letters: %d columns", text.Width(thumb))
	}
	mediatest.Equal(t, text.Fit(thumb+"x", 3, 1), thumb+"x", "fitted into 3")
	if got := kit.OverlayAt(text.Fit(thumb+"abc", 5, 1), "X", 2, 0); ansi.Strip(got) != thumb+"Xbc" {
		t.Errorf("drew over a letter: %q", got)
	}
}
