package picker

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

type fixture struct {
	*uitest.Driver
	t     *testing.T
	m     *Model
	now   time.Time
	watch tea.Msg // the next check of the folder
}

// start opens a picker on a folder and waits until it is idle.
func start(t *testing.T, o Options) *fixture {
	t.Helper()
	d := &fixture{t: t, now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	if o.Now == nil {
		o.Now = func() time.Time { return d.now }
	}
	d.m = New(o)
	statTimeout = time.Minute // busy machines need more time
	d.Driver = uitest.Drive(t, page.Picker, d.m, image.Pt(118, 32), func(driver *uitest.Driver) {
		at := driver.Host.Tick
		driver.Host.Tick = func(delay time.Duration, then func(time.Time) tea.Msg) tea.Cmd {
			if delay != o.WatchInterval {
				return at(delay, then)
			}
			d.watch = then(d.now)
			return nil
		}
	})
	return d
}

// open goes to a folder, or to a file in its folder.
func (d *fixture) open(path ...string) {
	d.Press("c")
	d.Send(tea.PasteMsg{Content: filepath.Join(path...)})
	d.Press("enter")
}

// in checks which folder is shown.
func (d *fixture) in(folder string) {
	d.t.Helper()
	if box, _ := d.Box(folder + " ─"); box == nil {
		d.t.Errorf("another folder is shown, want %s:\n%s", folder, d.Text())
	}
}

func over[T kit.Overlay](d *fixture) T {
	o, _ := d.m.Overlays().Top().(T)
	return o
}

// trayRows returns the upper left corner of the tray's rows.
func (d *fixture) trayRows() image.Point { return d.Find("─ To upload").Add(image.Pt(0, 1)) }

func (d *fixture) inTray() bool { return d.Focused("To upload") && !d.Focused("/") }

func (d *fixture) under(name string) {
	d.t.Helper()
	if got := strings.TrimSuffix(d.Under(), "/"); got != name {
		d.t.Errorf("the cursor is on %q, not on %q:\n%s", got, name, d.Text())
	}
}

func (d *fixture) rows() (names []string) {
	for _, name := range d.Column("Name") {
		names = append(names, strings.TrimSuffix(name, "/"))
	}
	return names
}

// picked returns what the equivalent command uploads: the paths and URLs in the tray.
func (d *fixture) picked() []string {
	if status := d.m.Status(image.Pt(100, 1), d.Theme); strings.Contains(strings.Join(status, ""), "Nothing picked yet") {
		return nil
	}
	return d.m.Commands()[0][1:]
}

func (d *fixture) tray() (names []string) {
	for _, path := range d.picked() {
		names = append(names, filepath.Base(path))
	}
	return names
}

// form returns the sources for which u opens the form.
func (d *fixture) form() []api.Source {
	d.t.Helper()
	d.Press("u")
	return uitest.One[page.Compose](d.t, &d.Out).Sources
}

func (d *fixture) toasts() []page.Toast { return taken[page.Toast](d) }

func taken[T any](d *fixture) []T { return uitest.Taken[T](&d.Out) }

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// folder creates a folder with files of 10 bytes. Names ending in / are folders.
func folder(t *testing.T, names ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for _, n := range names {
		path := filepath.Join(dir, n)
		if strings.HasSuffix(n, "/") {
			must(t, os.MkdirAll(path, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte("0123456789"), 0o644))
	}
	return dir
}

var must = mediatest.Must

func file(path ...string) api.Source { return api.Source{Path: filepath.Join(path...)} }

// subs returns the subfolder of each source in the tray.
func (d *fixture) subs() []string {
	var out []string
	for _, s := range d.form() {
		out = append(out, s.Sub)
	}
	return out
}
