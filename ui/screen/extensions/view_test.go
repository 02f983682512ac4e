package extensions

import (
	"fmt"
	"image"
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

var image118x60 = image.Pt(118, 60)

// hostile are names that try to break the screen.
var hostile = []string{
	strings.Repeat("a very long name ", 20) + ".jpeg",
	"日本語のとても長いファイル名で幅が二倍あります.png",
	"👩‍👩‍👧‍👦🏳️‍🌈👍🏽.gif",
	"e\u0301\u0302\u0303\u0304\u0305\u0306 marks.jpg",
	"\x1b[31mred\x1b]8;;http://evil\x07link\x1b]8;;\x07.jpg",
	"right\u202eto\u2066left.txt",
	"line\r\nbreak\ttab.txt",
	"bad\xff\xfebytes.bin",
	"",
}

func TestDrawnInsideAtEverySize(t *testing.T) {
	empty := start(t, nil)
	empty.open()
	uitest.Sweep(t, func(w, h int, th *theme.Theme) string { return empty.m.View(image.Pt(w, h), th) })
	d := start(t, nil)
	some(d)
	for i, n := range hostile {
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
		{"filter", func() { d.Press("esc"); d.m.startFilter(); d.m.filter.SetValue(hostile[1]) }},
		{"menu", func() { d.m.clearFilter(); d.Press("y") }},
	}
	for _, v := range views {
		v.to()
		for _, cursor := range []int{1, d.m.list.Len() - 1} {
			d.m.list.SetCursor(cursor)
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

// Every key of every action that is offered does something, and one that is not
// offered says why.
func TestEveryKeyActs(t *testing.T) {
	full, none := start(t, nil), start(t, nil)
	some(full)
	print := func(d *desk) string {
		m := d.m
		return fmt.Sprint(m.list.Cursor(), m.focus, m.open, m.filter.Value(), m.Overlays().Top() != nil, m.runs.status, m.pane, d.Text())
	}
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
		saved := *d.m
		prepare := func() *desk {
			*d.m = saved
			d.m.memo.Forget()
			d.Out = nil
			return d
		}
		for _, a := range prepare().m.Actions() {
			if a.Label() == "" || a.Group == "" || a.ID == "" {
				t.Errorf("%s: %q has no words", state, a.KeyLabel())
			}
			prepare()
			reason := a.Reason()
			for _, k := range a.Keys.Keys() {
				d := prepare()
				if state == "empty" && a.Group == "Move" || d.m.Capturing() && kit.KeyMsg(k).Text != "" {
					continue // there is nothing to move in, or it is text
				}
				before := print(d)
				d.Press(k)
				toasts := taken[page.Toast](d)
				switch {
				case reason != "" && k != "esc" && len(toasts) != 1:
					t.Errorf("%s: %s does not say why not", state, k)
				case reason == "" && len(d.Out)+len(toasts) == 0 && print(d) == before:
					t.Errorf("%s: %s (%s) does nothing", state, k, a.Label())
				}
			}
		}
	}
}

func TestMouse(t *testing.T) {
	d := start(t, nil)
	some(d)
	d.open()
	l := d.m.layout(d.size)
	click := tea.MouseClickMsg{X: 20, Y: l.list.Min.Y + 2, Button: tea.MouseLeft}
	d.Send(click)
	if d.m.list.Cursor() != 2 || d.m.history.id == 0 {
		t.Errorf("clicked on %d", d.m.list.Cursor())
	}
	d.Send(click)
	if d.m.focus != onPane {
		t.Error("a double click enters")
	}
	d.Send(tea.MouseClickMsg{X: 20, Y: l.list.Min.Y, Button: tea.MouseLeft})
	if d.m.focus != onList || d.m.list.Cursor() != 0 {
		t.Error("a click in the list goes there")
	}
	d.Send(tea.MouseWheelMsg{X: l.pane.Min.X + 2, Y: l.pane.Min.Y + 2, Button: tea.MouseWheelDown})
	d.Send(tea.MouseClickMsg{X: l.pane.Min.X + 2, Y: l.pane.Min.Y + 2, Button: tea.MouseLeft})
	if d.m.focus != onPane {
		t.Error("a click in the history goes there")
	}
}

// TestLooks prints the screen for a person to look at.
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
