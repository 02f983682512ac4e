package text

import (
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// countsLetters reports how the terminal counts columns. It is global because a process
// has one terminal, and Bubble Tea's renderer must count the same way: otherwise lines
// would lose their ends.
var countsLetters atomic.Bool

// NoteTerminal detects how the terminal counts the columns of grapheme clusters (emoji
// with a skin color, the scripts of India): rune by rune, as most do, or as one. The root
// passes it every message.
func NoteTerminal(msg tea.Msg) {
	report, ok := msg.(tea.ModeReportMsg)
	if !ok || report.Mode != ansi.ModeUnicodeCore {
		return
	}
	// Bubble Tea enables the mode if the terminal supports it.
	switch report.Value {
	case ansi.ModeReset, ansi.ModeSet, ansi.ModePermanentlySet:
		countsLetters.Store(true)
	}
}

// Method returns the current method of counting columns.
func Method() ansi.Method {
	if countsLetters.Load() {
		return ansi.GraphemeWidth
	}
	return ansi.WcWidth
}
