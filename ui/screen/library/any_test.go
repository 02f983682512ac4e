package library

import (
	"context"
	"errors"
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

// TestAnyKeys: whatever is pressed and whatever the service answers, the screen keeps its layout and
// opens the details of files only.
func TestAnyKeys(t *testing.T) {
	keys := strings.Fields(`up down left right enter enter esc space backspace e y o n N r v * ctrl+a , s c u h j k l g G G / f 0 1 p
		pgdown pgup ctrl+u ctrl+d ctrl+w`)
	th := theme.New(true, true)
	rapid.Check(t, func(rt *rapid.T) {
		s := small()
		s.files["/summer/day 1/"] = some("/summer/day 1/", rapid.IntRange(0, 700).Draw(rt, "files"))
		fails := false
		list := func(ctx context.Context, q api.Query) ([]api.File, error) {
			if fails {
				return nil, errors.New("down")
			}
			return s.list(ctx, q)
		}
		d := startIn(t, Options{Session: stub{list: list}}, image.Pt(rapid.IntRange(1, 130).Draw(rt, "width"), rapid.IntRange(1, 30).Draw(rt, "height")))
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			var msg tea.Msg = kit.KeyMsg(rapid.SampledFrom(keys).Draw(rt, "key"))
			switch rapid.IntRange(0, 12).Draw(rt, "what") {
			case 0:
				at := tea.Mouse{X: 3, Y: rapid.IntRange(0, 29).Draw(rt, "y"), Button: tea.MouseLeft}
				msg = tea.MouseClickMsg(at)
			case 1:
				fails = !fails
			case 2:
				s.files["/"] = some("/", rapid.IntRange(0, 5).Draw(rt, "now"))
			}
			d.Send(msg)
			if err := uitest.Inside(d.Host.View(th), d.Size.X, d.Size.Y); err != nil {
				rt.Fatal(err)
			}
			d.Host.Actions()
		}
		for _, q := range uitest.Taken[page.Inspect](&d.Out) {
			for _, f := range q.Files {
				if f.IsFolder() || f.FileID == "" {
					rt.Fatalf("asked for the details of %+v", f)
				}
			}
		}
	})
}

// A list that is still loading is not called empty.
func TestLoadingIsNotEmpty(t *testing.T) {
	none := func(context.Context, api.Query) ([]api.File, error) { return nil, nil }
	d := startIn(t, Options{Session: stub{list: none}}, image.Pt(80, 24))
	for busy, want := range map[bool][2]string{true: {"loading", "the list is still loading"}, false: {"empty", "the list is empty"}} {
		d.m.busy = busy
		if got := [2]string{d.m.position(), d.m.noFile()}; got != want {
			t.Errorf("loading %v: %q, want %q", busy, got, want)
		}
	}
}
