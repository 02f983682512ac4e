package library

import (
	"context"
	"image"
	"strings"
	"testing"
	"testing/synctest"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/uitest"
)

// TestSheetOfRealPictures: where the terminal shows real pictures the tiles are
// such, never more than it may hold, and it is told to forget them.
func TestSheetOfRealPictures(t *testing.T) {
	path := thumbFile(t)
	// Pictures are forgotten a moment late: the clock is not the wall's.
	synctest.Test(t, func(t *testing.T) { sheetOfRealPictures(t, path) })
}

func sheetOfRealPictures(t *testing.T, path string) {
	s := &shelf{files: map[string][]api.File{"/": some("/", 260)}}
	loader := picture.NewLoader(media.Limits{})
	loader.Store = picture.NewImageStore(false)
	m := New(Options{
		Context: t.Context(),
		Session: stub{
			list:  s.list,
			thumb: func(context.Context, api.File) (string, error) { return path, nil },
		},
		Loader: loader,
	})
	g := uitest.NewFakeTerminal(t, m, image.Pt(160, 46))
	g.Send(kit.KeyMsg("p")) // the preview shows a picture, too
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
	g.Resize(image.Pt(100, 30))
	g.Send(page.Tick{})
	if g.Real() == 0 {
		t.Error("no real picture after the size changed")
	}
	g.Send(kit.KeyMsg("t"))
	if len(g.Held) != 0 {
		t.Errorf("%d pictures are left without a sheet", len(g.Held))
	}
	g.Send(kit.KeyMsg("t"))
	g.Run(m.DeleteImages())
	if len(g.Held) != 0 {
		t.Errorf("%d pictures are left at the end", len(g.Held))
	}
}
