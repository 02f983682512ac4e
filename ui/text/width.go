package text

import (
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// countsLetters tells how the terminal counts columns. It is a fact about the one
// terminal that the process has, and Bubble Tea's renderer counts the same way:
// lines measured in the other would lose their ends.
var countsLetters atomic.Bool

// NoteTerminal learns from the terminal's answers how it counts the columns of
// letters that are made of several characters (emoji with a skin color, the
// scripts of India): one by one, as most do, or each letter as one. The root
// gives it every message; it keeps none.
func NoteTerminal(msg tea.Msg) {
	report, ok := msg.(tea.ModeReportMsg)
	if !ok || report.Mode != ansi.ModeUnicodeCore {
		return
	}
	// Bubble Tea switches the mode on where the terminal knows it.
	switch report.Value {
	case ansi.ModeReset, ansi.ModeSet, ansi.ModePermanentlySet:
		countsLetters.Store(true)
	}
}

// Method is the way of counting columns that holds.
func Method() ansi.Method {
	if countsLetters.Load() {
		return ansi.GraphemeWidth
	}
	return ansi.WcWidth
}
