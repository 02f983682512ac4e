package queue

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
)

func oneAtATime(o *Options) { o.Concurrency = 1 }

func TestRunsInOrderAndNotTooManyAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService().by("a", hangs).by("b", hangs).by("c", hangs)
		s.started = make(chan string, 100)
		q := start(t, newNotes(), s)
		ids := addAll(t, q, newJobs(job.NameService, "a.jpg", "b.jpg", "c.jpg", "d.jpg")...)
		synctest.Wait()
		mediatest.Equal(t, len(s.started), 3, "attempts at a time")
		if got := q.Snapshot().Totals; got.Count[job.Sending] != 3 || got.Count[job.Waiting] != 1 {
			t.Errorf("totals %+v", got)
		}
		q.SetConcurrency(4)
		synctest.Wait()
		mediatest.Equal(t, len(s.started), 4, "attempts after the limit was raised to four")
		if got := outcome(t, q, ids[3]); got.State != job.Stored {
			t.Errorf("%+v", got)
		}
	})
}

func TestFailedOnesGoLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(refused401)
		s.started = make(chan string, 100)
		q := start(t, newNotes(), s, oneAtATime)
		ids := addAll(t, q, newJob("a.jpg", job.NameService))
		if got := outcome(t, q, ids[0]); got.State != job.Refused {
			t.Fatal(got.State)
		}
		more := addAll(t, q, newJob("b.jpg", job.NameService))
		must(t, retry(q, ids[0]))
		if got := outcome(t, q, ids[0]); got.State != job.Stored || got.Attempts != 2 {
			t.Errorf("%+v", got)
		}
		outcome(t, q, more[0])
		close(s.started)
		var order []string
		for name := range s.started {
			order = append(order, name)
		}
		if !slices.Equal(order, []string{"a.jpg", "b.jpg", "a.jpg"}) {
			t.Errorf("sent in the order %v", order)
		}
		rows := q.Snapshot().Rows
		if rows[0].Job.ID != more[0] || rows[1].Job.ID != ids[0] {
			t.Error("the retried job is not shown last")
		}
		if err := retry(q, ids[0]); err == nil {
			t.Error("a stored job can be retried")
		}
	})
}

func TestCancel(t *testing.T) {
	tests := []struct {
		name   string
		naming job.Naming
		fault  fault
		noList bool
		want   job.State
	}{
		{"in the middle", job.NameHere, hangs, true, job.Canceled},
		{"everything out, can be looked up", job.NameHere, hangsStored, false, job.Stored},
		{"everything out, cannot be looked up", job.NameHere, hangsStored, true, job.Unknown},
		{"everything out, suffix by the service", job.NameService, hangsStored, false, job.Unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, n := newService(tt.fault), newNotes()
				s.noList = tt.noList
				q := start(t, n, s, oneAtATime)
				ids := addAll(t, q, newJob("a.jpg", tt.naming), newJob("b.jpg", tt.naming))
				synctest.Wait()
				must(t, errors.Join(q.Cancel(ids[1]), q.Cancel(ids[0])))
				_ = q.Cancel(ids[0]) // changes nothing, also if the job has ended meanwhile
				if got := outcome(t, q, ids[0]); got.State != tt.want || n.job(ids[0]).State != tt.want {
					t.Errorf("%s, want %s; %+v", got.State, tt.want, got.Failure)
				}
				if got := outcome(t, q, ids[1]); got.State != job.Canceled || got.Attempts != 0 {
					t.Errorf("the one in line is %s", got.State)
				}
				mediatest.Equal(t, s.sent("b.jpg"), 0, "a canceled job was sent")
			})
		})
	}
}

// TestCloseLeavesTheRest: uploads under way are interrupted after the waiting time. They stay in the
// journal, and the next queue sends them once.
func TestCloseLeavesTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newService().by("a", hangs).by("b", hangsStored).by("c", hangsStored), newNotes()
		q := start(t, n, s)
		ids := addAll(t, q, newJob("a.jpg", job.NameHere), newJob("b.jpg", job.NameHere),
			newJob("c.jpg", job.NameService), newJob("d.jpg", job.NameService))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		began := time.Now()
		must(t, q.Close(ctx))
		mediatest.Equal(t, time.Since(began), 5*time.Second, "Close took")
		for _, id := range ids {
			if kept := n.job(id); kept.State != job.Waiting {
				t.Errorf("%s is %s, want %v", kept.Upload.FileName, kept.State, job.Waiting)
			}
		}
		_, err := q.Add(t.Context(), []job.Job{newJob("e.jpg", job.NameHere)})
		if !errors.Is(err, ErrClosed) {
			t.Errorf("Add after Close: %v", err)
		}
		if err := q.Cancel(ids[0]); !errors.Is(err, ErrClosed) {
			t.Errorf("Cancel after Close: %v", err)
		}
		q = start(t, n, s)
		jobs, err := q.Wait(t.Context(), nil)
		if err != nil || len(jobs) != 5 {
			t.Fatalf("%d jobs, %v, want 5", len(jobs), err)
		}
		for i, want := range []job.State{job.Stored, job.Stored, job.Unknown, job.Stored, job.Stored} {
			mediatest.Equal(t, jobs[i].State, want, "%s", jobs[i].Upload.FileName)
			if name := jobs[i].Upload.FileName[:1]; s.copies(name) != 1 {
				t.Errorf("%s was stored %d times, want 1", name, s.copies(name))
			}
		}
	})
}

// TestChangedSource: a source that changed after it was queued is not sent, unless the user asks again.
func TestChangedSource(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(path string) error
		words  string
	}{
		{"longer", func(p string) error { return os.WriteFile(p, []byte("longer"), 0o600) }, "changed"},
		{"same size, later", func(p string) error { return os.Chtimes(p, time.Time{}, time.Unix(1, 0)) }, "changed"},
		{"gone", os.Remove, "does not exist"},
		{"a folder now", func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o700)) }, "is a folder"},
		{"replaced", func(p string) error {
			return errors.Join(os.WriteFile(p+"2", []byte("text"), 0o600), os.Rename(p+"2", p))
		}, "changed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.txt")
			must(t, os.WriteFile(path, []byte("text"), 0o600))
			id, err := api.Identify(path)
			must(t, err)
			j := newJob("a.txt", job.NameHere)
			j.Upload.Source, j.Identity = api.Source{Path: path}, id
			s := newService()
			q := start(t, newNotes(), s)
			must(t, tt.change(path))
			got := outcome(t, q, addAll(t, q, j)[0])
			if got.State != job.Unsent || got.Attempts != 0 ||
				!strings.Contains(got.Failure.Message, tt.words) {
				t.Errorf("%s after %d attempts: %+v", got.State, got.Attempts, got.Failure)
			}
			if tt.words != "changed" {
				return
			}
			_, err = q.Retry(t.Context(), []int64{got.ID})
			must(t, err)
			if got = outcome(t, q, got.ID); got.State != job.Stored {
				t.Errorf("sent again: %s, %+v", got.State, got.Failure)
			}
		})
	}
}

// TestFullDisk: the disk of the journal and of the library is full. Nothing is stored, and the
// failure names the reason.
func TestFullDisk(t *testing.T) {
	for f, want := range map[fault]string{full507: "not sent, because", lostBefore: "not sent again, because"} {
		synctest.Test(t, func(t *testing.T) {
			s, n := newService(f), newNotes()
			n.fail = func(job.Job) error { return errors.New("no space left on device") }
			q := start(t, n, s)
			got := outcome(t, q, addAll(t, q, newJob("a.jpg", job.NameHere))[0])
			if got.State != job.Unsent || s.copies("a") != 0 ||
				!strings.Contains(got.Failure.Message, "no space left on device") {
				t.Errorf("%s: %s, %+v", f, got.State, got.Failure)
			}
			if !strings.HasPrefix(got.Failure.Message, want) {
				t.Errorf("%s: it says %q", f, got.Failure.Message)
			}
		})
	}
}

func TestAnOutcomeThatCannotBeKeptIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newService(), newNotes()
		failures := 2
		n.fail = func(j job.Job) error {
			if j.State == job.Stored && failures != 0 {
				failures--
				return errors.New("disk full")
			}
			return nil
		}
		q := start(t, n, s)
		id := addAll(t, q, newJob("a.jpg", job.NameHere))[0]
		if got := outcome(t, q, id); got.State != job.Stored || n.job(id).State != job.Stored ||
			q.Snapshot().Err != nil {
			t.Errorf("%s, in the journal %s, %v", got.State, n.job(id).State, q.Snapshot().Err)
		}
		failures = -1
		id = addAll(t, q, newJob("b.jpg", job.NameHere))[0]
		if got := outcome(t, q, id); got.State != job.Stored || q.Snapshot().Err == nil {
			t.Errorf("%s, %v", got.State, q.Snapshot().Err)
		}
	})
}

func TestPrepareAndEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotes()
		s := &recorder{service: newService(dial)}
		var answered []job.Job
		calls := 0
		q := start(t, n, s, func(o *Options) {
			o.Prepare = func(_ context.Context, j job.Job) (*api.Upload, error) {
				calls++
				if j.Upload.FileName == "bad.jpg" {
					return nil, errors.New("no key")
				}
				u := j.Upload
				u.WebhookURL = api.Set(fmt.Sprint("http://127.0.0.1/hook/", calls))
				return &u, nil
			}
			o.Ended = func(_ context.Context, j job.Job) { answered = append(answered, j) }
		})
		id := addAll(t, q, newJob("a.jpg", job.NameService))[0]
		if got := outcome(t, q, id); got.State != job.Stored || got.Upload.WebhookURL.IsSet() ||
			n.job(id).Upload.WebhookURL.IsSet() {
			t.Errorf("the address was kept: %+v", got)
		}
		if !slices.Equal(s.hooks, []string{"http://127.0.0.1/hook/1", "http://127.0.0.1/hook/2"}) {
			t.Errorf("sent with %v", s.hooks)
		}
		if len(answered) != 1 || answered[0].File == nil || answered[0].ID != id {
			t.Errorf("answered %+v", answered)
		}
		got := outcome(t, q, addAll(t, q, newJob("bad.jpg", job.NameService))[0])
		if got.State != job.Unsent || got.Failure.Message != "no key" || got.Attempts != 0 {
			t.Errorf("%+v", got)
		}
	})
}

type recorder struct {
	*service
	hooks []string
}

func (r *recorder) Upload(ctx context.Context, u *api.Upload, p *api.Progress) (*api.File, error) {
	r.hooks = append(r.hooks, u.WebhookURL.Or(""))
	return r.service.Upload(ctx, u, p)
}

// TestRetryOfUnknownIsAPersonsDecision: an unknown upload is sent again when the user asks for it,
// even if it could be stored twice, but not if the facts have changed since.
func TestRetryOfUnknownIsAPersonsDecision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(lostBefore, dial, cut, fine)
		q := start(t, newNotes(), s)
		id := addAll(t, q, newJob("a.jpg", job.NameService))[0]
		if got := outcome(t, q, id); got.State != job.Unknown {
			t.Fatal(got.State)
		}
		must(t, retry(q, id))
		if got := outcome(t, q, id); got.State != job.Stored || got.Attempts != 4 || s.copies("a") != 1 {
			t.Errorf("%s after %d", got.State, got.Attempts)
		}
		s.faults = []fault{lostBefore, lostAnswer, fine}
		id = addAll(t, q, newJob("b.jpg", job.NameService))[0]
		outcome(t, q, id)
		must(t, retry(q, id))
		if got := outcome(t, q, id); got.State != job.Unknown || got.Attempts != 2 || s.copies("b") != 1 {
			t.Errorf("%s after %d, %d copies", got.State, got.Attempts, s.copies("b"))
		}
	})
}

func TestRemove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService().by("a", hangs).by("b", refused401)
		n := newNotes()
		q := start(t, n, s)
		ids := addAll(t, q, newJobs(job.NameHere, "a.jpg", "b.jpg", "c.jpg")...)
		outcome(t, q, ids[1])
		outcome(t, q, ids[2])
		var state *StateError
		if err := q.Remove(ids[0]); !errors.As(err, &state) {
			t.Errorf("a job under way can be removed: %v", err)
		}
		for _, id := range ids[1:] {
			must(t, q.Remove(id))
		}
		if rows := q.Snapshot().Rows; len(rows) != 1 || rows[0].Job.ID != ids[0] {
			t.Errorf("got %d rows", len(rows))
		}
		for _, err := range []error{q.Remove(ids[2]), retry(q, ids[2]), q.Cancel(ids[2]), q.Cancel(99)} {
			if !errors.Is(err, ErrNoJob) {
				t.Errorf("%v", err)
			}
		}
		mediatest.Equal(t, n.job(ids[1]).State, job.Refused, "the journal lost the job")
	})
}

func TestFreshLeavesWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotes()
		added, _ := n.AddJobs(t.Context(),
			[]job.Job{newJob("a.jpg", job.NameHere), newJob("b.jpg", job.NameHere)})
		n.Release(t.Context(), job.IDs(added))
		q := start(t, n, newService(), func(o *Options) { o.Fresh = true })
		synctest.Wait()
		mediatest.Equal(t, len(q.Snapshot().Rows), 0, "the queue took a waiting job")
		jobs, err := q.Resume(t.Context(), []int64{added[1].ID})
		if err != nil || len(jobs) != 1 {
			t.Fatal(jobs, err)
		}
		if got := outcome(t, q, added[1].ID); got.State != job.Stored {
			t.Error(got.State)
		}
	})
}
