package uitest

import (
	"fmt"
	"image"
	"reflect"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi/kitty"

	"mediadesk/ui/page"
	"mediadesk/ui/theme"
)

// FakeTerminal is a terminal that shows real pictures to one screen: it runs the screen's
// commands one after the other and keeps which pictures it was sent and not told to
// forget. What waits has to wait by a clock of the test's own.
type FakeTerminal struct {
	Size image.Point     // what the screen is drawn at
	Held map[string]bool // the pictures, by id
	Most int             // of Held at any time

	t    testing.TB
	host page.Host
}

var (
	sent   = regexp.MustCompile(`a=T,U=1,i=(\d+)`)
	forgot = regexp.MustCompile(`a=d,d=I,i=(\d+)`)
	shown  = regexp.MustCompile("\U0010EEEE.(.)(.)")
)

// NewFakeTerminal shows a screen on a fake terminal.
func NewFakeTerminal(t testing.TB, screen page.Screen, size image.Point) *FakeTerminal {
	f := &FakeTerminal{Size: size, Held: map[string]bool{}, t: t}
	f.host.Resize(size)
	f.host.Paint(theme.New(true, true))
	f.host.Keep(page.Picker, screen)
	f.Run(f.host.Show(page.Picker, false))
	return f
}

// Send gives a message to the screen, draws it, and does all that follows.
func (f *FakeTerminal) Send(msg tea.Msg) {
	f.t.Helper()
	var cmd tea.Cmd
	to := f.host.InFront()
	if r, ok := msg.(page.Reply); ok {
		if to, msg, ok = f.host.Open(r); !ok {
			return
		}
	}
	if key, ok := msg.(tea.KeyPressMsg); ok {
		cmd, _, _ = f.host.Press(key)
	} else {
		cmd = f.host.Deliver(to, msg)
	}
	f.Draw()
	f.Run(cmd)
}

// Resize gives the screen another room.
func (f *FakeTerminal) Resize(size image.Point) {
	f.t.Helper()
	f.Size = size
	f.Run(f.host.Resize(size))
	f.Draw()
}

// Run does what a command says and all that follows.
func (f *FakeTerminal) Run(cmd tea.Cmd) {
	f.t.Helper()
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.RawMsg:
		f.receive(fmt.Sprint(msg.Msg))
	default:
		// The type of a sequence has no name.
		v, list := reflect.ValueOf(msg), reflect.TypeFor[[]tea.Cmd]()
		if !v.CanConvert(list) {
			f.Send(msg)
			return
		}
		for _, c := range v.Convert(list).Interface().([]tea.Cmd) {
			f.Run(c)
		}
	}
}

// receive takes what is sent to the terminal.
func (f *FakeTerminal) receive(text string) {
	f.t.Helper()
	for _, id := range sent.FindAllStringSubmatch(text, -1) {
		if f.Held[id[1]] {
			f.t.Errorf("picture %s is sent again before it was forgotten", id[1])
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
	f.t.Helper()
	view := f.host.View(theme.New(true, true))
	have := map[rune]bool{}
	for id := range f.Held {
		var n uint32
		if _, err := fmt.Sscan(id, &n); err != nil {
			f.t.Fatal(err)
		}
		have[kitty.Diacritic(int(n>>24))] = true
	}
	for _, cell := range shown.FindAllStringSubmatch(view, -1) {
		if third := []rune(cell[2])[0]; !have[third] {
			f.t.Fatalf("cells of a picture that the terminal does not have: %q", cell[0])
		}
	}
	return view
}

// Real is how many cells of real pictures are drawn.
func (f *FakeTerminal) Real() int {
	f.t.Helper()
	return strings.Count(f.Draw(), string(kitty.Placeholder))
}
