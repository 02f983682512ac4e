package queue_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/local"
	"mediadesk/api/queue"
	"mediadesk/api/rule"
)

// always applies the same mishap to every upload.
func always(what mishap) func(string) mishap { return func(string) mishap { return what } }

// once applies a mishap to the first upload only.
func once(what mishap) func(string) mishap {
	var sent atomic.Bool
	return func(string) mishap {
		if sent.Swap(true) {
			return fine
		}
		return what
	}
}

// recognition is what happens to an upload whose response is lost, and the state that follows.
type recognition struct {
	name    string
	naming  job.Naming
	what    mishap
	jobs    int
	private bool
	between func(t *testing.T, s *local.Server) // called before sending
	want    job.State
}

// TestWhatIsFoundIsRecognized: if a repeat could be stored twice, a file counts as the one that was
// sent only if it cannot be another one.
func TestWhatIsFoundIsRecognized(t *testing.T) {
	tests := []recognition{
		{name: "with a suffix", naming: job.NameService, what: lostAnswer, jobs: 1, want: job.Stored},
		{name: "exactly that name", naming: job.NameExact, what: lostAnswer, jobs: 1, want: job.Stored},
		{name: "over another content of the same size", naming: job.NameExact, what: lostAnswer, jobs: 1, between: put("/", "f00000.txt", 'y', "n0"), want: job.Stored},
		{name: "another content of the same size was there", naming: job.NameExact, what: lostRequest, jobs: 1, between: put("/", "f00000.txt", 'y', "n0"), want: job.Unknown},
		{name: "the same content was there", naming: job.NameExact, what: lostRequest, jobs: 1, between: put("/", "f00000.txt", 'x', "n0"), want: job.Unknown},
		{name: "the same content was there, with a suffix", naming: job.NameService, what: lostRequest, jobs: 1, between: put("/", "f00000_abcdefghi.txt", 'x', "n0"), want: job.Unknown},
		{name: "the same file twice at once", naming: job.NameService, what: lostAnswer, jobs: 2, want: job.Unknown},
		{name: "it cannot be read back", naming: job.NameService, what: lostAnswer, jobs: 1, private: true, want: job.Unknown},
		{name: "an exact name", naming: exactKeep, what: lostAnswer, jobs: 1, want: job.Stored},
		{name: "an exact name with another content of the same size", naming: exactKeep, what: lostRequest, jobs: 1, between: put("/", "f00000.txt", 'y', "n0"), want: job.Refused},
		{name: "an exact name with the same content", naming: exactKeep, what: lostRequest, jobs: 1, between: put("/", "f00000.txt", 'x', "n0"), want: job.Unknown},
		{name: "not there", naming: job.NameService, what: lostRequest, jobs: 1, want: job.Unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, tt.run)
	}
}

// run sends the jobs and checks their outcomes.
func (tt recognition) run(t *testing.T) {
	t.Parallel()
	s := openLibrary(t)
	path := filepath.Join(t.TempDir(), "f00000.txt")
	must(t, os.WriteFile(path, []byte(strings.Repeat("x", 1000)), 0o600))
	id, err := api.Identify(path)
	must(t, err)
	if tt.between != nil {
		tt.between(t, s)
	}
	attempts := 1
	choose := always(tt.what)
	if tt.jobs > 1 {
		var begun sync.WaitGroup
		begun.Add(tt.jobs)
		choose = func(string) mishap {
			begun.Done()
			begun.Wait()
			return tt.what
		}
	}
	p := newProxy(t, s.Address, choose, nil)
	if tt.naming == exactKeep { // it is repeated
		attempts = 2
		p = newProxy(t, s.Address, once(tt.what), nil)
	}
	q := work(t, queue.Options{
		Journal: openJournal(t), Sender: clientOf(t, p.address, "recognize", 0), Profile: "home", Concurrency: 2,
	})
	var jobs []job.Job
	for range tt.jobs {
		u := api.Upload{
			Source: api.Source{Path: path}, FileName: "f00000.txt", Tags: api.Set([]string{"n0"}),
		}
		if tt.private {
			u.IsPrivateFile = api.Set(true)
		}
		naming := tt.naming
		if naming == exactKeep {
			naming, u.OverwriteFile = job.NameExact, api.Set(false)
		}
		job.ApplyNaming(&u, naming)
		jobs = append(jobs, job.Job{Upload: u, Naming: naming, Identity: id})
	}
	added, err := q.Add(t.Context(), jobs)
	must(t, err)
	finished, err := q.Wait(context.Background(), idsOf(added))
	must(t, err)
	for _, j := range finished {
		if j.State != tt.want || j.Attempts != attempts {
			t.Errorf("%s after %d attempts, want %s: %+v", j.State, j.Attempts, tt.want, j.Failure)
		}
		if j.State == job.Stored &&
			(j.File == nil || j.Evidence != job.SurelyStored || j.Failure != nil) {
			t.Errorf("got the stored job %+v", j)
		}
	}
}

// put stores 1,000 bytes of one letter in the library itself.
func put(folder, name string, letter byte, tag string) func(*testing.T, *local.Server) {
	return func(t *testing.T, s *local.Server) {
		path := filepath.Join(t.TempDir(), name)
		must(t, os.WriteFile(path, []byte(strings.Repeat(string(letter), 1000)), 0o600))
		c := clientOf(t, s.Address, "put", 0)
		u := &api.Upload{
			Source: api.Source{Path: path}, FileName: name, Folder: api.Set(folder),
			UseUniqueFileName: api.Set(false), Tags: api.Set([]string{tag}),
		}
		f, err := c.Upload(t.Context(), u, nil)
		must(t, err)
		for !time.Now().Truncate(time.Millisecond).After(rule.Updated(f)) {
			runtime.Gosched() // the times of records have a resolution of milliseconds
		}
	}
}
