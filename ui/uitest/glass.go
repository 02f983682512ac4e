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

// Glass is a terminal that shows real pictures to one screen: it runs the screen's
// commands one after the other and keeps which pictures it was sent and not told to
// forget. What waits has to wait by a clock of the test's own.
type Glass struct {
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

// NewGlass puts a screen behind the glass.
func NewGlass(t testing.TB, screen page.Screen, size image.Point) *Glass {
	g := &Glass{Size: size, Held: map[string]bool{}, t: t}
	g.host.Resize(size)
	g.host.Paint(theme.New(true, true))
	g.host.Keep(page.Picker, screen)
	g.Run(g.host.Show(page.Picker, false))
	return g
}

// Send gives a message to the screen, draws it, and does all that follows.
func (g *Glass) Send(msg tea.Msg) {
	g.t.Helper()
	var cmd tea.Cmd
	to := g.host.InFront()
	if r, ok := msg.(page.Reply); ok {
		if to, msg, ok = g.host.Open(r); !ok {
			return
		}
	}
	if key, ok := msg.(tea.KeyPressMsg); ok {
		cmd, _, _ = g.host.Press(key)
	} else {
		cmd = g.host.Deliver(to, msg)
	}
	g.Draw()
	g.Run(cmd)
}

// Resize gives the screen another room.
func (g *Glass) Resize(size image.Point) {
	g.t.Helper()
	g.Size = size
	g.Run(g.host.Resize(size))
	g.Draw()
}

// Run does what a command says and all that follows.
func (g *Glass) Run(cmd tea.Cmd) {
	g.t.Helper()
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.RawMsg:
		g.take(fmt.Sprint(msg.Msg))
	default:
		// The type of a sequence has no name.
		v, list := reflect.ValueOf(msg), reflect.TypeFor[[]tea.Cmd]()
		if !v.CanConvert(list) {
			g.Send(msg)
			return
		}
		for _, c := range v.Convert(list).Interface().([]tea.Cmd) {
			g.Run(c)
		}
	}
}

// take takes what is sent to the terminal.
func (g *Glass) take(text string) {
	g.t.Helper()
	for _, id := range sent.FindAllStringSubmatch(text, -1) {
		if g.Held[id[1]] {
			g.t.Errorf("picture %s is sent again before it was forgotten", id[1])
		}
		g.Held[id[1]] = true
	}
	for _, id := range forgot.FindAllStringSubmatch(text, -1) {
		delete(g.Held, id[1])
	}
	g.Most = max(g.Most, len(g.Held))
}

// Draw is the screen as it is drawn now. Cells of a picture that the terminal does
// not have are an error.
func (g *Glass) Draw() string {
	g.t.Helper()
	view := g.host.View(theme.New(true, true))
	have := map[rune]bool{}
	for id := range g.Held {
		var n uint32
		if _, err := fmt.Sscan(id, &n); err != nil {
			g.t.Fatal(err)
		}
		have[kitty.Diacritic(int(n>>24))] = true
	}
	for _, cell := range shown.FindAllStringSubmatch(view, -1) {
		if third := []rune(cell[2])[0]; !have[third] {
			g.t.Fatalf("cells of a picture that the terminal does not have: %q", cell[0])
		}
	}
	return view
}

// Real is how many cells of real pictures are drawn.
func (g *Glass) Real() int { g.t.Helper(); return strings.Count(g.Draw(), string(kitty.Placeholder)) }
