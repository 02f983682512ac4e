package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
)

// jobsNamed returns n jobs with names that the client makes.
func jobsNamed(n int) []job.Job {
	jobs := make([]job.Job, n)
	for i := range jobs {
		jobs[i] = newJob(fmt.Sprintf("%d.jpg", i), job.NameHere)
	}
	return jobs
}

// TestOffline: without a connection one job at a time is tried, with a back-off of up to two minutes,
// and the queue reports it. With a connection all jobs go on.
func TestOffline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(slices.Repeat([]fault{dial}, 1000)...)
		q := start(t, newNotes(), s)
		ids := addAll(t, q, jobsNamed(40)...)
		time.Sleep(time.Hour)
		synctest.Wait()
		snap := q.Snapshot()
		o := snap.Offline
		if o.Host != "test" || time.Since(o.Since) < 59*time.Minute || time.Until(o.Next) > 2*time.Minute ||
			snap.Totals.Count[job.Offline] == 0 ||
			snap.Totals.Count[job.Offline]+snap.Totals.Count[job.Waiting] != 40 {
			t.Errorf("%+v, %+v", o, snap.Totals)
		}
		for _, row := range snap.Rows {
			if row.Job.State == job.Offline && !row.Next.Equal(o.Next) {
				t.Errorf("the next attempt of the job is at %s, and of the queue at %s", row.Next, o.Next)
			}
		}
		if n := len(s.at); n < 30 || n > 200 {
			t.Errorf("%d attempts in an hour", n)
		}
		s.mu.Lock()
		s.faults = nil
		s.mu.Unlock()
		before := time.Now()
		_, err := q.Retry(t.Context(), ids[:1])
		must(t, err)
		if _, err := q.Wait(t.Context(), ids); err != nil || time.Since(before) > time.Second {
			t.Errorf("after %s: %v", time.Since(before), err)
		}
		if snap := q.Snapshot(); snap.Totals.Count[job.Stored] != 40 || !snap.Offline.Since.IsZero() {
			t.Errorf("%+v", snap.Totals)
		}
	})
}

// TestGivingUp: a command gives up after 10 s if the service never answered, and after RetryTimeout if
// it did. The jobs stay open, and the next program sends them.
func TestGivingUp(t *testing.T) {
	for _, tt := range []struct {
		faults []fault
		stored int
		least  time.Duration
		most   time.Duration
	}{
		{nil, 0, 10 * time.Second, 11 * time.Second},
		{[]fault{fine}, 1, 2 * time.Minute, 125 * time.Second},
	} {
		for _, f := range []fault{dial, cut, lostBefore} {
			synctest.Test(t, func(t *testing.T) {
				faults := append(slices.Clone(tt.faults), slices.Repeat([]fault{f}, 5000)...)
				s, n := newService(faults...), newNotes()
				q := New(Options{Journal: n, Sender: s, Concurrency: 1, RetryTimeout: 2 * time.Minute})
				must(t, q.Start(t.Context()))
				ids := addAll(t, q, jobsNamed(5)...)
				began := time.Now()
				jobs, err := q.Wait(t.Context(), ids)
				if took := time.Since(began); err != nil || took < tt.least || took > tt.most && f == dial {
					t.Errorf("%s: after %s, %v", f, took, err)
				}
				stored := 0
				for _, j := range jobs {
					switch {
					case j.State == job.Stored:
						stored++
					case j.State != job.Offline || j.Failure == nil:
						t.Errorf("%s: %s, %+v", f, j.State, j.Failure)
					}
				}
				mediatest.Equal(t, stored, tt.stored, "%s: stored", f)
				closeNow(t, q)
				s.mu.Lock()
				s.faults = nil
				s.mu.Unlock()
				next := start(t, n, s)
				synctest.Wait()
				_, err = next.Wait(t.Context(), nil)
				must(t, err)
				for i := range ids {
					if s.copies(fmt.Sprint(i)) != 1 || n.job(ids[i]).State != job.Stored {
						t.Errorf("%s: job %d is %s and was stored %d times", f, i, n.job(ids[i]).State, s.copies(fmt.Sprint(i)))
					}
				}
			})
		}
	}
}

// TestNextStartTakesUpWhatFailed: the next start resumes unsent and unknown jobs whose repeat is
// safe. It does not resume jobs that the service refused, that could be stored twice, or that the
// user dismissed.
func TestNextStartTakesUpWhatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, s := newNotes(), newService()
		var want []job.State
		var jobs []job.Job
		add := func(naming job.Naming, state job.State, known job.Evidence, dismissed bool, after job.State) {
			j := newJob(fmt.Sprintf("%c.jpg", 'a'+len(jobs)), naming)
			j.State, j.Evidence, j.Dismissed = state, known, dismissed
			jobs, want = append(jobs, j), append(want, after)
		}
		add(job.NameHere, job.Unsent, job.NotSent, false, job.Stored)
		add(job.NameHere, job.Unknown, job.MaybeStored, false, job.Stored)
		add(job.NameService, job.Unsent, job.NotSent, false, job.Stored)
		add(job.NameService, job.Unknown, job.MaybeStored, false, job.Unknown)
		add(job.NameHere, job.Refused, job.NotSent, false, job.Refused)
		add(job.NameHere, job.Unsent, job.NotSent, true, job.Unsent)
		add(job.NameHere, job.Canceled, job.NotSent, false, job.Canceled)
		add(job.NameHere, job.Processing, job.MaybeStored, false, job.Processing)
		for i := range jobs {
			jobs[i].ID = int64(i + 1)
			if jobs[i].State == job.Processing {
				jobs[i].Attempts, jobs[i].Failure = 1, job.FailureOf(&api.AcceptedError{Message: "later"})
			}
			n.jobs[jobs[i].ID] = jobs[i]
		}
		q := start(t, n, s)
		synctest.Wait()
		_, err := q.Wait(t.Context(), nil)
		must(t, err)
		for i, state := range want {
			mediatest.Equal(t, n.job(int64(i+1)).State, state,
				"%s (%s) became", jobs[i].State, jobs[i].Naming)
		}
	})
}

// TestRetriesAreJournaledFirst: a retried job is in the journal before Retry returns, whatever
// happens to the program then.
func TestRetriesAreJournaledFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newService(slices.Repeat([]fault{refused401}, 8)...), newNotes()
		q := start(t, n, s)
		ids := addAll(t, q, jobsNamed(8)...)
		_, err := q.Wait(t.Context(), ids)
		must(t, err)
		q.hold = time.Now().Add(time.Hour) // nothing is sent
		jobs, _, err := q.RetryFailed(t.Context())
		if err != nil || len(jobs) != 8 {
			t.Fatalf("%d, %v, want 8", len(jobs), err)
		}
		for _, id := range ids {
			if got := n.job(id); got.State != job.Waiting {
				t.Errorf("job %d is %s in the journal, want %v", id, got.State, job.Waiting)
			}
		}
	})
}

// TestRecordIsLookedUpUntilItIsKnown: the search for a file that was stored without an answer is
// repeated until it succeeds.
func TestRecordIsLookedUpUntilItIsKnown(t *testing.T) {
	for _, conflict := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newService(lostAnswer)
			s.conflict = conflict
			s.listErr = &api.SendError{Op: "list", Host: "test", Err: errGone}
			q := start(t, newNotes(), s)
			id := addAll(t, q, newJob("a.jpg", job.NameHere))[0]
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			if jobs, err := q.Wait(ctx, []int64{id}); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("%+v", jobs)
			}
			s.mu.Lock()
			s.listErr = nil
			s.mu.Unlock()
			if got := outcome(t, q, id); got.State != job.Stored || got.File == nil || s.copies("a") != 1 {
				t.Errorf("%s, %v, %+v", got.State, got.File, got.Failure)
			}
		})
	}
}
