package queue

import (
	"fmt"
	"testing"
	"testing/synctest"

	"mediadesk/api"
	"mediadesk/api/job"
)

// TestProcessingIsSearchedFor: a job that the service processes is stored when the library lists its
// name, in this run or the next. It is not sent again.
func TestProcessingIsSearchedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newService(later), newNotes()
		q := start(t, n, s)
		j := newJob("a.mp4", job.NameHere)
		j.Batch = "b"
		got := outcome(t, q, addAll(t, q, j)[0])
		if batches := q.EndedBatches(); got.State != job.Processing || fmt.Sprint(batches) != "[{1 0 0 1}]" {
			t.Fatalf("the job is %s, %v", got.State, batches)
		}
		_, err := s.store(&got.Upload)
		must(t, err)
		for q.Snapshot().Rows[0].Job.State != job.Stored {
			<-q.Changes()
		}
		synctest.Wait()
		if kept := n.job(got.ID); kept.State != job.Stored || kept.File == nil ||
			s.sent(got.Upload.FileName) != 1 {
			t.Errorf("%s after %d uploads", kept.State, s.sent(got.Upload.FileName))
		}
		if batches := q.EndedBatches(); fmt.Sprint(batches) != "[{1 1 0 0}]" {
			t.Errorf("got the batches %v", batches)
		}
	})
}

// TestKilledWhileItLooked: a job in processing is not sent again if the program is killed during the
// search for it.
func TestKilledWhileItLooked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newService(), newNotes()
		j := newJob("a.mp4", job.NameHere)
		j.ID, j.State, j.Attempts, j.Evidence = 1, job.Waiting, 1, job.MaybeStored
		j.Failure = job.FailureOf(&api.AcceptedError{Message: "later", RequestID: "r"})
		n.jobs[1] = j
		got := outcome(t, start(t, n, s), 1)
		if got.State != job.Processing || s.sent(j.Upload.FileName) != 0 || got.Failure.RequestID != "r" {
			t.Errorf("the job is %s after %d uploads, %+v", got.State, s.sent(j.Upload.FileName), got.Failure)
		}
	})
}
