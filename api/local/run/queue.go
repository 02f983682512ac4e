package run

import (
	"context"
	"errors"
	"sync"
	"time"

	"mediadesk/api/local/store"
)

const (
	timeout = 3 * time.Minute // for one run
	// MaxAttempts limits how often a run is started, in case it crashes the program.
	MaxAttempts = 2
)

// queue executes one run after the other. There are two: one for quick runs, which requests wait
// for, and one for slow ones.
type queue struct {
	mu   sync.Mutex
	list []queued // the first one is under way
}

type queued struct {
	run  int64
	done chan struct{} // closed when the run has ended
}

// Begin queues runs and returns a channel for each quick one that is closed at its end.
func (w *Work) Begin(runs []store.Run) (ends []<-chan struct{}) {
	for i := range runs {
		switch run := &runs[i]; {
		case run.Status.Final() || w.o.Skip(run):
		case w.o.Quick(run):
			ends = append(ends, w.add(&w.quick, run.ID))
		default:
			w.add(&w.slow, run.ID)
		}
	}
	return ends
}

// add queues a run. One that is queued twice ends with the first.
func (w *Work) add(q *queue, run int64) (done <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	next := queued{run, make(chan struct{})}
	if q.list = append(q.list, next); len(q.list) == 1 {
		w.workers.Go(func() { w.work(q, next) })
	}
	return next.done
}

// work executes the runs of a queue until there are no more.
func (w *Work) work(q *queue, next queued) {
	for more := true; more && w.ctx.Err() == nil; {
		if err := w.execute(next.run); !errors.Is(err, store.ErrNotFound) { // after a reset
			w.Report("an extension run could not be recorded", err)
		}
		w.PostsAdded() // after the commit, so that the outbox sees the post
		close(next.done)
		q.mu.Lock()
		if q.list = q.list[1:]; len(q.list) > 0 {
			next = q.list[0]
		} else {
			more = false
		}
		q.mu.Unlock()
	}
}

// execute does one run. Its stop is stored before the run is read, so that a later cancel takes
// effect.
func (w *Work) execute(id int64) error {
	ctx, cancel := context.WithTimeout(w.ctx, timeout)
	defer cancel()
	w.stops.Store(id, cancel)
	defer w.stops.Delete(id)
	return w.o.Run(ctx, id)
}

// Cancel stops runs under way.
func (w *Work) Cancel(runs ...int64) {
	for _, id := range runs {
		if stop, ok := w.stops.Load(id); ok {
			stop.(context.CancelFunc)()
		}
	}
}

// CancelAll stops all runs under way.
func (w *Work) CancelAll() {
	w.stops.Range(func(id, _ any) bool {
		w.Cancel(id.(int64))
		return true
	})
}

// FinishJob does the remaining steps of a folder job.
func (w *Work) FinishJob(id string) error {
	for done := false; !done; {
		err := w.ctx.Err()
		if err == nil {
			err = WhileDown(w.ctx, func() (err error) {
				done, err = w.o.Step(w.ctx, id)
				return err
			})
		}
		switch {
		case w.ctx.Err() != nil:
			return errors.Join(err, w.ctx.Err())
		case err != nil:
			w.ForgetJob(id)
			return err
		}
	}
	return nil
}

// ForgetJob removes a folder job that must not be continued.
func (w *Work) ForgetJob(id string) {
	w.Report("a failed folder job could not be removed", WhileDown(w.ctx, func() error {
		return w.o.Records.Update(w.ctx, func(tx store.Tx) error { return tx.Remove(&store.Job{ID: id}) })
	}))
}
