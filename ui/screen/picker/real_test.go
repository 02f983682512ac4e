package picker

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/picture"
	"mediadesk/ui/uitest"
)

// TestContactSheetOfRealPictures: if the terminal shows real pictures, the tiles use them. Their number
// stays within the terminal's limit, and all are deleted in the end.
func TestContactSheetOfRealPictures(t *testing.T) {
	mediatest.SkipRacing(t)
	mediatest.OnlyWithEverything(t)
	dir := pictures(t)
	// Pictures are deleted with a delay, so the test uses a simulated clock.
	synctest.Test(t, func(t *testing.T) { sheetOfRealPictures(t, dir) })
}

func sheetOfRealPictures(t *testing.T, dir string) {
	data := mediatest.PNG(t, mediatest.Quarters(16, 12))
	for i := range 150 {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("p%03d.png", i)), data, 0o644))
	}
	loader := picture.NewLoader()
	loader.Store = picture.NewImageStore(false)
	m := New(Options{Folder: dir, Loader: loader})
	statTimeout = time.Minute
	g := uitest.NewFakeTerminal(t, m, image.Pt(160, 46))
	g.Send(picture.Abilities{Method: picture.MethodKitty, Cell: image.Pt(4, 8)})
	if g.Real() != 0 || len(g.Held) != 0 {
		t.Error("pictures before there is a sheet")
	}
	g.Send(kit.KeyMsg("t"))
	if g.Real() == 0 || strings.ContainsAny(g.Draw(), "▄▀") {
		t.Errorf("%d cells of real pictures:\n%s", g.Real(), g.Draw())
	}
	for before := ""; before != g.Draw(); {
		before = g.Draw()
		g.Send(kit.KeyMsg("pgdown"))
		if strings.ContainsAny(g.Draw(), "▄▀") {
			t.Fatalf("glyphs on a page:\n%s", g.Draw())
		}
	}
	if g.Most > picture.MaxReal || g.Most < picture.MaxReal/2 {
		t.Errorf("the terminal held %d pictures", g.Most)
	}
	// A resize replaces all pictures.
	g.Send(kit.KeyMsg("g"))
	before := g.Real()
	g.Size = image.Pt(90, 30)
	g.Draw()
	g.Resize(image.Pt(90, 30))
	if n := g.Real(); n == 0 || n == before || len(g.Held) > 40 {
		t.Errorf("%d cells after the size changed, %d before; %d pictures are held", n, before, len(g.Held))
	}
	// A popup covers them and leaves no trace.
	whole := g.Draw()
	g.Send(kit.KeyMsg(","))
	g.Send(kit.KeyMsg("esc"))
	if g.Draw() != whole {
		t.Error("a popup changes what is below it")
	}
	// Into a folder and back.
	g.Send(kit.KeyMsg("enter"))
	if !strings.Contains(ansi.Strip(g.Draw()), "─ "+dir+"/sub ─") || len(g.Held) != 0 {
		t.Errorf("%d pictures of the folder before are held in\n%s", len(g.Held), g.Draw())
	}
	g.Send(kit.KeyMsg("backspace"))
	if !strings.Contains(ansi.Strip(g.Draw()), "─ "+dir+" ─") || g.Real() == 0 {
		t.Errorf("%d cells of real pictures back in the folder", g.Real())
	}
	g.Send(kit.KeyMsg("t"))
	if len(g.Held) != 0 || g.Real() != 0 {
		t.Errorf("%d pictures remain without a sheet", len(g.Held))
	}
	// A terminal without pictures gets glyphs.
	g.Send(picture.Abilities{Cell: image.Pt(4, 8)})
	g.Send(kit.KeyMsg("t"))
	if g.Real() != 0 || len(g.Held) != 0 || !strings.ContainsAny(g.Draw(), "▄▀▌▐▁▂▃▅▆▇") {
		t.Errorf("no glyphs although there are no real pictures:\n%s", g.Draw())
	}
}
