package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mediadesk/api/atomicfile"
	"mediadesk/api/local/store"
)

// A snapshot is made every few minutes after writes, but takes only a small share of the time.
const (
	snapshotInterval   = 5 * time.Minute
	firstSnapshotDelay = 10 * time.Second
	snapshotShare      = 100 // the pause is at least this many times as long as making the snapshot
)

func (l *Library) keepSnapshots() {
	delay := snapshotInterval
	if _, err := os.Stat(snapshotPath(l.o.Dir)); err != nil {
		delay = firstSnapshotDelay
	}
	for {
		select {
		case <-time.After(delay):
		case <-l.work.Context().Done():
			return
		}
		start := time.Now()
		l.work.Report("the snapshot of the records could not be made", l.snapshot())
		delay = max(snapshotInterval, snapshotShare*time.Since(start))
	}
}

// quickSize is the size of records whose snapshot takes no longer than half a second.
const quickSize = 64 << 20

// lastSnapshot makes a snapshot before the library closes, since many runs are shorter than the
// time between two. Large records that have one are left out.
func (l *Library) lastSnapshot() error {
	_, none := os.Stat(snapshotPath(l.o.Dir))
	if info, err := os.Stat(recordsPath(l.o.Dir)); none == nil && (err != nil || info.Size() > quickSize) {
		return err
	}
	return l.snapshot()
}

// snapshot makes a snapshot if something was written since the last one. It skips damaged, suspect
// and empty records, so as not to replace a good snapshot.
func (l *Library) snapshot() error {
	path, to := recordsPath(l.o.Dir), snapshotPath(l.o.Dir)
	l.snapshots.Lock() // an older one must not replace a newer one
	defer l.snapshots.Unlock()
	last, err := os.Stat(to)
	unchanged := err == nil && !newerThan(path, last.ModTime()) && !newerThan(path+"-wal", last.ModTime())
	if l.suspect.Load() || unchanged || store.Empty(l.work.Context(), path) {
		return nil
	}
	if lines, err := store.Damage(l.work.Context(), path); err != nil || len(lines) > 0 {
		return errors.Join(err, errors.New("the records are damaged. "+repairHelp(l.o.Dir)))
	}
	return store.Snapshot(l.work.Context(), path, to)
}

func newerThan(path string, t time.Time) bool {
	info, err := os.Stat(path)
	return err == nil && info.ModTime().After(t)
}

// snapshotPath is where a running library regularly writes a copy of its records. Unlike the
// database itself, the snapshot is consistent in a copied folder.
func snapshotPath(dir string) string { return recordsPath(dir) + ".snapshot" }

// restore replaces the records by the snapshot and says so; "" if there is no good one.
func (c *checker) restore(ctx context.Context) (done string, err error) {
	path, from := recordsPath(c.o.Dir), snapshotPath(c.o.Dir)
	if lines, err := store.Damage(ctx, from); err != nil || len(lines) > 0 || store.Empty(ctx, from) {
		return "", ctx.Err()
	}
	if err := c.close(); err != nil {
		return "", err
	}
	draft := path + ".restored"
	if err := store.Snapshot(ctx, from, draft); err != nil {
		return "", err
	}
	info, err := os.Stat(from)
	if err != nil {
		return "", err
	}
	done = "restored the snapshot of " + info.ModTime().Format("2 Jan 2006 15:04")
	aside := fmt.Sprintf("%s.before-repair-%d", path, time.Now().UnixMilli())
	if err := store.MoveRecords(path, aside); err != nil {
		return "", err
	}
	if err := atomicfile.Rename(draft, path); err != nil {
		return "", err
	}
	if _, err := os.Stat(aside); err == nil {
		done += "; the old records are " + filepath.Base(aside)
	}
	return done, c.open(ctx)
}

// restoreNewer restores the snapshot if it names more of the contents than the records do.
func (c *checker) restoreNewer(ctx context.Context, now survey) (done string, err error) {
	snapshot, err := store.ReadRecords(ctx, snapshotPath(c.o.Dir))
	if err != nil {
		return "", ctx.Err() // there is none
	}
	s, err := newSurvey(ctx, snapshot, c.contents)
	if err := errors.Join(err, snapshot.Close()); err != nil || len(s.unnamed) >= len(now.unnamed) {
		return "", ctx.Err()
	}
	return c.restore(ctx)
}
