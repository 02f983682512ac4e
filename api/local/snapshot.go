package local

import (
	"errors"
	"os"
	"time"

	"mediadesk/api/local/store"
)

// A snapshot is made every few minutes if something was written, but takes only a small share of
// the time.
const (
	snapshotPause = 5 * time.Minute
	firstSnapshot = 10 * time.Second
	snapshotShare = 100 // the pause is at least this many times as long as making the snapshot
)

// keepSnapshots makes snapshots of a running library, the first one soon.
func (l *Library) keepSnapshots() {
	pause := snapshotPause
	for {
		if _, err := os.Stat(snapshotPath(l.o.Dir)); err != nil {
			pause = firstSnapshot
		}
		select {
		case <-time.After(pause):
		case <-l.ctx.Done():
			return
		}
		start := time.Now()
		l.report("the snapshot of the records could not be made", l.snapshot())
		pause = max(snapshotPause, snapshotShare*time.Since(start))
	}
}

// snapshot makes a snapshot if something was written since the last one. It skips damaged, suspect
// and empty records, so as not to replace a good snapshot.
func (l *Library) snapshot() error {
	path, to := recordsPath(l.o.Dir), snapshotPath(l.o.Dir)
	last, err := os.Stat(to)
	if l.suspect.Load() || err == nil && !newerThan(path, last.ModTime()) && !newerThan(path+"-wal", last.ModTime()) {
		return nil
	}
	if store.Empty(l.ctx, path) {
		return nil
	}
	if lines, err := l.records.Damage(l.ctx); err != nil || len(lines) > 0 {
		return errors.Join(err, errors.New("the records are damaged. "+repairHelp(l.o.Dir)))
	}
	return store.Snapshot(l.ctx, path, to)
}

func newerThan(path string, t time.Time) bool {
	info, err := os.Stat(path)
	return err == nil && info.ModTime().After(t)
}
