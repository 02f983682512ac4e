package queue

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"mediadesk/api"
)

// sized is a job of that many bytes.
func sized(name string, size int64) api.Job {
	j := job(name, api.NameExact)
	j.Identity.Size = size
	return j
}

// order adds jobs before anything may run, and returns the first letters of
// their names in the order in which they began.
func order(t *testing.T, concurrency int, change func(q *Queue, ids []int64), jobs ...api.Job) string {
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

// TestOrderByHand: what a person sends first goes first, the rest in the order
// of handing over, what goes last behind what comes later.
func TestOrderByHand(t *testing.T) {
	got := order(t, 1, func(q *Queue, ids []int64) {
		for _, err := range []error{q.First(t.Context(), ids[3]), q.Last(t.Context(), ids[0]), q.First(t.Context(), ids[4])} {
			if err != nil {
				t.Fatal(err)
			}
		}
		addAll(t, q, job("f.jpg", api.NameExact))
		if got := q.o.Journal.(*notes).job(ids[4]).Priority; got != 2 {
			t.Errorf("priority %d in the journal", got)
		}
	}, job("a.jpg", api.NameExact), job("b.jpg", api.NameExact), job("c.jpg", api.NameExact), job("d.jpg", api.NameExact), job("e.jpg", api.NameExact))
	if got != "edbcfa" {
		t.Errorf("began as %s", got)
	}
}

// TestSmallFilesDoNotWaitForLargeOnes: one place is kept from large files while
// much smaller ones wait; without those all places are theirs.
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
			t.Errorf("%d small ones stored, %d under way", totals.Stored, totals.Sending)
		}
	})
}

// TestBatchesEnd: the end of a batch is told once all of it has an outcome, and
// again after another try.
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
			t.Fatalf("told %q", told)
		}
		if err := retry(q, ids[1]); err != nil {
			t.Fatal(err)
		}
		outcome(t, q, ids[1])
		if fmt.Sprint(told) != "[x x]" {
			t.Errorf("told %q", told)
		}
	})
}

// TestJobsOfAProgramThatEndsAreTaken: a queue at work goes on with what another
// program left after it was started.
func TestJobsOfAProgramThatEndsAreTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newService(), newNotes()
		q := start(t, n, s)
		left, err := n.AddJobs(t.Context(), []api.Job{job("a.jpg", api.NameHere)})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		n.Release(t.Context(), jobIDs(left)) // its program finished
		for len(q.Snapshot().Rows) == 0 {
			<-q.Changes()
		}
		if got := outcome(t, q, left[0].ID); got.State != api.Stored {
			t.Errorf("it is %s", got.State)
		}
	})
}
