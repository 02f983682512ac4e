package extensions

import (
	"crypto/sha256"
	"fmt"
	"image"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"go.uber.org/goleak"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/session"
	"mediadesk/api/watch"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

func TestMain(m *testing.M) {
	mediatest.TempInMemory()
	goleak.VerifyTestMain(m)
}

type driver struct {
	*uitest.Driver
	t     *testing.T
	m     *Model
	files *journal.Journal
	watch *watch.Watch
	ticks []tea.Msg // messages that the clock would send
	size  image.Point
	now   time.Time
}

func start(t *testing.T, w func(*journal.Journal) *watch.Watch) *driver {
	t.Helper()
	d := &driver{t: t, size: image.Pt(118, 32), now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.Local)}
	var err error
	d.files, err = journal.Open(t.Context(), filepath.Join(t.TempDir(), "state", "journal.db"))
	must(t, err)
	t.Cleanup(func() { must(t, d.files.Close()) })
	if w != nil {
		d.watch = w(d.files)
		d.now = time.Time{}
	} else {
		d.watch = watch.New(watch.Options{Journal: d.files, Profile: "home"})
	}
	return d
}

func (d *driver) open() { d.openWith(nil) }

func (d *driver) openWith(more func(*Options)) {
	d.t.Helper()
	o := Options{
		Watch: d.watch, Session: &service{Session: d.session()},
		Profile: session.Profile{Name: "home"}, Now: func() time.Time {
			if d.now.IsZero() {
				return time.Now()
			}
			return d.now
		},
	}
	if more != nil {
		more(&o)
	}
	d.m = New(o)
	d.Driver = uitest.Drive(d.t, page.Extensions, d.m, d.size, func(d2 *uitest.Driver) {
		d2.Host.Tick = func(_ time.Duration, then func(time.Time) tea.Msg) tea.Cmd {
			d.ticks = append(d.ticks, then(time.Time{}))
			return nil
		}
	})
}

func (d *driver) session() *session.Session {
	return &session.Session{Journal: d.files, Watch: d.watch, Profile: session.Profile{Name: "home"}}
}

func (d *driver) add(extension, place string, ago time.Duration, change ...func(*job.Run)) job.Run {
	d.t.Helper()
	run := job.Run{
		Profile: "home", FileID: "id" + place, FilePath: place, Extension: extension,
		Status: api.StatusPending, From: job.FromAnswer, Started: d.now.Add(-ago), At: d.now.Add(-ago),
		Answer: &api.File{FileID: "id" + place, FilePath: place, Raw: []byte(fmt.Sprintf(`{"fileId":%q,"n":%q}`, "id"+place, extension+ago.String()))},
	}
	for _, c := range change {
		c(&run)
	}
	must(d.t, d.files.AddRuns(d.t.Context(), []job.Run{run}))
	runs, err := d.files.Runs(d.t.Context(), job.RunFilter{FileID: run.FileID, Limit: 1})
	must(d.t, err)
	return runs[0]
}

func (d *driver) end(run job.Run, status api.Status, from string, ago time.Duration, record string) {
	d.t.Helper()
	run.Status, run.From, run.At = status, from, d.now.Add(-ago)
	if record != "" {
		run.Answer = &api.File{FileID: run.FileID, Raw: []byte(record)}
	}
	_, err := d.files.ApplyRun(d.t.Context(), run)
	must(d.t, err)
}

func (d *driver) hook(run job.Run) [32]byte {
	d.t.Helper()
	hash := sha256.Sum256([]byte(run.FileID))
	must(d.t, d.files.AddHook(d.t.Context(), job.Hook{
		Hash: hash, Profile: "home", FileID: run.FileID, Made: run.Started.Add(-time.Second), Expires: d.now.Add(time.Hour),
	}))
	return hash
}

func (d *driver) post(hash [32]byte, ago time.Duration, body string) {
	d.t.Helper()
	post, err := job.ParseHookPost([]byte(body))
	must(d.t, err)
	result, err := d.files.HookPost(d.t.Context(), hash, post, d.now.Add(-ago))
	must(d.t, err)
	if !result.Known {
		d.t.Fatal("the address is not known")
	}
}

func hooked(r *job.Run) { r.Webhook = true }

func (d *driver) names() string { return strings.Join(d.Column("Name"), " ") }

func one[T any](d *driver) T {
	d.t.Helper()
	return uitest.One[T](d.t, &d.Out)
}

var must = mediatest.Must
