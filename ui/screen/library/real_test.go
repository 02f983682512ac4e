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

// TestSheetOfRealPictures: if the terminal shows real pictures, the tiles use them. Their number stays
// within the terminal's limit, and all are deleted in the end.
func TestSheetOfRealPictures(t *testing.T) {
	path := thumbFile(t)
	// Pictures are deleted with a delay, so the test uses a simulated clock.
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
	// A resize replaces all pictures.
	g.Resize(image.Pt(100, 30))
	g.Send(page.Tick{})
	if g.Real() == 0 {
		t.Error("no real picture after the size changed")
	}
	g.Send(kit.KeyMsg("t"))
	if len(g.Held) != 0 {
		t.Errorf("%d pictures remain without a sheet, want 0", len(g.Held))
	}
	g.Send(kit.KeyMsg("t"))
	g.Run(m.DeleteImages())
	if len(g.Held) != 0 {
		t.Errorf("%d pictures remain at the end, want 0", len(g.Held))
	}
}
