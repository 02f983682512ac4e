package local

import (
	"time"

	"mediadesk/api/local/store"
)

const (
	sweepWait  = 300 * time.Millisecond // for the first sweep, which a large library does not end in
	sweepPause = 6 * time.Hour
)

// startSweeping removes contents that no record points to, now and from time
// to time. It waits for the first sweep for a moment only: a large library
// opens at once, too.
func (l *Library) startSweeping() {
	first := make(chan struct{})
	l.workers.Go(func() {
		l.sweep()
		close(first)
		tick := time.NewTicker(sweepPause)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				l.sweep()
			case <-l.ctx.Done():
				return
			}
		}
	})
	timer := time.NewTimer(sweepWait)
	defer timer.Stop()
	select {
	case <-first:
	case <-timer.C:
	}
}

func (l *Library) sweep() {
	// Damaged records may have forgotten any of the contents.
	damage, err := store.Damage(l.ctx, recordsPath(l.o.Dir))
	if err != nil || len(damage) > 0 {
		if l.ctx.Err() == nil {
			l.log.Error("contents without a record stay: the records are damaged", "damage", damage, "error", err)
		}
		return
	}
	err = l.contents.Sweep(l.ctx, time.Now(), func(prefix string) (hashes map[string]bool, err error) {
		err = l.records.View(l.ctx, func(tx store.Tx) error {
			hashes, err = tx.Hashes(prefix)
			return err
		})
		return hashes, err
	})
	if err != nil && l.ctx.Err() == nil {
		l.log.Error("contents that nobody points to could not be swept", "error", err)
	}
}
