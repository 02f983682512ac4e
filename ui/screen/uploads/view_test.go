package uploads

import (
	"fmt"
	"image"
	"os"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"mediadesk/api"
	"mediadesk/api/queue"
	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

// hostile are names that try to break the screen.
var hostile = []string{
	"plain.jpg",
	strings.Repeat("a very long name ", 20) + ".jpeg",
	"日本語のとても長いファイル名で幅が二倍あります.png",
	"👩‍👩‍👧‍👦🏳️‍🌈👍🏽.gif",
	"e\u0301\u0302\u0303\u0304\u0305\u0306 marks.jpg",
	"\x1b[31mred\x1b]8;;http://evil\x07link\x1b]8;;\x07.jpg",
	"right\u202eto\u2066left.txt",
	"line\r\nbreak\ttab.txt",
	"bad\xff\xfebytes.bin",
	"हिन्दी फ़ाइल.txt",
	"",
}

func hostileRows() (queue.Snapshot, []api.Job) {
	s := busy()
	var old []api.Job
	for i, n := range hostile {
		r := s.Rows[i%len(s.Rows)]
		job := *r.Job
		job.ID = int64(200 + i)
		job.Upload.FileName, job.Upload.Source.Path = n, "/pictures/"+n
		job.Upload.Tags = api.Set([]string{n, "x"})
		if job.Failure != nil {
			job.Failure = &api.Failure{Status: 500, Message: n + "\nsecond line", Help: n, RequestID: n}
		}
		if job.File != nil {
			job.File = &api.File{Name: n, FilePath: "/" + n, URL: "https://h/" + n, FileID: n}
		}
		r.Job = &job
		s.Rows = append(s.Rows, r)
		early := job
		early.ID += 1000
		old = append(old, early)
	}
	s.Err = fmt.Errorf("disk \x1b[31m full")
	return s, old
}

func TestDrawnInsideAtEverySize(t *testing.T) {
	s, old := hostileRows()
	empty := still(t, queue.Snapshot{})
	uitest.Sweep(t, func(w, h int, th *theme.Theme) string { return empty.m.View(image.Pt(w, h), th) })
	d := still(t, s, old...)
	views := map[string]func(){
		"list":   func() {},
		"pane":   func() { d.m.open, d.m.focus = true, onPane },
		"filter": func() { d.m.open = false; d.m.startFilter(); d.m.filter.SetValue(hostile[2]) },
		"menu":   func() { d.m.clearFilter(); d.Press("y") },
	}
	for _, name := range []string{"list", "pane", "filter", "menu"} {
		views[name]()
		for _, cursor := range []int{1, d.m.list.Len() - 1} {
			d.m.list.SetCursor(cursor)
			uitest.Sweep(t, func(w, h int, th *theme.Theme) string {
				d.Resize(image.Pt(w, h))
				drawn := d.Host.View(th)
				if got := kit.Size(drawn); got != image.Pt(w, h) {
					t.Errorf("%s: %v drawn in %dx%d", name, got, w, h)
				}
				return drawn
			})
			if t.Failed() {
				return
			}
		}
	}
}

// Only what is stored may look complete.
func TestFullBarOnlyForStored(t *testing.T) {
	d := still(t, busy())
	for _, line := range strings.Split(d.Text(), "\n")[3:] {
		line, _, _ = strings.Cut(line, "│")
		if full := strings.Contains(line, strings.Repeat("━", 8)); full != strings.Contains(line, "✓ stored") && strings.Contains(line, ".jpg") {
			t.Errorf("%s", line)
		}
	}
	d.seesNot("100 %")
	d.Sees("2 of 11 stored", "1 refused", "1 unsent", "1 unknown", "1 cancelled", "3.2 MB/s", "about 2 min left")
}

func TestSmallScreensTellOfTheRow(t *testing.T) {
	d := still(t, busy())
	d.Resize(image.Pt(40, 10))
	d.Sees("» sending 45 %", "four.jpg", "900 kB of 2 MB · 300 kB/s, 4 s left")
	d.Press("G", "enter")
	d.Sees("unsent", "The service did not like ten.jpg.", "Rename it.")
	d.Press("esc")
	d.Sees("refused")
	d.Resize(image.Pt(80, 22))
	d.Press("tab")
	d.Sees("two.jpg", "Nothing can have arrived", "1 unknown")
}

// Every key of every action that is offered does something, and one that is not
// offered says why.
func TestEveryKeyActs(t *testing.T) {
	print := func(d *desk) string {
		m := d.m
		return fmt.Sprint(m.list.Cursor(), m.focus, m.open, m.filter.Value(), m.Overlays().Top() != nil, m.moved, len(m.rows.removed), len(d.Out), m.pane, d.Text())
	}
	for state, keys := range map[string][]string{
		"list": {"j", "j", "j", "j", "j"}, "stored": {"j", "j", "j", "j", "j", "j"}, "pane": {"G", "tab", "j", "j", "j"}, "filter": {"/", "j", "down"},
		"filtered": {"/", "j", "p", "g", "enter", "j", "j", "j"}, "empty": nil,
	} {
		prepare := func() *desk {
			d := still(t, busy(), *plain(100, api.Refused, "old.jpg"))
			if state == "empty" {
				d = still(t, queue.Snapshot{})
			}
			d.Resize(image.Pt(118, 14))
			d.Press(keys...)
			d.Out = nil
			return d
		}
		for _, a := range prepare().m.Actions() {
			if a.Label() == "" || a.Group == "" || a.ID == "" {
				t.Errorf("%s: %q has no words", state, a.KeyLabel())
			}
			for _, k := range a.Keys.Keys() {
				d := prepare()
				if state == "empty" && a.Group == "Move" || d.m.Capturing() && kit.KeyMsg(k).Text != "" {
					continue // there is nothing to move in, or it is text
				}
				before := print(d)
				cmd, reason, used := d.Host.Press(kit.KeyMsg(k))
				switch {
				case a.Reason() != "":
					if used || reason == "" {
						t.Errorf("%s: %s does not say why not", state, k)
					}
				case !used || cmd == nil && print(d) == before:
					t.Errorf("%s: %s (%s) does nothing", state, k, a.Label())
				}
			}
		}
	}
}

func TestMouse(t *testing.T) {
	d := still(t, busy())
	d.Text()
	l := d.m.layout(d.Size)
	click := tea.MouseClickMsg{X: 20, Y: l.list.Min.Y + 5, Button: tea.MouseLeft}
	d.Send(click)
	if r, _ := d.m.current(); name(r.Job) != "nine.jpg" {
		t.Errorf("clicked on %s", name(r.Job))
	}
	d.Send(click)
	if d.m.focus != onPane {
		t.Error("a double click enters")
	}
	d.Send(tea.MouseClickMsg{X: 20, Y: l.list.Min.Y, Button: tea.MouseLeft})
	if d.m.focus != onList || d.m.list.Cursor() != 0 {
		t.Error("a click in the list goes there")
	}
	d.Send(tea.MouseWheelMsg{X: 20, Y: l.list.Min.Y, Button: tea.MouseWheelDown})
	d.Send(tea.MouseClickMsg{X: l.pane.Min.X + 2, Y: l.pane.Min.Y + 2, Button: tea.MouseLeft})
	if d.m.focus != onPane {
		t.Error("a click in the pane goes there")
	}
}

// TestLooks prints the screen for a person to look at.
func TestLooks(t *testing.T) {
	if os.Getenv("MEDIADESK_LOOK") == "" {
		t.Skip("set MEDIADESK_LOOK=1 to see the screen")
	}
	old := *plain(100, api.Refused, "old.jpg")
	for _, size := range []image.Point{{118, 32}, {100, 28}, {80, 20}, {40, 10}} {
		d := still(t, busy(), old)
		d.Size = size
		fmt.Printf("%v\n%s\n", size, d.Text())
		d.Press("G", "k", "k", "enter")
		fmt.Printf("%s\n", d.Text())
		d.Press("esc", "y")
		fmt.Printf("%s\n", d.Text())
	}
}
