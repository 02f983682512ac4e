package picker

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

type fixture struct {
	*uitest.Driver
	t   *testing.T
	m   *Model
	now time.Time
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
	d.Driver = uitest.Drive(t, page.Picker, d.m, image.Pt(118, 32))
	return d
}

func (d *fixture) open(folder, land string) {
	d.Run(d.m.open(folder, land))
	d.Send(page.Acted{})
}

func over[T kit.Overlay](d *fixture) T {
	o, _ := d.m.Overlays().Top().(T)
	return o
}

// rowsArea returns the rectangle of the rows.
func (d *fixture) rowsArea() image.Rectangle {
	return d.m.list.Inside()
}

// trayRows returns the upper left corner of the tray's rows.
func (d *fixture) trayRows() image.Point {
	_, tray := d.m.layout(d.Size)
	return insideTray(tray)
}

func (d *fixture) under(name string) {
	d.t.Helper()
	e, _ := d.m.current()
	if e.name != name {
		d.t.Errorf("the cursor is on %q, not on %q", e.name, name)
	}
}

func (d *fixture) rows() []string {
	var out []string
	for i := range d.m.shown.rows {
		e, _ := d.m.entryAt(i)
		out = append(out, e.name)
	}
	return out
}

func (d *fixture) tray() []string {
	var out []string
	for _, s := range d.m.tray.sources() {
		out = append(out, s.Name())
	}
	return out
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
	if err != nil {
		t.Fatal(err)
	}
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

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func file(path ...string) api.Source { return api.Source{Path: filepath.Join(path...)} }

func (t *tray) sources() []api.Source {
	out := make([]api.Source, len(t.items))
	for i, it := range t.items {
		out[i] = it.source
	}
	return out
}

// subs returns the subfolder of each source in the tray.
func (d *fixture) subs() []string {
	var out []string
	for _, s := range d.m.tray.sources() {
		out = append(out, s.Sub)
	}
	return out
}
