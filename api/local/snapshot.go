package local

import (
	"os"
	"time"

	"mediadesk/api/local/store"
)

// A snapshot of the records is made every few minutes in which something was
// written, and seldom enough that making it takes little of the time.
const (
	snapshotPause = 5 * time.Minute
	snapshotShare = 100 // the pause is at least so many times the making
)

// keepSnapshots keeps the snapshot of a running library fresh.
func (l *Library) keepSnapshots() {
	timer := time.NewTimer(snapshotPause)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-l.ctx.Done():
			return
		}
		start := time.Now()
		if err := l.snapshot(); err != nil && l.ctx.Err() == nil {
			l.log.Error("the snapshot of the records could not be made", "error", err)
		}
		timer.Reset(max(snapshotPause, snapshotShare*time.Since(start)))
	}
}

// snapshot makes the snapshot anew, where something was written since the last.
func (l *Library) snapshot() error {
	path, to := recordsPath(l.o.Dir), snapshotPath(l.o.Dir)
	last, err := os.Stat(to)
	if err == nil && !newerThan(path, last.ModTime()) && !newerThan(path+"-wal", last.ModTime()) {
		return nil
	}
	return store.Snapshot(l.ctx, path, to)
}

func newerThan(path string, t time.Time) bool {
	info, err := os.Stat(path)
	return err == nil && info.ModTime().After(t)
}
