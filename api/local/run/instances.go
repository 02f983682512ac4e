package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"syscall"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

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

// Update implements store.Records.
func (r *Records) Update(ctx context.Context, fn func(store.Tx) error) error {
	if r.Wrap != nil {
		fn = r.Wrap(fn)
	}
	err := r.Records.Update(ctx, fn)
	if err == nil {
		wake(r.Written)
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
	err := w.o.Records.Records.Update(w.ctx, func(tx store.Tx) (err error) {
		if jobs, err = tx.Instances.Adopt(w.o.Instance, most); err == nil {
			runs, err = store.All[store.Run](tx, store.Filter{"owner": w.o.Instance, "status": api.StatusPending})
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
			wake(w.o.Records.Written) // others may have deleted something
		}
		w.Report("could not take over the work of other instances", w.adopt(adoptAtOnce))
	}
}
