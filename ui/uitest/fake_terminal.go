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

// FakeTerminal is a [Driver] whose terminal shows real pictures: it keeps which pictures
// it was sent and not told to forget. What waits has to wait by a clock of the test's own.
type FakeTerminal struct {
	*Driver
	Held map[string]bool // the pictures, by id
	Most int             // of Held at any time
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

// accept handles what is sent to the terminal. Before any other message the screen is drawn.
func (f *FakeTerminal) accept(msg tea.Msg) bool {
	raw, ok := msg.(tea.RawMsg)
	if ok {
		f.receive(fmt.Sprint(raw.Msg))
	} else {
		f.Draw()
	}
	return ok
}

// receive takes what is sent to the terminal.
func (f *FakeTerminal) receive(text string) {
	f.T.Helper()
	for _, id := range sent.FindAllStringSubmatch(text, -1) {
		if f.Held[id[1]] {
			f.T.Errorf("picture %s is sent again before it was forgotten", id[1])
		}
		f.Held[id[1]] = true
	}
	for _, id := range forgot.FindAllStringSubmatch(text, -1) {
		delete(f.Held, id[1])
	}
	f.Most = max(f.Most, len(f.Held))
}

// Draw is the screen as it is drawn now. Cells of a picture that the terminal does
// not have are an error.
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

// Real is how many cells of real pictures are drawn.
func (f *FakeTerminal) Real() int {
	f.T.Helper()
	return strings.Count(f.Draw(), string(kitty.Placeholder))
}
