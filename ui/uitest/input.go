package uitest

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Type types text; a line end is the enter key.
func (term *Term) Type(text string) {
	term.t.Helper()
	term.send(strings.NewReplacer("\r\n", "\r", "\n", "\r").Replace(text))
}

// Press presses keys by the names of key bindings: "down", "ctrl+s", "shift+tab", "G".
func (term *Term) Press(keys ...string) {
	term.t.Helper()
	for _, k := range keys {
		b, err := encodeKey(k)
		if err != nil {
			term.t.Fatal(err)
		}
		term.send(b)
	}
}

// Paste pastes text, as a terminal with bracketed paste does.
func (term *Term) Paste(text string) {
	term.t.Helper()
	term.send(ansi.BracketedPasteStart + text + ansi.BracketedPasteEnd)
}

// Click clicks the left button at a column and row, both counted from 0.
func (term *Term) Click(x, y int) {
	term.t.Helper()
	term.send(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x+1, y+1, x+1, y+1))
}

// Resize resizes the terminal to w columns and h rows and notifies the program.
func (term *Term) Resize(w, h int) {
	term.t.Helper()
	term.mu.Lock()
	term.em.Resize(w, h)
	term.mu.Unlock()
	if err := term.wire.Resize(w, h); err != nil {
		term.t.Fatalf("resizing the terminal to %dx%d: %v", w, h, err)
	}
	if term.program != nil {
		// The kernel notifies only the session that owns the terminal.
		term.program.Send(tea.WindowSizeMsg{Width: w, Height: h})
	}
}

func (term *Term) send(s string) {
	term.t.Helper()
	if _, err := term.wire.Write([]byte(s)); err != nil {
		select {
		case <-term.done:
			term.t.Fatalf("typing %q, but the program has ended (%v); screen:\n%s", s, term.err, term.Screen())
		default:
			term.t.Fatalf("typing %q: %v; screen:\n%s", s, err, term.Screen())
		}
	}
}
