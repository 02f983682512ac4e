package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"syscall"
	"time"

	"mediadesk/api/local/store"
)

// Every instance renews its presence each presentTick. After presentTime without that it counts as
// gone, and others take over its work.
const (
	presentTick = 5 * time.Second
	presentTime = 20 * time.Second
	adoptAtOnce = 100 // runs and posts, so that several instances share them
)

// many reports whether several processes can serve the library, because none of it is in a local
// folder.
func (o *Options) many() bool { return o.Database != "" && o.Storage != "" }

// join registers this process as an instance and takes over the work of instances that are gone. A
// sole process takes over everything.
func (l *Library) join(ctx context.Context) error {
	span, most := presentTime, adoptAtOnce
	if l.o.Database == "" {
		span = 100 * 365 * 24 * time.Hour
	}
	leads, err := store.Update(ctx, l.records, func(tx store.Tx) (bool, error) {
		if !l.o.many() {
			most = math.MaxInt32
			if err := tx.Instances.Absent(""); err != nil {
				return false, err
			}
		}
		if err := tx.Instances.Present(l.identity, span); err != nil {
			return false, err
		}
		return tx.Instances.Claim(sweepWork, l.identity)
	})
	if err == nil {
		l.leads.Store(leads)
		err = l.adopt(ctx, most, false)
	}
	switch {
	case err == nil:
		return nil
	case !l.o.many() && errors.Is(err, syscall.ENOSPC): // stored files can still be read
		l.leads.Store(true)
		l.report("unfinished work waits for the next start", err)
		return nil
	}
	return fmt.Errorf("go on with unfinished work: %w", err)
}

// adopt takes over runs, posts and folder jobs of instances that are gone. Their results are
// posted, since no request waits for them. With own, it also begins with what this instance may
// have recorded without knowing.
func (l *Library) adopt(ctx context.Context, most int, own bool) error {
	var runs []store.Run
	var jobs []store.Job
	err := l.records.Records.Update(ctx, func(tx store.Tx) (err error) {
		if own {
			err, most = tx.Instances.Absent(l.identity), math.MaxInt32
		}
		if err == nil {
			runs, jobs, err = tx.Instances.Adopt(l.identity, most)
		}
		if err == nil && own {
			err = tx.Instances.Present(l.identity, presentTime)
		}
		return err
	})
	if l.records.noteLoss(err); err != nil {
		return err
	}
	for _, job := range jobs {
		l.workers.Go(func() {
			l.report("a folder job that another process began could not be finished", l.finishJob(job.ID))
		})
	}
	slices.SortFunc(runs, func(a, b store.Run) int { return cmp.Compare(a.ID, b.ID) })
	l.runs.start(runs)
	wake(l.outbox.notice)
	return nil
}

// unsureTime is how long a transaction without an answer may still be done.
const unsureTime = 2 * time.Minute

// unsure reports whether there may be runs and posts that this instance recorded in a transaction
// without an answer, and so does not know.
func (l *Library) unsure() bool {
	at := l.records.unsure.Load()
	return at != 0 && time.Since(time.Unix(0, at)) < unsureTime
}

// stayPresent renews the presence of this instance and takes over the work of others.
func (l *Library) stayPresent() {
	tick := time.NewTicker(presentTick)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-tick.C:
		case <-l.ctx.Done():
			return
		}
		leads, err := store.Update(l.ctx, l.records.Records, func(tx store.Tx) (bool, error) {
			if err := tx.Instances.Present(l.identity, presentTime); err != nil {
				return false, err
			}
			return tx.Instances.Claim(sweepWork, l.identity)
		})
		if err != nil {
			l.report("this instance could not renew its presence", err)
			continue
		}
		// After an outage of the database the others need time to renew their presence.
		outage := time.Since(last) > 2*presentTick
		last = time.Now()
		if outage {
			continue
		}
		if l.leads.Store(leads); leads {
			wake(l.records.notice) // others may have deleted something
		}
		l.report("could not take over the work of other instances", l.adopt(l.ctx, adoptAtOnce, l.unsure()))
	}
}
