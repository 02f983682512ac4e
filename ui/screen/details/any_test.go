package details

import (
	"context"
	"image"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

// TestAnyKeys: whatever is pressed and whatever arrives in between, the screen keeps its layout and
// sends nothing that the service would refuse or that changes nothing.
func TestAnyKeys(t *testing.T) {
	keys := strings.Fields(`up down left right shift+left shift+down ctrl+right tab tab tab shift+tab enter enter esc space
		backspace delete e c c a t T x y o n N r z Z h j k l g G ctrl+x ctrl+s ctrl+u ctrl+k 1 2 5 0 , q / home end pgdown b b r + - > < m 3 4 6 f d s`)
	f := record(t, photo)
	b := record(t, strings.NewReplacer(`"f1"`, `"f2"`, "beach.png", "other.txt", `"image"`, `"non-image"`).Replace(photo))
	bare := api.File{FileID: "f3", Tags: api.Null[[]string](), CustomCoordinates: api.Null[string](), Width: api.Set(3), Height: api.Set(1)}
	path := pngFile(t, 30, 20)
	th := theme.New(true, true)
	rapid.Check(t, func(rt *rapid.T) {
		s := newShelf(t, f, b, bare)
		o := s.options(f, bare, b)
		s.picture = func(context.Context, api.File) (string, error) { return path, nil }
		s.undo, s.redo = s.again, s.again
		d := startIn(t, o, image.Pt(rapid.IntRange(1, 130).Draw(rt, "width"), rapid.IntRange(1, 30).Draw(rt, "height")))
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			var msg tea.Msg = kit.KeyMsg(rapid.SampledFrom(keys).Draw(rt, "key"))
			switch rapid.IntRange(0, 12).Draw(rt, "what") {
			case 0:
				at := tea.Mouse{X: rapid.IntRange(0, 129).Draw(rt, "x"), Y: rapid.IntRange(0, 29).Draw(rt, "y"), Button: tea.MouseLeft}
				msg = rapid.SampledFrom([]tea.Msg{tea.MouseClickMsg(at), tea.MouseMotionMsg(at), tea.MouseReleaseMsg(at)}).Draw(rt, "mouse")
			case 1:
				now := f
				now.Raw, now.Tags = nil, api.Set([]string{rapid.SampledFrom([]string{"sea", "old", "new"}).Draw(rt, "tag")})
				s.files["f1"] = now
				msg = page.FileChanged{File: now}
			}
			d.Send(msg)
			for _, q := range uitest.Taken[page.Ask](&d.Out) {
				if c := q.Choices[len(q.Choices)-1]; rapid.Bool().Draw(rt, "yes") && !c.Danger {
					d.Choose(q, c.Label)
				}
			}
			if err := uitest.Inside(d.Host.View(th), d.Size.X, d.Size.Y); err != nil {
				rt.Fatal(err)
			}
			for _, a := range d.Host.Actions() {
				if a.KeyLabel() == "" {
					rt.Fatalf("an action without keys: %+v", a)
				}
			}
		}
		for _, change := range s.saved {
			if change.IsEmpty() || len(change.Check()) > 0 {
				rt.Fatalf("sent %+v", change)
			}
		}
	})
}
