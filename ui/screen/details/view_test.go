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

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

// TestEveryActionRuns: every enabled action changes the screen or sends a message to the root.
func TestEveryActionRuns(t *testing.T) {
	mediatest.SkipRacing(t)
	mediatest.OnlyWithEverything(t)
	t.Setenv("TMPDIR", t.TempDir())
	f := record(t, photo)
	fresh := func() *driven {
		s := newShelf(t, f)
		b := record(t, strings.NewReplacer(`"f1"`, `"f2"`, "beach.png", "other.png").Replace(photo))
		s.files["f2"] = b
		c := b
		c.FileID, c.Name, c.Raw = "f3", "third.png", nil
		s.files["f3"] = c
		o := s.options(f, b, c)
		s.undo, s.redo = s.again, s.again
		d := start(t, o)
		d.Press("n")
		return d
	}
	for to := range 6 {
		prepare := func() *driven {
			d := fresh()
			switch to {
			case 0:
				d.m.Focus(edit.OnFiles)
			case 1, 2:
				d.m.Form.Focus([]string{rowTags, rowRegion}[to-1], true)
			case 3, 4:
				d.m.Form.Focus([]string{rowAI, rowRegion}[to-3], false)
			case 5:
				d.Press("c")
			}
			d.now = d.now.Add(3 * time.Minute) // so that a refresh changes the displayed age
			d.Send(page.Shown{})
			return d
		}
		for _, a := range prepare().Host.Actions() {
			if a.Reason() != "" || a.ID == "details.refresh" || a.ID == "details.previous-field" {
				continue // what is read is the same, and the first field has none before it
			}
			for _, k := range a.Keys.Keys() {
				d := prepare()
				d.Send(page.Shown{})
				before := d.Host.View(d.Theme)
				d.Press(k)
				if before == d.Host.View(d.Theme) && len(d.Out) == 0 {
					t.Errorf("in part %d, %s (%s) does nothing", to, k, a.ID)
				}
			}
		}
	}
}

const hostile = "день 1 — naïve 写真写真写真 👍🏽 e\u0301\u0301\u0301\u0301\u0301\u0301 \x1b[31m\u202egpj.exe\n\xff.jpeg"

func TestViewStaysInside(t *testing.T) {
	mediatest.SkipRacing(t)
	mediatest.OnlyWithEverything(t)
	path := pngFile(t, 300, 200)
	f := record(t, photo)
	f.Raw = nil
	f.Name, f.FilePath = hostile, "/"+hostile
	text, _ := json.Marshal(hostile)
	f.Other = api.Members{rule.FieldDescription: text}
	f.Tags = api.Set([]string{hostile, strings.Repeat("写", 300)})
	f.AITags = api.Set([]api.AITag{{Name: hostile, Confidence: 1e9, Source: hostile}})
	f.CustomMetadata = map[string]json.RawMessage{hostile: json.RawMessage(`"` + strings.Repeat("a", 200) + `"`)}
	s := newShelf(t, f)
	states := map[string]func(*driven){
		"record": func(*driven) {},
		"tags":   func(d *driven) { d.Press("e"); d.Type("写真") },
		"unset":  func(d *driven) { d.Press("e", "ctrl+x") },
		"region": func(d *driven) { d.Press("down", "down", "enter", "9") },
		"picture": func(d *driven) {
			d.Press("c", "tab", "a")
		},
		"AI":     func(d *driven) { d.Press("down", "enter") },
		"menu":   func(d *driven) { d.Press("y") },
		"many":   func(d *driven) { d.Press("b") },
		"ratios": func(d *driven) { d.Press("c", "r") },
		"reader": func(d *driven) { d.m.Form.Focus("fact..Path", false); d.Press("enter") },
		"failed": func(d *driven) {
			s.saveErr = errors.New(hostile)
			d.Press("home", "ctrl+x")
			d.save("Save")
			d.Sees("Not saved")
		},
		"busy": func(d *driven) {
			d.Hold = &[]tea.Cmd{}
			d.Press("home", "ctrl+x", "ctrl+s")
			d.Sees("esc stops")
		},
	}
	for name, state := range states {
		for _, files := range [][]api.File{{f}, {f, f, f}} {
			o := s.options(files...)
			s.picture, s.saveErr = nil, nil
			if name == "picture" && len(files) == 1 {
				// Drawing needs a picture, and the other actions do not.
				s.picture = func(context.Context, api.File) (string, error) { return path, nil }
			}
			d := start(t, o)
			state(d)
			t.Run(fmt.Sprint(name, len(files)), func(t *testing.T) {
				uitest.Sweep(t, func(w, h int, th *theme.Theme) string {
					d.Resize(image.Pt(w, h))
					view := d.Host.View(th)
					mediatest.Equal(t, kit.Size(view), image.Pt(w, h), "at %dx%d the view has the size", w, h)
					return view
				})
			})
		}
	}
	empty := start(t, Options{Session: s})
	uitest.Sweep(t, func(w, h int, th *theme.Theme) string { return empty.m.View(image.Pt(w, h), th) })
	empty.Press("e", "ctrl+s", "tab", "t", "z", "y", "esc")
	uitest.One[page.Back](t, &empty.Out)
}
