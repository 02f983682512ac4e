package local

import (
	"context"
	"fmt"
	"slices"
	"time"

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
				l.work.Report("deleted contents could not be removed", l.removeDeleted())
			}
		case <-tick.C:
			sound = l.work.Leads() && l.sweep()
		case <-l.work.Context().Done():
			return
		}
	}
}

func (l *Library) sweep() (sound bool) {
	var lines []string
	var err error
	if l.o.Database == "" { // a server checks its own files
		lines, err = store.Damage(l.work.Context(), recordsPath(l.o.Dir))
	}
	if err != nil || len(lines) > 0 {
		l.suspect.Store(true)
		if l.work.Context().Err() == nil {
			l.log.Error("contents are kept because the records are damaged: "+repairHelp(l.o.Dir), "damage", lines, "error", err)
		}
		return false
	}
	l.work.Report("deleted contents could not be removed", l.removeDeleted())
	l.work.Report("contents without a record could not be set aside", l.setAside())
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
	found, err := contents.Prefixes()
	if err != nil {
		return s, err
	}
	slices.Sort(found)
	for _, prefix := range slices.Compact(found) {
		list, err := contents.List(prefix) // before the records, so that contents stored meanwhile have one
		if err != nil {
			return s, err
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
