// Package run does the work of the service that goes on after an answer: extension runs, webhook
// posts and folder jobs. All of it is in the records, where each piece has an instance as its
// owner. When an instance is gone, others take over what it has not finished.
package run

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

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

	Run   func(ctx context.Context, run int64) error           // does a run and records its end
	Quick func(run *store.Run) bool                            // a request waits for the run
	Skip  func(run *store.Run) bool                            // the run never begins
	Step  func(ctx context.Context, job string) (bool, error)  // does the next step of a folder job; true after the last one
	Post  func(ctx context.Context, post *store.Post) error    // sends a post once
	Hold  func(post *store.Post, overtaken bool) time.Duration // how long a post waits to be overtaken by a later one
	Delay func(attempts int) time.Duration                     // before a post is sent again; nil for RetryDelay
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
	w := &Work{o: o, outbox: newOutbox()}
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
	err := w.o.Records.Records.Update(ctx, func(tx store.Tx) error { return tx.Instances.Absent(w.o.Instance) })
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

// downDelay is the time before records or contents are tried again.
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

// wake notifies a worker without blocking.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
