package uploads

import (
	"context"
	"fmt"
	"image"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"go.uber.org/goleak"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/queue"
	"mediadesk/api/session"
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
	o     Options
	m     *Model
	queue *queue.Queue
	files *journal.Journal
	dir   string
}

// start opens the screen with a queue that sends to the local library. before, if not nil, sees each request
// first and reports whether the library should answer it.
func start(t *testing.T, before func(http.ResponseWriter, *http.Request) bool, earlier ...job.Job) *driver {
	t.Helper()
	d := &driver{t: t, dir: t.TempDir()}
	var err error
	d.files, err = journal.Open(t.Context(), filepath.Join(d.dir, "state", "journal.db"))
	must(t, err)
	t.Cleanup(func() { must(t, d.files.Close()) })

	server := httptest.NewUnstartedServer(nil)
	library, err := local.Open(t.Context(), local.Options{
		Dir: filepath.Join(d.dir, "library"), Key: uitest.Key("private_test"), MaxSize: 1000,
		Address: "http://" + server.Listener.Addr().String(),
	})
	must(t, err)
	t.Cleanup(func() { must(t, library.Close()) })
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if before == nil || before(w, r) {
			library.ServeHTTP(w, r)
		}
	})
	server.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		c.(*net.TCPConn).SetReadBuffer(64 << 10)
		return ctx
	}
	server.Start()
	t.Cleanup(server.Close)
	client, err := api.NewClient(api.Options{
		UploadURL: server.URL, BaseURL: server.URL, Key: uitest.Key("private_test"),
	})
	must(t, err)
	t.Cleanup(client.Close)

	if len(earlier) > 0 {
		_, err := d.files.AddJobs(t.Context(), earlier)
		must(t, err)
	}
	d.queue = queue.New(queue.Options{
		Journal: d.files, Sender: client, Profile: "home", Fresh: len(earlier) == 0,
	})
	must(t, d.queue.Start(t.Context()))
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // do not wait for unfinished work
		must(t, d.queue.Close(ctx))
	})
	d.open(Options{
		Profile: session.Profile{Name: "home"},
		Session: &session.Session{Journal: d.files, Queue: d.queue, Client: client, Profile: session.Profile{Name: "home"}},
	})
	return d
}

// noJournal is the journal of an idle queue.
type noJournal struct{ queue.Journal }

func (noJournal) NoteJob(job.Job) {}

func (noJournal) Reopen(context.Context, string, []int64, func(*job.Job) bool) ([]job.Job, error) {
	return nil, nil
}

// still opens the screen with an idle queue and the given rows.
func still(t *testing.T, s queue.Snapshot, earlier ...job.Job) *driver {
	t.Helper()
	d := &driver{t: t, dir: t.TempDir(), queue: queue.New(queue.Options{Journal: noJournal{}})}
	var err error
	d.files, err = journal.Open(t.Context(), filepath.Join(d.dir, "journal.db"))
	must(t, err)
	t.Cleanup(func() { must(t, d.files.Close()) })
	jobs := earlier // the journal also has those of the queue
	for _, r := range s.Rows {
		jobs = append(jobs, *r.Job)
	}
	jobs, err = d.files.AddJobs(t.Context(), jobs)
	must(t, err)
	for i, r := range s.Rows {
		r.Job.ID = jobs[len(earlier)+i].ID
	}
	client, err := api.NewClient(api.Options{UploadURL: "http://127.0.0.1:1", BaseURL: "http://127.0.0.1:1"})
	must(t, err)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.Local)
	d.open(Options{
		Session:  &session.Session{Queue: d.queue, Client: client, Journal: d.files, Profile: session.Profile{Name: "home"}},
		Snapshot: func() queue.Snapshot { return s }, Now: func() time.Time { return now },
	})
	return d
}

func (d *driver) open(o Options) {
	d.o, d.m = o, New(o)
	d.Driver = uitest.Drive(d.t, page.Uploads, d.m, image.Pt(118, 32), func(d *uitest.Driver) {
		d.Drop = func(msg tea.Msg) bool { // tests send the ticks
			_, tick := msg.(watchTick)
			return tick
		}
	})
}

func (d *driver) write(name string, n int64) string {
	d.t.Helper()
	path := filepath.Join(d.dir, name)
	must(d.t, os.WriteFile(path, []byte("x"), 0o600))
	must(d.t, os.Truncate(path, n))
	return path
}

func (d *driver) job(name string, n int64, naming job.Naming) job.Job {
	d.t.Helper()
	path := d.write(name, n)
	id, err := api.Identify(path)
	must(d.t, err)
	j := job.Job{
		Profile: "home", Upload: api.Upload{Source: api.Source{Path: path}, FileName: name}, Identity: id,
		Naming: naming,
	}
	job.ApplyNaming(&j.Upload, naming)
	return j
}

func (d *driver) add(jobs ...job.Job) []job.Job {
	d.t.Helper()
	added, err := d.queue.Add(d.t.Context(), jobs)
	must(d.t, err)
	d.Send(page.JobsChanged{})
	return added
}

// until passes queue changes to the screen until it shows all words.
func (d *driver) until(words ...string) {
	d.t.Helper()
	d.wait(strings.Join(words, " "), func() bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(d.Text(), w) })
	})
}

// wait passes queue changes to the screen until holds returns true.
func (d *driver) wait(what string, holds func() bool) {
	d.t.Helper()
	late := time.After(time.Minute)
	for {
		d.Send(page.JobsChanged{})
		d.Send(page.Tick{})
		if holds() {
			return
		}
		tick := time.After(20 * time.Millisecond) // counters change without a message
		select {
		case <-d.queue.Changes():
		case <-tick:
		case <-late:
			d.t.Fatalf("waited for: %s\n%s", what, d.Text())
		}
	}
}

func (d *driver) names() string { return strings.Join(d.Column("Name"), " ") }

func one[T any](d *driver) T {
	d.t.Helper()
	return uitest.One[T](d.t, &d.Out)
}

var must = mediatest.Must

func plain(id int64, state job.State, file string) *job.Job {
	j := &job.Job{
		ID: id, Profile: "home", State: state, Naming: job.NameHere, Identity: api.Identity{Size: 2_000_000},
		Upload:  api.Upload{Source: api.Source{Path: "/pictures/" + file}, FileName: file},
		Updated: time.Date(2026, 5, 1, 11, 0, int(id), 0, time.Local), Created: time.Date(2026, 5, 1, 10, 0, 0, 0, time.Local),
	}
	job.ApplyNaming(&j.Upload, job.NameExact)
	j.Upload.OverwriteFile = api.Set(false)
	if state == job.Stored {
		j.File = &api.File{
			FileID: fmt.Sprint("id", id), Name: file, FilePath: "/" + file, URL: "https://media.example/" + file,
		}
	}
	if failed(state) {
		j.Failure = &job.Failure{Status: 400, Message: "the service did not like " + file, Help: "Rename it.", RequestID: "req-" + file}
	}
	return j
}

// busy returns a snapshot with a job in every state.
func busy() queue.Snapshot {
	rows := []queue.Row{
		{Job: plain(1, job.Stored, "one.jpg"), Sent: 2_000_000, Total: 2_000_000},
		{Job: plain(2, job.Refused, "two.jpg"), Total: 2_000_000},
		{Job: plain(3, job.Waiting, "three.jpg"), Total: 2_000_000},
		{Job: plain(4, job.Sending, "four.jpg"), Sent: 900_000, Total: 2_000_000},
		{Job: plain(5, job.Stored, "five.jpg"), Sent: 2_000_000, Total: 2_000_000},
		{Job: plain(6, job.Unknown, "six.jpg"), Total: 2_000_000},
		{Job: plain(7, job.Sending, "seven.jpg"), Sent: 100_000, Total: 2_000_000, Stalled: true},
		{Job: plain(8, job.Waiting, "eight.jpg"), Total: 2_000_000},
		{Job: plain(9, job.Canceled, "nine.jpg"), Total: 2_000_000},
		{Job: plain(10, job.Unsent, "ten.jpg"), Total: 2_000_000},
		{Job: plain(11, job.Sending, "eleven.jpg"), Sent: 2_000_000, Total: 2_000_000, Answer: true},
	}
	return queue.Snapshot{Rows: rows, Totals: queue.Totals{
		Jobs: 11, Count: map[job.State]int{job.Waiting: 2, job.Sending: 3, job.Stored: 2, job.Refused: 1, job.Unsent: 1, job.Canceled: 1, job.Unknown: 1},
		Sent: 7_000_000, Total: 14_000_000, Rate: 3_200_000, Left: 125 * time.Second,
	}}
}
