package uploads

import (
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/queue"
	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

func hostileRows() (queue.Snapshot, []job.Job) {
	s := busy()
	var old []job.Job
	for i, n := range uitest.HostileNames {
		r := s.Rows[i%len(s.Rows)]
		j := *r.Job
		j.ID = int64(200 + i)
		j.Upload.FileName, j.Upload.Source.Path = n, "/pictures/"+n
		j.Upload.Tags = api.Set([]string{n, "x"})
		if j.Failure != nil {
			j.Failure = &job.Failure{Status: 500, Message: n + "\nsecond line", Help: n, RequestID: n}
		}
		if j.File != nil {
			j.File = &api.File{Name: n, FilePath: "/" + n, URL: "https://h/" + n, FileID: n}
		}
		r.Job = &j
		s.Rows = append(s.Rows, r)
		early := j
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
		"pane":   func() { d.Press("tab") },
		"filter": func() { d.Press("/"); d.Type(uitest.HostileNames[2]) },
		"menu":   func() { d.Press("y") },
	}
	for _, name := range []string{"list", "pane", "filter", "menu"} {
		for _, to := range []string{"g", "G"} {
			d.Press("esc", "esc", "esc", to)
			views[name]()
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

// TestBarOnlyWhileSending: only running jobs and unfinished folders have a bar.
func TestBarOnlyWhileSending(t *testing.T) {
	d := still(t, busy())
	for _, line := range strings.Split(d.Text(), "\n")[3:31] {
		line, _, _ = strings.Cut(line, "│")
		if strings.Contains(line, " of ") {
			continue // the folder
		}
		bar := strings.Contains(line, "━") || strings.Contains(line, "──")
		if bar != (strings.Contains(line, "» sending") || strings.Contains(line, "! stalled")) {
			t.Errorf("%s", line)
		}
	}
	d.SeesNot("100 %")
	d.Sees("2 of 11 · 1 refused", "2 of 11 stored", "1 refused · 1 unsent", "3.2 MB/s · about 2 min left")
}

// TestNextTryInTheRow: a narrow row says when an upload is tried again, not the status of the last response.
func TestNextTryInTheRow(t *testing.T) {
	j := plain(1, job.Waiting, "one.jpg")
	j.Failure = &job.Failure{Status: 503, Message: strings.Repeat("many words ", 9)}
	d := still(t, queue.Snapshot{Rows: []queue.Row{{Job: j, Total: 10, Next: time.Now()}}})
	d.Resize(image.Pt(80, 22))
	d.Sees("waiting · retrying")
}

func TestSmallScreensTellOfTheRow(t *testing.T) {
	d := still(t, busy())
	d.Resize(image.Pt(40, 10))
	d.Press("j", "j", "j", "j", "j")
	d.Sees("» sending 45 %", "four.jpg", "900 kB of 2 MB")
	d.Press("k", "k", "k", "enter")
	d.Sees("unsent", "The service did not like ten.jpg.", "Rename it.")
	d.Press("esc")
	d.Sees("refused")
	d.Resize(image.Pt(80, 22))
	d.Press("tab")
	d.Sees("ten.jpg", "Nothing can have arrived", "? unknown")
}

// TestEveryKeyWorks: every key of an enabled action does something, and a disabled action gives its reason.
func TestEveryKeyWorks(t *testing.T) {
	mediatest.SkipRacing(t)
	mediatest.OnlyWithEverything(t)
	for state, keys := range map[string][]string{
		"list": {"j", "j", "j", "j", "j"}, "stored": {"G", "k", "k"}, "pane": {"tab", "j", "j", "j"}, "filter": {"/", "j", "down"},
		"filtered": {"/", "j", "p", "g", "enter", "j", "j", "j"}, "head": {"g", "k"}, "marked": {"j", "space", "space"}, "empty": nil,
	} {
		d := still(t, busy(), *plain(100, job.Refused, "old.jpg"))
		if state == "empty" {
			d = still(t, queue.Snapshot{})
		}
		prepare := func() *uitest.Driver {
			d.open(d.o)
			d.Resize(image.Pt(118, 10))
			d.Press(keys...)
			return d.Driver
		}
		uitest.EveryKey(t, state, prepare,
			func(a kit.Action) bool { return (state == "empty" || state == "head") && a.Group == "Cursor" })
	}
}
