package uitest

import (
	"fmt"
	"image"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi/kitty"

	"mediadesk/ui/page"
)

// FakeTerminal is a [Driver] with a terminal that supports pictures. It tracks the pictures
// it was sent and not told to delete. Code that waits must use a fake clock.
type FakeTerminal struct {
	*Driver
	Held map[string]bool // pictures by id
	Most int             // largest size of Held so far
}

var (
	sent   = regexp.MustCompile(`a=T,U=1,i=(\d+)`)
	forgot = regexp.MustCompile(`a=d,d=I,i=(\d+)`)
	shown  = regexp.MustCompile("\U0010EEEE.(.)(.)")
)

// NewFakeTerminal shows a screen on a fake terminal.
func NewFakeTerminal(t testing.TB, screen page.Screen, size image.Point) *FakeTerminal {
	f := &FakeTerminal{Held: map[string]bool{}}
	Drive(t, page.Picker, screen, size, func(d *Driver) { f.Driver, d.Drop = d, f.accept })
	return f
}

// accept handles messages to the terminal. It draws the screen before any other message.
func (f *FakeTerminal) accept(msg tea.Msg) bool {
	raw, ok := msg.(tea.RawMsg)
	if ok {
		f.receive(fmt.Sprint(raw.Msg))
	} else {
		f.Draw()
	}
	return ok
}

func (f *FakeTerminal) receive(text string) {
	f.T.Helper()
	for _, id := range sent.FindAllStringSubmatch(text, -1) {
		if f.Held[id[1]] {
			f.T.Errorf("picture %s was transmitted again before it was deleted", id[1])
		}
		f.Held[id[1]] = true
	}
	for _, id := range forgot.FindAllStringSubmatch(text, -1) {
		delete(f.Held, id[1])
	}
	f.Most = max(f.Most, len(f.Held))
}

// Draw returns the current screen. It fails the test if a cell belongs to a picture that
// the terminal does not have.
func (f *FakeTerminal) Draw() string {
	f.T.Helper()
	view := f.Host.View(f.Theme)
	have := map[rune]bool{}
	for id := range f.Held {
		var n uint32
		if _, err := fmt.Sscan(id, &n); err != nil {
			f.T.Fatal(err)
		}
		have[kitty.Diacritic(int(n>>24))] = true
	}
	for _, cell := range shown.FindAllStringSubmatch(view, -1) {
		if third := []rune(cell[2])[0]; !have[third] {
			f.T.Fatalf("cells of a picture that the terminal does not have: %q", cell[0])
		}
	}
	return view
}

// Real returns the number of cells that show pictures.
func (f *FakeTerminal) Real() int {
	f.T.Helper()
	return strings.Count(f.Draw(), string(kitty.Placeholder))
}
