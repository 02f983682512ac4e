// Package run does the work of the service that goes on after an answer: extension runs, webhook
// posts and folder jobs. All of it is in the records, where each piece has an instance as its
// owner. When an instance is gone, others take over what it has not finished.
package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// Options configures Work.
type Options struct {
	Records  *Records
	Instance string // the id of this process
	Sole     bool   // no other process can serve the library
	Shared   bool   // the records are on a server, so the instance renews its presence
	Log      *slog.Logger
	Now      func() time.Time

	Run   func(ctx context.Context, run int64) error // does a run and records its end
	Quick func(run *store.Run) bool                  // a request waits for the run
	Skip  func(run *store.Run) bool                  // the run never begins
	// does the next step of a folder job; true after the last one
	Step  func(ctx context.Context, job string) (bool, error)
	Post  func(ctx context.Context, post *store.Post) error // sends a post once
	Delay func(attempts int) time.Duration                  // before a post is sent again; nil for RetryDelay
}

// Work is the work of one instance. It is safe for concurrent use.
type Work struct {
	o           Options
	ctx         context.Context // ends with the library
	cancel      context.CancelFunc
	workers     sync.WaitGroup
	quick, slow queue
	stops       sync.Map // run id to context.CancelFunc
	outbox      outbox
	leads       atomic.Bool
}

// New returns the work of an instance. It begins with Start.
func New(ctx context.Context, o Options) *Work {
	if o.Delay == nil {
		o.Delay = RetryDelay
	}
	w := &Work{o: o, outbox: outbox{
		added: make(chan struct{}, 1), slots: make(chan struct{}, postsAtOnce),
		finished: make(chan int64, postsAtOnce), sending: map[int64]bool{},
	}}
	w.ctx, w.cancel = context.WithCancel(ctx)
	return w
}

// Start registers the instance and goes on with the unfinished work of those that are gone.
func (w *Work) Start() error {
	err := w.join()
	w.workers.Go(w.sendPosts)
	if err == nil && w.o.Shared {
		w.workers.Go(w.stayPresent)
	}
	return err
}

// Go runs do until it returns; Close waits for it.
func (w *Work) Go(do func()) { w.workers.Go(do) }

// Context ends when the library closes.
func (w *Work) Context() context.Context { return w.ctx }

// Close stops the work, waits for it, and lets others take it over at once.
func (w *Work) Close() {
	w.cancel()
	w.workers.Wait()
	if !w.o.Shared {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), presentTTL)
	defer cancel()
	err := w.o.Records.Records.Update(ctx,
		func(tx store.Tx) error { return tx.Instances.Absent(w.o.Instance) })
	if err != nil {
		w.o.Log.Error("other instances take over the work of this one only after a while", "error", err)
	}
}

// Report logs an error, unless the library is closing.
func (w *Work) Report(what string, err error) {
	if err != nil && w.ctx.Err() == nil {
		w.o.Log.Error(what, "error", err)
	}
}

const downDelay = 2 * time.Second

// WhileDown repeats do until the library answers or ctx ends.
func WhileDown(ctx context.Context, do func() error) error {
	for {
		err := do()
		if _, down := errors.AsType[*store.DownError](err); !down {
			return err
		}
		select {
		case <-time.After(downDelay):
		case <-ctx.Done():
			return err
		}
	}
}

// Wake sends a value, unless one is waiting.
func Wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

const (
	runTimeout = 3 * time.Minute // for one run
	// MaxAttempts limits how often a run is started, in case it crashes the program.
	MaxAttempts = 2
)

// queue executes one run after the other: the quick runs, which requests wait for, or the slow.
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

// add queues a run, unless it is queued.
func (w *Work) add(q *queue, run int64) (done <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if at := slices.IndexFunc(q.list, func(other queued) bool { return other.run == run }); at >= 0 {
		return q.list[at].done
	}
	next := queued{run, make(chan struct{})}
	if q.list = append(q.list, next); len(q.list) == 1 {
		w.workers.Go(func() { w.work(q, next) })
	}
	return next.done
}

func (w *Work) work(q *queue, next queued) {
	for more := true; more && w.ctx.Err() == nil; {
		ctx, cancel := context.WithTimeout(w.ctx, runTimeout)
		w.stops.Store(next.run, cancel) // before the run is read, so that a later cancel takes effect
		err := w.o.Run(ctx, next.run)
		w.stops.Delete(next.run)
		cancel()
		if !errors.Is(err, store.ErrNotFound) { // after a reset
			w.Report("an extension run could not be recorded", err)
		}
		w.PostsAdded() // after the commit, so that the outbox sees the post
		close(next.done)
		q.mu.Lock()
		q.list = q.list[1:]
		if more = len(q.list) > 0; more {
			next = q.list[0]
		}
		q.mu.Unlock()
	}
}

// CancelAll stops all runs under way.
func (w *Work) CancelAll() {
	w.stops.Range(func(_, stop any) bool {
		stop.(context.CancelFunc)()
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

// Every instance renews its presence each presentInterval. After presentTTL without that it counts
// as gone, and others take over its work.
const (
	presentInterval = 5 * time.Second
	presentTTL      = 20 * time.Second
	adoptAtOnce     = 100 // runs and posts, so that several instances share them
)

// Records are the records of a library. They tell who cleans up after a write, which may have been
// a deletion.
type Records struct {
	store.Records
	Written chan struct{} // has one after a write

	// Wrap may add to each update, and Committed is called after it; both may be nil.
	Wrap      func(func(store.Tx) error) func(store.Tx) error
	Committed func()
}

func (r *Records) Update(ctx context.Context, fn func(store.Tx) error) error {
	if r.Wrap != nil {
		fn = r.Wrap(fn)
	}
	err := r.Records.Update(ctx, fn)
	if err == nil {
		Wake(r.Written)
		if r.Committed != nil {
			r.Committed()
		}
	}
	return err
}

// cleanup is claimed by one instance for all.
const cleanup = "sweep"

// Leads reports whether this instance cleans up for all.
func (w *Work) Leads() bool { return w.leads.Load() }

// join registers this process and takes over the work of those that are gone; alone, everything.
func (w *Work) join() error {
	ttl, most := presentTTL, adoptAtOnce
	if !w.o.Shared {
		ttl = 100 * 365 * 24 * time.Hour
	}
	leads, err := store.Update(w.ctx, w.o.Records, func(tx store.Tx) (bool, error) {
		if w.o.Sole {
			most = math.MaxInt32
			if err := tx.Instances.Absent(""); err != nil {
				return false, err
			}
		}
		return w.present(tx, ttl)
	})
	if err == nil {
		w.leads.Store(leads)
		err = w.adopt(most)
	}
	switch {
	case err == nil:
		return nil
	case w.o.Sole && errors.Is(err, syscall.ENOSPC): // stored files can still be read
		w.leads.Store(true)
		w.Report("unfinished work waits for the next start", err)
		return nil
	}
	return fmt.Errorf("go on with unfinished work: %w", err)
}

// present renews the presence of this instance and reports whether it leads.
func (w *Work) present(tx store.Tx, ttl time.Duration) (leads bool, err error) {
	if err := tx.Instances.Present(w.o.Instance, ttl); err != nil {
		return false, err
	}
	return tx.Instances.Claim(cleanup, w.o.Instance)
}

// adopt takes over runs, posts and folder jobs of instances that are gone. Their results are
// posted, since no request waits for them. It also begins with runs that this instance recorded
// without knowing, in a transaction whose answer was lost.
func (w *Work) adopt(most int) error {
	var runs []store.Run
	var jobs []store.Job
	pending := store.Filter{"owner": w.o.Instance, "status": api.StatusPending}
	err := w.o.Records.Records.Update(w.ctx, func(tx store.Tx) (err error) {
		if jobs, err = tx.Instances.Adopt(w.o.Instance, most); err == nil {
			runs, err = store.All[store.Run](tx, pending)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, job := range jobs {
		w.workers.Go(func() {
			w.Report("a folder job that another process began could not be finished", w.FinishJob(job.ID))
		})
	}
	w.Begin(runs)
	w.PostsAdded()
	return nil
}

// stayPresent renews the presence of this instance and takes over the work of others.
func (w *Work) stayPresent() {
	tick := time.NewTicker(presentInterval)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-tick.C:
		case <-w.ctx.Done():
			return
		}
		leads, err := store.Update(w.ctx, w.o.Records.Records,
			func(tx store.Tx) (bool, error) { return w.present(tx, presentTTL) })
		if err != nil {
			w.Report("this instance could not renew its presence", err)
			continue
		}
		// After an outage of the database the others need time to renew their presence.
		outage := time.Since(last) > 2*presentInterval
		if last = time.Now(); outage {
			continue
		}
		if w.leads.Store(leads); leads {
			Wake(w.o.Records.Written) // others may have deleted something
		}
		w.Report("could not take over the work of other instances", w.adopt(adoptAtOnce))
	}
}
