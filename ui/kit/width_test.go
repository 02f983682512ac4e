package kit

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Terminals count some letters in one of two ways, and the kit follows.
func TestNoteTerminal(t *testing.T) {
	t.Cleanup(func() { countsLetters.Store(false) })
	const thumb, hindi = "👍🏽", "हिन्दी"
	if Width(thumb) != 4 || Width(hindi) != 5 {
		t.Errorf("counted one by one: %d and %d columns", Width(thumb), Width(hindi))
	}
	if got := Fit(hindi+"x", 4, 1); Width(got) != 4 || ansi.StringWidth(got) > 4 {
		t.Errorf("fitted into 4: %q", got)
	}
	for _, msg := range []tea.Msg{
		nil,
		tea.FocusMsg{},
		tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeNotRecognized},
		tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModePermanentlyReset},
		tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset},
	} {
		if NoteTerminal(msg); Width(thumb) != 4 {
			t.Fatalf("%v changed the way of counting", msg)
		}
	}
	NoteTerminal(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
	if Width(thumb) != 2 || Width("é") != 1 || Width("写") != 2 {
		t.Errorf("counted as letters: %d columns", Width(thumb))
	}
	if got := Fit(thumb+"x", 3, 1); got != thumb+"x" {
		t.Errorf("fitted into 3: %q", got)
	}
	if got := Overlay(Fit(thumb+"abc", 5, 1), "X", 2, 0); ansi.Strip(got) != thumb+"Xbc" {
		t.Errorf("drew over a letter: %q", got)
	}
}
