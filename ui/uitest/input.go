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

// Mouse buttons as terminals number them.
const (
	mouseLeft   = 0
	mouseMotion = 32
	wheelUp     = 64
	wheelDown   = 65
)

// Click clicks the left button at a column and row, both counted from 0.
func (term *Term) Click(x, y int) {
	term.t.Helper()
	term.mouse(mouseLeft, x, y, true)
	term.mouse(mouseLeft, x, y, false)
}

// Drag drags with the left button from one position to another, cell by cell.
func (term *Term) Drag(x0, y0, x1, y1 int) {
	term.t.Helper()
	term.mouse(mouseLeft, x0, y0, true)
	steps := max(abs(x1-x0), abs(y1-y0))
	for i := 1; i <= steps; i++ {
		term.mouse(mouseLeft+mouseMotion, x0+(x1-x0)*i/steps, y0+(y1-y0)*i/steps, true)
	}
	term.mouse(mouseLeft, x1, y1, false)
}

// Wheel turns the wheel at a position by notches, up if negative.
func (term *Term) Wheel(x, y, notches int) {
	term.t.Helper()
	button := wheelDown
	if notches < 0 {
		button = wheelUp
	}
	for range abs(notches) {
		term.mouse(button, x, y, true)
	}
}

func (term *Term) mouse(button, x, y int, press bool) {
	term.t.Helper()
	end := "m"
	if press {
		end = "M"
	}
	term.send(fmt.Sprintf("\x1b[<%d;%d;%d%s", button, x+1, y+1, end))
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

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
