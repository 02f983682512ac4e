package extensions

import (
	"fmt"
	"image"
	"os"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

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
		{"filter", func() { d.Press("esc", "/"); d.m.list.SetFilter(uitest.HostileNames[2]) }},
		{"menu", func() { d.Press("esc", "y") }},
	}
	for _, v := range views {
		v.to()
		for _, cursor := range []int{1, d.m.list.Len() - 1} {
			d.m.list.GoTo(cursor)
			d.Run(d.m.readHistory())
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
		"list": {"j", "j", "j"}, "pane": {"tab", "j", "j", "j"}, "filter": {"/", "a", "down"}, "filtered": {"/", "a", "enter", "j", "j"},
		"status": {"f", "j"}, "empty": nil,
	} {
		d := full
		if state == "empty" {
			d = none
		}
		d.size = image.Pt(118, 10)
		d.open()
		d.Press(keys...)
		saved, list := *d.m, *d.m.list
		prepare := func() *uitest.Driver {
			*d.m, *d.m.list = saved, list
			return d.Driver
		}
		print := func() string {
			return fmt.Sprint(*d.m.list, d.m.Overlays().Top() != nil, d.m.runs.status, d.Text())
		}
		uitest.EveryKey(t, state, prepare, print, func(a kit.Action) bool { return state == "empty" && a.Group == "Move" })
	}
}

func TestMouse(t *testing.T) {
	d := start(t, nil)
	some(d)
	d.open()
	click := tea.MouseClickMsg{X: 20, Y: 5, Button: tea.MouseLeft}
	d.Send(click)
	if d.m.list.Cursor() != 2 || d.m.history.id == 0 {
		t.Errorf("clicked on %d", d.m.list.Cursor())
	}
	d.Send(click)
	if d.m.Overlays().Top() == nil {
		t.Error("a double click enters")
	}
	d.Press("esc")
	d.Send(tea.MouseClickMsg{X: 20, Y: 3, Button: tea.MouseLeft})
	if d.m.list.InPane() || d.m.list.Cursor() != 0 {
		t.Error("a click in the list does not focus it")
	}
	d.Send(tea.MouseWheelMsg{X: 110, Y: 5, Button: tea.MouseWheelDown})
	d.Send(tea.MouseClickMsg{X: 110, Y: 5, Button: tea.MouseLeft})
	if !d.m.list.InPane() {
		t.Error("a click in the history does not focus it")
	}
}

// TestLooks prints the screen for a person to check.
func TestLooks(t *testing.T) {
	if os.Getenv("MEDIADESK_LOOK") == "" {
		t.Skip("set MEDIADESK_LOOK=1 to see the screen")
	}
	for _, size := range []image.Point{{118, 32}, {100, 28}, {80, 20}, {40, 10}} {
		d := start(t, nil)
		some(d)
		d.size = size
		d.open()
		fmt.Printf("%v\n%s\n", size, d.Text())
		d.find("/a/posted.png")
		d.Press("enter")
		fmt.Printf("%s\n", d.Text())
		d.Press("esc", "y")
		fmt.Printf("%s\n", d.Text())
	}
}
