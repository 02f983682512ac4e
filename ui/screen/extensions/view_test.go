package extensions

import (
	"fmt"
	"image"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

var image118x60 = image.Pt(118, 60)

func TestDrawnInsideAtEverySize(t *testing.T) {
	empty := start(t, nil)
	empty.open()
	uitest.Sweep(t, func(w, h int, th *theme.Theme) string { return empty.m.View(image.Pt(w, h), th) })
	d := start(t, nil)
	some(d)
	for i, n := range uitest.HostileNames {
		run := d.add(n, "/"+n, time.Duration(i+1)*time.Minute, hooked)
		run.Error = n + "\nsecond line"
		d.end(run, api.StatusFailed, n, 0, "")
		if run.FileID == "id/" {
			continue
		}
		d.post(d.hook(run), 0, fmt.Sprintf(`{"service":%q,"status":"failed","error":"\u001b[31m\u202e"}`, "x"))
	}
	d.open()
	views := []struct {
		name string
		to   func()
	}{
		{"list", func() {}},
		{"pane", func() { d.Press("tab") }},
		{"filter", func() { d.Press("/"); d.Type(uitest.HostileNames[2]) }},
		{"menu", func() { d.Press("y") }},
	}
	for _, v := range views {
		for _, to := range [][]string{{"g", "j"}, {"G"}} {
			d.Press("esc", "esc", "esc")
			d.Press(to...)
			v.to()
			uitest.Sweep(t, func(w, h int, th *theme.Theme) string {
				d.Resize(image.Pt(w, h))
				drawn := d.Host.View(th)
				if got := kit.Size(drawn); got != image.Pt(w, h) {
					t.Errorf("%s: %v drawn in %dx%d", v.name, got, w, h)
				}
				return drawn
			})
			if t.Failed() {
				return
			}
		}
	}
}

// TestEveryKeyWorks: every key of an enabled action does something, and disabled actions have a reason.
func TestEveryKeyWorks(t *testing.T) {
	full, none := start(t, nil), start(t, nil)
	some(full)
	for state, keys := range map[string][]string{
		"list": {"j", "j", "j"}, "pane": {"tab", "j", "j"}, "filter": {"/", "a", "down"}, "filtered": {"/", "a", "enter", "j", "j"},
		"status": {"f", "j"}, "empty": nil,
	} {
		d := full
		if state == "empty" {
			d = none
		}
		d.size = image.Pt(118, 8)
		prepare := func() *uitest.Driver {
			d.open()
			d.Press(keys...)
			return d.Driver
		}
		uitest.EveryKey(t, state, prepare,
			func(a kit.Action) bool { return state == "empty" && a.Group == "Cursor" })
	}
}
