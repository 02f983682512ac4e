package details

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

// Every act that can be done now does something: the screen changes or the root
// hears of it.
func TestEveryActActs(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f := record(t, photo)
	fresh := func() *desk {
		s := newShelf(t, f)
		b := record(t, strings.NewReplacer(`"f1"`, `"f2"`, "beach.png", "other.png").Replace(photo))
		s.files["f2"] = b
		c := b
		c.FileID, c.Name, c.Raw = "f3", "third.png", nil
		s.files["f3"] = c
		o := s.options(f, b, c)
		s.undo, s.redo = s.again, s.again
		d := start(t, o)
		d.press("n")
		return d
	}
	for to := onRecord; to <= onFiles; to++ {
		prepare := func() *desk {
			d := fresh()
			d.m.focus(to)
			if l := map[area]*kit.List{onRecord: &d.m.record, onAI: &d.m.ai}[to]; l != nil {
				l.SetCursor(1)
			}
			d.text()
			d.now = d.now.Add(3 * time.Minute) // a look again is seen in its age
			d.m.cache.valid = false
			return d
		}
		for _, a := range prepare().m.Acts() {
			if a.Why != "" {
				continue
			}
			for _, k := range a.Binding.Keys() {
				d := prepare()
				if to == onAI && a.Binding.Help().Desc == "take as a tag" {
					d.m.ai.SetCursor(0)
				}
				if strings.Contains(a.Binding.Help().Desc, "down") || strings.Contains(a.Binding.Help().Desc, "bottom") {
					d.m.ai.SetCursor(0)
				}
				before := d.m.View(d.size, theme.New(true, true))
				d.press(k)
				if before == d.m.View(d.size, theme.New(true, true)) && len(d.out) == 0 {
					t.Errorf("in part %d, %s (%s) does nothing", to, k, a.Binding.Help().Desc)
				}
			}
		}
	}
}

const hostile = "день 1 — naïve 写真写真写真 👍🏽 e\u0301\u0301\u0301\u0301\u0301\u0301 \x1b[31m\u202egpj.exe\n\xff.jpeg"

func TestViewStaysInside(t *testing.T) {
	path := pngFile(t, 300, 200)
	f := record(t, photo)
	f.Raw = nil
	f.Name, f.Description, f.FilePath = hostile, hostile, "/"+hostile
	f.Tags = api.Set([]string{hostile, strings.Repeat("写", 300)})
	f.AITags = api.Set([]api.AITag{{Name: hostile, Confidence: 1e9, Source: hostile}})
	f.CustomMetadata = map[string]json.RawMessage{hostile: json.RawMessage(`"` + strings.Repeat("a", 200) + `"`)}
	s := newShelf(t, f)
	states := map[string]func(*desk){
		"record": func(*desk) {},
		"tags":   func(d *desk) { d.press("e"); d.write("写真") },
		"unset":  func(d *desk) { d.press("e", "ctrl+x") },
		"region": func(d *desk) { d.press("c", "9") },
		"picture": func(d *desk) {
			d.press("c", "enter", "tab", "a")
		},
		"AI":     func(d *desk) { d.press("tab", "tab") },
		"menu":   func(d *desk) { d.press("y") },
		"many":   func(d *desk) { d.press("b") },
		"prompt": func(d *desk) { d.press("b", "a"); d.write("写真") },
		"ratios": func(d *desk) { d.press("c", "enter", "r") },
		"reader": func(d *desk) { d.press("enter") },
		"failed": func(d *desk) { d.m.current().problem = errors.New(hostile) },
		"busy":   func(d *desk) { d.m.busy = "Saving…" },
	}
	for name, state := range states {
		for _, files := range [][]api.File{{f}, {f, f, f}} {
			o := s.options(files...)
			s.picture = nil
			if name == "picture" && len(files) == 1 {
				// Drawing takes its time; the others do without.
				s.picture = func(context.Context, api.File) (string, error) { return path, nil }
			}
			d := start(t, o)
			state(d)
			t.Run(fmt.Sprint(name, len(files)), func(t *testing.T) {
				uitest.Sweep(t, func(w, h int, th *theme.Theme) string {
					view := d.m.View(image.Pt(w, h), th)
					if got := kit.Size(view); got != image.Pt(w, h) {
						t.Errorf("at %dx%d it fills %v", w, h, got)
					}
					return view
				})
			})
		}
	}
	empty := New(Options{Session: s})
	uitest.Sweep(t, func(w, h int, th *theme.Theme) string { return empty.View(image.Pt(w, h), th) })
	for _, a := range empty.Acts() {
		empty.Update(a.Press())
	}
	for _, k := range []string{"e", "ctrl+s", "tab", "t", "z", "y"} {
		empty.Update(kit.KeyMsg(k))
	}
}
