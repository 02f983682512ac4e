package queue

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
)

// startOrder adds jobs before any can run. It returns the first letters of their names in the order in
// which they started.
func startOrder(t *testing.T, concurrency int, change func(q *Queue, ids []int64), jobs ...job.Job) string {
	var began []string
	synctest.Test(t, func(t *testing.T) {
		s, n := newService(), newNotes()
		s.started = make(chan string, 100)
		q := New(Options{Journal: n, Sender: s, Profile: "home", Concurrency: concurrency})
		ids := addAll(t, q, jobs...)
		if change != nil {
			change(q, ids)
		}
		must(t, q.Start(t.Context()))
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

// model is what the order of sending should be: that of queuing.
type model struct {
	jobs map[int64]*modelJob
	turn int
}

type modelJob struct {
	name     string
	turn     int
	canceled bool
}

func (m *model) queue(id int64, j *modelJob) {
	m.turn++
	j.turn, m.jobs[id] = m.turn, j
}

// order returns the names of the jobs that are sent, in order.
func (m *model) order() string {
	jobs := slices.DeleteFunc(slices.Collect(maps.Values(m.jobs)),
		func(j *modelJob) bool { return j.canceled })
	slices.SortFunc(jobs, func(a, b *modelJob) int { return cmp.Compare(a.turn, b.turn) })
	names := ""
	for _, j := range jobs {
		names += j.name
	}
	return names
}

// TestOrderOfOperations draws the operations that change the order of sending, several in a row, and
// compares the order with a sorted model.
func TestOrderOfOperations(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var want string
		got := startOrder(t, 1, func(q *Queue, ids []int64) {
			m := model{jobs: map[int64]*modelJob{}}
			for i, id := range ids {
				m.queue(id, &modelJob{name: string(rune('a' + i))})
			}
			for _, step := range rapid.SliceOfN(rapid.SampledFrom([]string{"cancel", "retry"}), 1,
				12).Draw(rt, "steps") {
				id := rapid.SampledFrom(ids).Draw(rt, "job")
				j := m.jobs[id]
				switch step {
				case "cancel":
					if err := q.Cancel(id); (err != nil) != j.canceled {
						rt.Fatalf("%s of %s: %v", step, j.name, err)
					}
					synctest.Wait()
					j.canceled = true
				case "retry":
					err := retry(q, id)
					if !j.canceled {
						continue // it waits already
					}
					must(rt, err)
					m.queue(id, &modelJob{name: j.name})
				}
			}
			want = m.order()
		}, newJobs(job.NameExact, "a.jpg", "b.jpg", "c.jpg", "d.jpg")...)
		if got != want {
			rt.Fatalf("started in the order %q, want %q", got, want)
		}
	})
}

// TestBatchesEnd: the end of a batch is reported when all its jobs have an outcome, and again after a
// retry.
func TestBatchesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newService().by("b", refused401), newNotes()
		q := start(t, n, s)
		a, b, c := newJob("a.jpg", job.NameHere), newJob("b.jpg", job.NameHere), newJob("c.jpg", job.NameHere)
		a.Batch, b.Batch = "x", "x"
		ids := addAll(t, q, a, b, c)
		for _, id := range ids {
			outcome(t, q, id)
		}
		if batches := q.EndedBatches(); fmt.Sprint(batches) != "[{2 1 1 0}]" {
			t.Fatalf("got the batches %v", batches)
		}
		must(t, retry(q, ids[1]))
		outcome(t, q, ids[1])
		if batches := q.EndedBatches(); fmt.Sprint(batches) != "[{2 2 0 0}]" {
			t.Errorf("got the batches %v", batches)
		}
	})
}

// TestWaitsOfOneJob: a 503 with a waiting time delays its own upload, and a retry of one job starts
// no other that waits for its next attempt.
func TestWaitsOfOneJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newService().by("a", busy503).by("b", busy503, fine), newNotes()
		s.wait = time.Minute
		q := start(t, n, s)
		ids := addAll(t, q, newJobs(job.NameHere, "a.jpg", "b.jpg", "c.jpg")...)
		synctest.Wait()
		addAll(t, q, newJob("d.jpg", job.NameHere))
		synctest.Wait()
		mediatest.Equal(t, q.Snapshot().Totals.Count[job.Stored], 2, "stored while two wait")
		must(t, retry(q, ids[0]))
		synctest.Wait()
		if a, b := n.job(ids[0]).State, n.job(ids[1]).State; a != job.Stored || b != job.Waiting {
			t.Errorf("after a retry of the first it is %s, and the second is %s", a, b)
		}
	})
}
