package library

import (
	"context"
	"image"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

// TestSheetOfRealPictures: where the terminal shows real pictures the tiles are
// such, never more than it may hold, and it is told to forget them.
func TestSheetOfRealPictures(t *testing.T) {
	path := thumbFile(t)
	// Pictures are forgotten a moment late: the clock is not the wall's.
	synctest.Test(t, func(t *testing.T) { sheetOfRealPictures(t, path) })
}

// hosted is the screen behind its host.
type hosted struct {
	page.Host
	s *Model
}

func (h *hosted) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.Reply:
		if _, answer, ok := h.Open(msg); ok {
			return h.Tell(h.s, answer)
		}
		return nil
	case tea.KeyPressMsg:
		cmd, _, _ := h.Press(msg)
		return cmd
	case tea.WindowSizeMsg:
		return h.Resize(image.Pt(msg.Width, msg.Height-2)) // without the lines of the root
	}
	return h.Tell(h.s, msg)
}

func (h *hosted) View(size image.Point, th *theme.Theme) string { return h.s.View(size, th) }

func sheetOfRealPictures(t *testing.T, path string) {
	s := &shelf{files: map[string][]api.File{"/": some("/", 260)}}
	loader := picture.NewLoader(media.Limits{})
	loader.UseGallery(picture.NewGallery(false))
	m := New(Options{
		Context: t.Context(),
		Session: stub{
			list:  s.list,
			thumb: func(context.Context, api.File) (string, error) { return path, nil },
		},
		Loader: loader,
	})
	h := &hosted{s: m}
	h.Paint(theme.New(true, true))
	h.Add(page.Library, m)
	g := uitest.NewGlass(t, h, image.Pt(160, 46))
	g.Run(h.Show(page.Library, false))
	g.Send(tea.WindowSizeMsg{Width: 160, Height: 48})
	g.Send(picture.Abilities{Method: picture.MethodKitty, Cell: image.Pt(4, 8)})
	g.Draw()
	if g.Real() != 0 || len(g.Held) != 0 {
		t.Error("pictures before there is a sheet")
	}
	g.Send(kit.KeyMsg("t"))
	if g.Real() == 0 || strings.ContainsAny(g.Draw(), "▄▀") {
		t.Errorf("%d cells of real pictures:\n%s", g.Real(), g.Draw())
	}
	for m.list.Cursor() < 259 {
		g.Send(kit.KeyMsg("pgdown"))
		if m.list.Cursor() < 259 && m.list.Cursor() > 220 {
			g.Send(kit.KeyMsg("end"))
		}
		if g.Real() == 0 {
			t.Fatalf("no real picture on the page of %d", m.list.Cursor())
		}
	}
	if g.Most > picture.MaxReal {
		t.Errorf("the terminal held %d pictures", g.Most)
	}
	// Another size: the old pictures go, new ones come.
	g.Size = image.Pt(100, 30)
	g.Draw()
	g.Send(tea.WindowSizeMsg{Width: 100, Height: 32})
	g.Send(page.Tick{})
	if g.Real() == 0 {
		t.Error("no real picture after the size changed")
	}
	g.Send(kit.KeyMsg("t"))
	if len(g.Held) != 0 {
		t.Errorf("%d pictures are left without a sheet", len(g.Held))
	}
	g.Send(kit.KeyMsg("t"))
	g.Run(m.TakeDown())
	if len(g.Held) != 0 {
		t.Errorf("%d pictures are left at the end", len(g.Held))
	}
}
