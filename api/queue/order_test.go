package queue

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"mediadesk/api"
)

// sized returns a job of that many bytes.
func sized(name string, size int64) api.Job {
	j := job(name, api.NameExact)
	j.Identity.Size = size
	return j
}

// startOrder adds jobs before any can run. It returns the first letters of their names in the order in
// which they started.
func startOrder(t *testing.T, concurrency int, change func(q *Queue, ids []int64), jobs ...api.Job) string {
	var began []string
	synctest.Test(t, func(t *testing.T) {
		s, n := newService(), newNotes()
		s.started = make(chan string, 100)
		q := New(Options{Journal: n, Sender: s, Profile: "home", Concurrency: concurrency})
		ids := addAll(t, q, jobs...)
		if change != nil {
			change(q, ids)
		}
		if err := q.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		closeNow(t, q)
		for close(s.started); ; {
			name, ok := <-s.started
			if !ok {
				return
			}
			began = append(began, name[:1])
		}
	})
	return strings.Join(began, "")
}

// TestOrderByHand: jobs that the user sends first go first, and the others in the order of queuing.
// Jobs that go last are sent after later ones.
func TestOrderByHand(t *testing.T) {
	got := startOrder(t, 1, func(q *Queue, ids []int64) {
		for _, err := range []error{q.First(t.Context(), ids[3]), q.Last(t.Context(), ids[0]), q.First(t.Context(), ids[4])} {
			if err != nil {
				t.Fatal(err)
			}
		}
		addAll(t, q, job("f.jpg", api.NameExact))
		if got := q.o.Journal.(*notes).job(ids[4]).Priority; got != 2 {
			t.Errorf("priority %d in the journal, want 2", got)
		}
	}, job("a.jpg", api.NameExact), job("b.jpg", api.NameExact), job("c.jpg", api.NameExact), job("d.jpg", api.NameExact), job("e.jpg", api.NameExact))
	if got != "edbcfa" {
		t.Errorf("got the order %s, want \"edbcfa\"", got)
	}
}

// TestSmallFilesDoNotWaitForLargeOnes: one slot is kept free of large files while much smaller ones
// wait. Without small files large ones use all slots.
func TestSmallFilesDoNotWaitForLargeOnes(t *testing.T) {
	const large, small = 300 << 20, 20_000
	synctest.Test(t, func(t *testing.T) {
		s, n := newService(), newNotes()
		for _, letter := range "abcd" {
			s.by(string(letter), hangs)
		}
		q := start(t, n, s, func(o *Options) { o.Concurrency = 3 })
		var jobs []api.Job
		for i := range 24 {
			size := int64(small)
			if i < 4 {
				size = large
			}
			jobs = append(jobs, sized(fmt.Sprintf("%c.jpg", 'a'+i), size))
		}
		addAll(t, q, jobs...)
		synctest.Wait()
		totals := q.Snapshot().Totals
		if totals.Stored != 20 || totals.Sending != 3 {
			t.Errorf("%d small files stored, %d uploads under way", totals.Stored, totals.Sending)
		}
	})
}

// TestBatchesEnd: the end of a batch is reported when all its jobs have an outcome, and again after a
// retry.
func TestBatchesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newService().by("b", refused401), newNotes()
		var told []string
		q := start(t, n, s, func(o *Options) {
			o.BatchDone = func(_ context.Context, batch string) { told = append(told, batch) }
		})
		a, b, c := job("a.jpg", api.NameHere), job("b.jpg", api.NameHere), job("c.jpg", api.NameHere)
		a.Batch, b.Batch = "x", "x"
		ids := addAll(t, q, a, b, c)
		for _, id := range ids {
			outcome(t, q, id)
		}
		if fmt.Sprint(told) != "[x]" {
			t.Fatalf("got the reports %q", told)
		}
		if err := retry(q, ids[1]); err != nil {
			t.Fatal(err)
		}
		outcome(t, q, ids[1])
		if fmt.Sprint(told) != "[x x]" {
			t.Errorf("got the reports %q", told)
		}
	})
}

// TestJobsOfAProgramThatEndsAreTaken: a running queue takes over jobs when the program that has them
// ends.
func TestJobsOfAProgramThatEndsAreTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newService(), newNotes()
		q := start(t, n, s)
		left, err := n.AddJobs(t.Context(), []api.Job{job("a.jpg", api.NameHere)})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		n.Release(t.Context(), jobIDs(left)) // the program with these jobs ends
		for len(q.Snapshot().Rows) == 0 {
			<-q.Changes()
		}
		if got := outcome(t, q, left[0].ID); got.State != api.Stored {
			t.Errorf("the job is %s, want %v", got.State, api.Stored)
		}
	})
}
