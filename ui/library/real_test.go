package library

import (
	"context"
	"fmt"
	"image"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
)

// glass is a terminal that shows real pictures: it runs the screen's commands in
// order and keeps the pictures that it was sent and not told to forget.
type glass struct {
	t    *testing.T
	m    *Model
	size image.Point
	held map[string]bool // by id
	most int
}

var (
	sent   = regexp.MustCompile(`a=T,U=1,i=(\d+)`)
	forgot = regexp.MustCompile(`a=d,d=I,i=(\d+)`)
)

// send gives a message to the screen, draws what a key leads to, and does all that follows.
func (g *glass) send(msg tea.Msg) {
	g.t.Helper()
	cmd := g.m.Update(msg)
	if _, key := msg.(tea.KeyPressMsg); key {
		g.draw()
	}
	g.do(cmd)
}

func (g *glass) do(cmd tea.Cmd) {
	g.t.Helper()
	if cmd == nil {
		return
	}
	msg := cmd()
	if list, ok := commands(msg); ok {
		for _, c := range list {
			g.do(c)
		}
		return
	}
	switch msg := msg.(type) {
	case nil:
	case tea.RawMsg:
		text := fmt.Sprint(msg.Msg)
		for _, id := range sent.FindAllStringSubmatch(text, -1) {
			if g.held[id[1]] {
				g.t.Errorf("id %s is sent again before it was forgotten", id[1])
			}
			g.held[id[1]] = true
		}
		for _, id := range forgot.FindAllStringSubmatch(text, -1) {
			delete(g.held, id[1])
		}
		g.most = max(g.most, len(g.held))
	default:
		g.send(msg)
	}
}

func (g *glass) draw() string { return g.m.View(g.size, theme.New(true, true)) }

// real is how many cells of real pictures are drawn.
func (g *glass) real() int { return strings.Count(g.draw(), "\U0010EEEE") }

// commands are those of a batch, or of a sequence, whose type has no name.
func commands(msg tea.Msg) ([]tea.Cmd, bool) {
	v, list := reflect.ValueOf(msg), reflect.TypeFor[[]tea.Cmd]()
	if msg == nil || !v.CanConvert(list) {
		return nil, false
	}
	return v.Convert(list).Interface().([]tea.Cmd), true
}

// TestSheetOfRealPictures: where the terminal shows real pictures the tiles are
// such, never more than it may hold, and it is told to forget them.
func TestSheetOfRealPictures(t *testing.T) {
	path := thumbFile(t)
	// Pictures are forgotten a moment late: the clock is not the wall's.
	synctest.Test(t, func(t *testing.T) { sheetOfRealPictures(t, path) })
}

func sheetOfRealPictures(t *testing.T, path string) {
	s := &shelf{files: map[string][]api.File{"/": some("/", 260)}}
	loader := picture.NewLoader(picture.Limits{})
	loader.UseGallery(picture.NewGallery(false))
	g := &glass{t: t, size: image.Pt(160, 46), held: map[string]bool{}, m: New(Options{
		List: s.list, Loader: loader, Thumb: func(context.Context, api.File) (string, error) { return path, nil },
	})}
	g.send(tea.WindowSizeMsg{Width: 160, Height: 48})
	g.send(picture.Abilities{Method: picture.MethodKitty, Cell: image.Pt(4, 8)})
	g.send(page.Shown{})
	g.draw()
	if g.real() != 0 || len(g.held) != 0 {
		t.Error("pictures before there is a sheet")
	}
	g.send(kit.KeyMsg("t"))
	if g.real() == 0 || strings.ContainsAny(g.draw(), "▄▀") {
		t.Errorf("%d cells of real pictures:\n%s", g.real(), g.draw())
	}
	for g.m.list.Cursor() < 259 {
		g.send(kit.KeyMsg("pgdown"))
		if g.m.list.Cursor() < 259 && g.m.list.Cursor() > 220 {
			g.send(kit.KeyMsg("end"))
		}
		if g.real() == 0 {
			t.Fatalf("no real picture on the page of %d", g.m.list.Cursor())
		}
	}
	if g.most > maxReal+maxFlight || len(g.m.sheet.real) > maxReal+maxFlight {
		t.Errorf("the terminal held %d pictures", g.most)
	}
	// Another size: the old pictures go, new ones come.
	g.size = image.Pt(100, 30)
	g.draw()
	g.send(tea.WindowSizeMsg{Width: 100, Height: 32})
	g.send(page.Tick{})
	if g.real() == 0 {
		t.Error("no real picture after the size changed")
	}
	g.send(kit.KeyMsg("t"))
	if len(g.held) != 0 || len(g.m.sheet.real) != 0 {
		t.Errorf("%d pictures are left without a sheet", len(g.held))
	}
	g.send(kit.KeyMsg("t"))
	g.do(g.m.TakeDown())
	if len(g.held) != 0 {
		t.Errorf("%d pictures are left at the end", len(g.held))
	}
}
