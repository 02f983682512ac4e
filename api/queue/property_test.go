package queue

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"mediadesk/api/job"
)

// TestWhateverHappens gives a queue random jobs, faults, cancels, retries and restarts. In
// the end its claims match the library, no name that the client made is stored twice, and the journal
// agrees.
func TestWhateverHappens(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		// rapid measures its time outside the bubble, and its panics must leave the bubble.
		var failed any
		synctest.Test(t, func(*testing.T) {
			defer func() { failed = recover() }()
			checkRandomRun(rt)
		})
		if failed != nil {
			panic(failed)
		}
	})
}

var anyFault = rapid.SampledFrom([]fault{
	fine, fine, dial, cut, lostBefore, lostAnswer, broken500, broken502, early500, busy503, slow429,
	refused401, refused400, noRecord, hangs, hangsStored,
})

// randomJob returns a job with a random naming. The service answers its requests with random faults.
func randomJob(t *rapid.T, s *service, letter string) job.Job {
	s.mu.Lock()
	s.perName[letter] = rapid.SliceOfN(anyFault, 0, 7).Draw(t, "faults")
	s.mu.Unlock()
	naming := rapid.SampledFrom([]job.Naming{
		job.NameHere, job.NameHere, job.NameService, job.NameExact, exactKeep,
	}).Draw(t, "naming")
	return newJob(letter+".jpg", naming)
}

func checkRandomRun(t *rapid.T) {
	s := newService()
	s.noList = rapid.Bool().Draw(t, "no listing")
	s.wait = rapid.SampledFrom([]time.Duration{0, time.Minute}).Draw(t, "wait")
	n := newNotes()
	o := Options{
		Journal: n, Sender: s, Profile: "home", Concurrency: rapid.IntRange(1, 4).Draw(t, "concurrency"),
	}
	q := New(o)
	must(t, q.Start(context.Background()))
	leave := func(timeout time.Duration) {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		must(t, q.Close(ctx))
	}
	defer func() { leave(0) }()
	restart := func(timeout time.Duration) {
		leave(timeout)
		q = New(o)
		must(t, q.Start(context.Background()))
	}

	var ids []int64
	retried := map[int64]bool{}
	add := func(t *rapid.T) {
		if len(ids) == 26 {
			return
		}
		added, err := q.Add(context.Background(), []job.Job{randomJob(t, s, string(rune('a'+len(ids))))})
		must(t, err)
		ids = append(ids, added[0].ID)
	}
	pick := func(t *rapid.T) int64 { return rapid.SampledFrom(ids).Draw(t, "job") }
	add(t)
	t.Repeat(map[string]func(*rapid.T){
		"add":    add,
		"cancel": func(t *rapid.T) { q.Cancel(pick(t)) },
		"retry": func(t *rapid.T) {
			id := pick(t)
			retried[id] = retry(q, id) == nil || retried[id]
		},
		"remove": func(t *rapid.T) {
			id := pick(t)
			if q.Remove(id) == nil && !n.job(id).State.Final() {
				t.Fatalf("job %d was removed as %s", id, n.job(id).State)
			}
		},
		"time": func(t *rapid.T) {
			time.Sleep(time.Duration(rapid.IntRange(0, 100_000).Draw(t, "ms")) * time.Millisecond)
		},
		"another user": func(t *rapid.T) {
			if j := n.job(pick(t)); !j.HasUniqueName() {
				s.storeOther("/" + j.Upload.FileName)
			}
		},
		"restart": func(t *rapid.T) {
			restart(time.Duration(rapid.IntRange(0, 10).Draw(t, "timeout")) * time.Second)
		},
		"": func(t *rapid.T) { checkLine(t, q) },
	})
	// Jobs that hang are interrupted by the end of the program. The others end by themselves.
	for round := 0; q.Busy(); round++ {
		if round > 100 {
			t.Fatalf("the jobs do not end: %+v", q.Snapshot().Totals)
		}
		time.Sleep(10 * time.Minute)
		if id := pick(t); rapid.Bool().Draw(t, "cancel it") {
			_ = q.Cancel(id) // unless it has an outcome
		}
		synctest.Wait()
		restart(0)
		synctest.Wait()
	}
	for _, id := range ids {
		checkClaim(t, s, n.job(id), retried[id])
	}
	checkJournal(t, q, n)
}

// checkLine compares the line and the count of running jobs with the phases of the jobs.
func checkLine(t *rapid.T, q *Queue) {
	synctest.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	busy := 0
	var waiting []*entry
	for _, e := range q.order {
		if e.phase == ready {
			waiting = append(waiting, e)
		}
		if e.phase == working {
			busy++
		}
		if (e.phase == done) != e.job.State.Final() {
			t.Fatalf("job %d is %s in phase %d", e.job.ID, e.job.State, e.phase)
		}
	}
	slices.SortFunc(waiting, compareOrder)
	if !slices.Equal(q.line, waiting) {
		t.Fatalf("%d jobs in the line, %d are ready", len(q.line), len(waiting))
	}
	if busy != q.running {
		t.Fatalf("%d at work, counted %d", busy, q.running)
	}
}

// checkJournal compares the states in the queue with those in the journal.
func checkJournal(t *rapid.T, q *Queue, n *notes) {
	for _, row := range q.Snapshot().Rows {
		if kept := n.job(row.Job.ID); kept.State != row.Job.State || kept.Attempts != row.Job.Attempts {
			t.Fatalf("job %d is %s after %d, in the journal %s after %d", kept.ID, row.Job.State, row.Job.Attempts, kept.State, kept.Attempts)
		}
	}
}

// checkClaim compares the claim about a job with what is in the library.
func checkClaim(t *rapid.T, s *service, j job.Job, retried bool) {
	copies := s.copies(j.Upload.FileName[:1])
	say := fmt.Sprintf("%s (%s) is %s after %d attempts and was stored %d times", j.Upload.FileName, j.Naming, j.State, j.Attempts, copies)
	// A user who sends an unknown job again accepts that it may be stored twice.
	once := j.RepeatsSafely() || !retried
	switch {
	case once && copies > 1:
		t.Fatal(say)
	case j.State == job.Stored && copies == 0:
		t.Fatal(say)
	case once && copies != 0 && (j.State == job.Refused || j.State == job.Unsent || j.State == job.Canceled):
		t.Fatal(say)
	case !j.State.Final():
		t.Fatal(say)
	}
}
