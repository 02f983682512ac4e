package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mediadesk/api/atomicfile"
	"mediadesk/api/local/store"
)

const (
	// orphanDelay is the age from which a content without a record is orphaned. A younger one may be
	// about to get its record.
	orphanDelay   = time.Hour
	asideTTL      = 30 * 24 * time.Hour // how long contents stay set aside
	sweepInterval = 6 * time.Hour
	removalDelay  = time.Second // from a write to the removal
)

// sweeping removes deleted contents and regularly sets aside contents without a record. It does
// nothing until the records were checked, since damaged ones may have lost entries.
func (l *Library) sweeping() {
	sound := l.work.Leads() && l.sweep()
	tick := time.NewTicker(sweepInterval)
	defer tick.Stop()
	var soon <-chan time.Time
	for {
		select {
		case <-l.records.Written:
			if soon == nil {
				soon = time.After(removalDelay)
			}
		case <-soon:
			switch soon = nil; {
			case !l.work.Leads():
			case !sound && l.o.many(): // this instance sweeps now
				sound = l.sweep()
			case sound:
				l.report("deleted contents could not be removed", l.removeDeleted())
			}
		case <-tick.C:
			sound = l.work.Leads() && l.sweep()
		case <-l.work.Context().Done():
			return
		}
	}
}

func (l *Library) sweep() (sound bool) {
	lines, err := l.records.Damage(l.work.Context())
	if err != nil || len(lines) > 0 {
		l.suspect.Store(true)
		if l.work.Context().Err() == nil {
			l.log.Error("contents are kept because the records are damaged: "+repairHelp(l.o.Dir), "damage", lines, "error", err)
		}
		return false
	}
	l.report("deleted contents could not be removed", l.removeDeleted())
	l.report("contents without a record could not be set aside", l.setAside())
	return true
}

func deletions(tx store.Tx) ([]store.Deletion, error) { return store.All[store.Deletion](tx, nil) }

func (l *Library) removeDeleted() error {
	if l.shared() {
		err := l.records.Records.Update(l.work.Context(),
			func(tx store.Tx) error { return tx.Versions.ForgetRemovals(time.Now().Add(-removalTTL)) })
		if err != nil {
			return err
		}
	}
	list, err := store.View(l.work.Context(), l.records, deletions)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(list, 500) {
		for _, d := range some {
			found, err := l.contents.List(d.Hash)
			if err != nil {
				return err
			}
			for _, s := range found {
				// The clock of a shared store differs, but retire makes comparing it unnecessary.
				if !l.shared() && s.At.After(d.At) {
					continue
				}
				if err := l.retire(s, true); err != nil {
					return err
				}
			}
		}
		// A content that still exists is in use or was stored again.
		err := l.records.Records.Update(l.work.Context(), func(tx store.Tx) error {
			for _, d := range some {
				if err := tx.Remove(&d); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// shared reports whether other processes may use the content store.
func (l *Library) shared() bool { return l.o.Storage != "" }

// retire removes or sets aside a content without a record. For a shared store it first records the
// removal, so that no process uses the content meanwhile.
func (l *Library) retire(s store.Stored, remove bool) error {
	if l.seeded[s.Hash] {
		return nil
	}
	record := func(done bool) (bool, error) {
		return store.Update(l.work.Context(), l.records.Records, func(tx store.Tx) (bool, error) {
			return tx.Versions.Retire(store.Removal{Hash: s.Hash, At: time.Now(), Done: done})
		})
	}
	begun := false
	err := l.contents.Retire(s, remove, func() (agreed bool, err error) {
		if !l.shared() {
			named, err := namedHashes(l.work.Context(), l.records, s.Hash)
			return !named[s.Hash], err
		}
		agreed, err = record(false)
		begun = begun || agreed
		return agreed, err
	})
	if err == nil && begun {
		_, err = record(true)
	}
	return err
}

// removalTTL is how long a removal stays recorded, for uploads that found the content just before. Its
// process has ended it then.
const removalTTL = time.Hour

func namedHashes(ctx context.Context, records store.Records, prefix string) (map[string]bool, error) {
	return store.View(ctx, records, func(tx store.Tx) (map[string]bool, error) {
		return tx.Versions.Hashes(prefix)
	})
}

type survey struct {
	stored   int            // contents not set aside
	unnamed  []store.Stored // those without a record that are not scheduled for deletion
	orphaned []store.Stored // those of them that an interrupted upload left
	aside    []store.Stored // set aside, without a record
	back     []string       // set aside but named by a record
}

func newSurvey(ctx context.Context, records store.Records, contents store.Contents) (survey, error) {
	var s survey
	deleted := map[string]bool{}
	list, err := store.View(ctx, records, deletions)
	if err != nil {
		return s, err
	}
	for _, d := range list {
		deleted[d.Hash] = true
	}
	for prefix := range prefixes {
		list, err := contents.List(prefix) // before the records, so that contents stored meanwhile have one
		if err != nil {
			return s, err
		}
		if len(list) == 0 {
			continue
		}
		named, err := namedHashes(ctx, records, prefix)
		if err != nil {
			return s, err
		}
		for _, c := range list {
			switch {
			case c.Aside && named[c.Hash]:
				s.back = append(s.back, c.Hash)
			case c.Aside:
				s.aside = append(s.aside, c)
			default:
				s.stored++
				if named[c.Hash] || deleted[c.Hash] {
					continue
				}
				if s.unnamed = append(s.unnamed, c); time.Since(c.At) > orphanDelay {
					s.orphaned = append(s.orphaned, c)
				}
			}
		}
	}
	return s, nil
}

func prefixes(yield func(string) bool) {
	for n := range 256 {
		if !yield(fmt.Sprintf("%02x", n)) {
			return
		}
	}
}

func (s *survey) restoreNamed(contents store.Contents) error {
	for _, hash := range s.back {
		if err := contents.Restore(hash); err != nil {
			return err
		}
	}
	return nil
}

// tooMany returns a reason if so many contents have no record that a person must decide.
func (s *survey) tooMany() string {
	n := len(s.orphaned)
	if n <= max(100, s.stored/100) && 2*n <= s.stored {
		return ""
	}
	return fmt.Sprintf("%d of %d contents have no record; the records may be older than the contents", n, s.stored)
}

func (l *Library) setAside() error {
	s, err := newSurvey(l.work.Context(), l.records, l.contents)
	if err != nil {
		return err
	}
	if err := s.restoreNamed(l.contents); err != nil {
		return err
	}
	many := s.tooMany()
	l.suspect.Store(many != "")
	if many != "" {
		l.log.Error("no contents were set aside: "+many+". "+repairHelp(l.o.Dir), "folder", l.o.Dir)
		return nil
	}
	for _, c := range s.orphaned {
		l.log.Warn("set aside a content without a record for 30 days", "content", c.Hash)
		if err := l.retire(c, false); err != nil {
			return err
		}
	}
	for _, c := range s.aside {
		if time.Since(c.At) > asideTTL {
			if err := l.retire(c, true); err != nil {
				return err
			}
		}
	}
	return nil
}

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
		l.report("the snapshot of the records could not be made", l.snapshot())
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
	if l.suspect.Load() || err == nil && !newerThan(path, last.ModTime()) && !newerThan(path+"-wal", last.ModTime()) ||
		store.Empty(l.work.Context(), path) {
		return nil
	}
	if lines, err := l.records.Damage(l.work.Context()); err != nil || len(lines) > 0 {
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
