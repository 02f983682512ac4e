package uploads

import (
	"fmt"
	"image"
	"os"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/queue"
	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"

	tea "charm.land/bubbletea/v2"
)

func hostileRows() (queue.Snapshot, []api.Job) {
	s := busy()
	var old []api.Job
	for i, n := range uitest.HostileNames {
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
		"pane":   func() { d.m.list.OpenPane() },
		"filter": func() { d.Press("esc", "/"); d.m.list.SetFilter(uitest.HostileNames[2]) },
		"menu":   func() { d.Press("esc", "G", "y") },
	}
	for _, name := range []string{"list", "pane", "filter", "menu"} {
		views[name]()
		for _, cursor := range []int{1, d.m.list.Len() - 1} {
			d.m.list.GoTo(cursor)
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

// TestBarOnlyWhileSending: only running jobs have a bar; stored jobs show their target.
func TestBarOnlyWhileSending(t *testing.T) {
	d := still(t, busy())
	for _, line := range strings.Split(d.Text(), "\n")[3:31] {
		line, _, _ = strings.Cut(line, "│")
		if bar := strings.Contains(line, "━") || strings.Contains(line, "──"); bar != (strings.Contains(line, "» ") || strings.Contains(line, "! stalled")) {
			t.Errorf("%s", line)
		}
	}
	d.SeesNot("100 %")
	d.Sees("✓ stored       /one.jpg", "2 of 11 stored", "1 refused", "1 unsent", "1 unknown", "1 cancelled", "3.2 MB/s", "about 2 min left")
}

func TestSmallScreensTellOfTheRow(t *testing.T) {
	d := still(t, busy())
	d.Resize(image.Pt(40, 10))
	d.Press("j", "j", "j")
	d.Sees("» sending 45 %", "four.jpg", "900 kB of 2 MB · 300 kB/s, 4 s left")
	d.Press("k", "enter")
	d.Sees("unsent", "The service did not like ten.jpg.", "Rename it.")
	d.Press("esc")
	d.Sees("refused")
	d.Resize(image.Pt(80, 22))
	d.Press("tab")
	d.Sees("ten.jpg", "Nothing can have arrived", "1 unknown")
}

// TestEveryKeyWorks: every key of an enabled action does something, and a disabled action gives its reason.
func TestEveryKeyWorks(t *testing.T) {
	for state, keys := range map[string][]string{
		"list": {"j", "j", "j", "j", "j"}, "stored": {"G", "k", "k"}, "pane": {"tab", "j", "j", "j"}, "filter": {"/", "j", "down"},
		"filtered": {"/", "j", "p", "g", "enter", "j", "j", "j"}, "head": {"g", "k"}, "marked": {"j", "space", "space"}, "empty": nil,
	} {
		var d *driver
		prepare := func() *uitest.Driver {
			d = still(t, busy(), *plain(100, api.Refused, "old.jpg"))
			if state == "empty" {
				d = still(t, queue.Snapshot{})
			}
			d.Resize(image.Pt(118, 14))
			d.Press(keys...)
			return d.Driver
		}
		print := func() string {
			return fmt.Sprint(*d.m.list, d.m.Overlays().Top() != nil, len(d.m.rows.removed), d.Text())
		}
		uitest.EveryKey(t, state, prepare, print, func(a kit.Action) bool { return (state == "empty" || state == "head") && a.Group == "Move" })
	}
}

func TestMouse(t *testing.T) {
	d := still(t, busy())
	click := tea.MouseClickMsg{X: 20, Y: d.lineOf("nine.jpg"), Button: tea.MouseLeft}
	d.Send(click)
	if r, _ := d.m.current(); name(r.Job) != "nine.jpg" {
		t.Errorf("clicked on %s, want \"nine.jpg\"", name(r.Job))
	}
	d.Send(click)
	if !d.m.list.InPane() {
		t.Error("a double click enters")
	}
	click.Y = d.lineOf("11 to /")
	d.Send(click)
	if d.m.list.InPane() || d.m.list.Cursor() != 0 {
		t.Error("a click in the list does not focus it")
	}
	d.Send(click)
	if d.m.list.Len() != 1 {
		t.Error("a double click on a head folds its batch")
	}
	d.Send(tea.MouseWheelMsg{X: 20, Y: click.Y, Button: tea.MouseWheelDown})
	d.Send(tea.MouseClickMsg{X: 110, Y: 5, Button: tea.MouseLeft})
	if !d.m.list.InPane() {
		t.Error("a click in the pane does not focus it")
	}
}

// lineOf returns the line that contains words.
func (d *driver) lineOf(words string) int {
	d.t.Helper()
	for y, line := range strings.Split(d.Text(), "\n") {
		if strings.Contains(line, words) {
			return y
		}
	}
	d.t.Fatalf("no line shows %q:\n%s", words, d.Text())
	return 0
}

// TestLooks prints the screen for visual inspection.
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
