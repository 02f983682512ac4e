package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestGroupedUpdates does many updates at once. Failed ones leave nothing, and the others everything, in
// one transaction or in several.
func TestGroupedUpdates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	r := openRecords(t, path)
	refused := errors.New("refused")
	const many = 200
	ids := make([]string, many)
	var wg sync.WaitGroup
	for n := range many {
		wg.Go(func() {
			f := sample("/", fmt.Sprint(n))
			ids[n] = f.ID
			err := r.Update(t.Context(), func(tx Tx) error {
				if err := tx.InsertFile(f); err != nil {
					return err
				}
				switch n % 10 {
				case 3:
					return refused
				case 5:
					panic("on purpose")
				case 7:
					return tx.InsertFile(sample("/", fmt.Sprint(n)))
				}
				return nil
			})
			switch n % 10 {
			case 3:
				if !errors.Is(err, refused) {
					t.Errorf("%d ended with %v", n, err)
				}
			case 5:
				if err == nil || !strings.Contains(err.Error(), "on purpose") {
					t.Errorf("%d ended with %v", n, err)
				}
			case 7:
				if !errors.Is(err, ErrExists) {
					t.Errorf("%d ended with %v", n, err)
				}
			default:
				if err != nil {
					t.Errorf("%d ended with %v", n, err)
				}
			}
		})
	}
	wg.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r = openRecords(t, path)
	err := r.View(t.Context(), func(tx Tx) error {
		for n, id := range ids {
			_, err := tx.File(id)
			if there := err == nil; there != !slices.Contains([]int{3, 5, 7}, n%10) {
				t.Errorf("%d is there: %t, %v", n, there, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestGroupsShareTransactions: updates that wait during a transaction share the next one.
func TestGroupsShareTransactions(t *testing.T) {
	r := openRecords(t, filepath.Join(t.TempDir(), "r.db")).(*database)
	r.turn <- struct{}{} // as if a transaction were being written
	var wg sync.WaitGroup
	sessions := make(chan *session, 20)
	for n := range cap(sessions) {
		wg.Go(func() {
			err := r.Update(t.Context(), func(tx Tx) error {
				sessions <- tx.(*sqlTx).s
				return tx.InsertFile(sample("/", fmt.Sprint(n)))
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	for waiting := 0; waiting < cap(sessions); runtime.Gosched() {
		r.mu.Lock()
		waiting = len(r.waiting)
		r.mu.Unlock()
	}
	r.writeGroup()
	r.mu.Lock()
	left := len(r.waiting)
	r.mu.Unlock()
	if left != 0 || len(sessions) != cap(sessions) {
		t.Errorf("%d updates were not used, %d were written", left, len(sessions))
	}
	<-r.turn
	wg.Wait()
}

// TestSameQueryWithinItsRows: a query may run again while its rows are read.
func TestSameQueryWithinItsRows(t *testing.T) {
	r := openRecords(t, filepath.Join(t.TempDir(), "r.db"))
	err := r.Update(t.Context(), func(tx Tx) error {
		for n := range 3 {
			if err := tx.InsertFile(sample("/", fmt.Sprint(n))); err != nil {
				return err
			}
		}
		count := 0
		const query = "SELECT id FROM files"
		err := tx.(*sqlTx).each(func(*sql.Rows) error {
			return tx.(*sqlTx).each(func(*sql.Rows) error { count++; return nil }, query)
		}, query)
		if count != 9 {
			t.Errorf("read %d rows, want 9", count)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestMigration opens a database of the first format. It is kept as it was, and its files can be found
// by the new indexes.
func TestMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), format1+format4+"PRAGMA user_version = 1"); err != nil {
		t.Fatal(err)
	}
	s, err := newSession(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := sample("/", "a")
	if err := (&sqlTx{ctx: context.Background(), s: s}).InsertFile(f); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	change(t, path, "DROP TABLE removals") // the current insert uses it
	find := func(r Records) {
		t.Helper()
		err := r.View(t.Context(), func(tx Tx) error {
			list, err := tx.List(Query{Files: true, Tags: []string{"b,c"}, Limit: 10})
			if len(list) != 1 || list[0].File.ID != f.ID {
				t.Errorf("found %v", list)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	find(openRecords(t, path))
	kept := backupPath(path, 1)
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the older one is %v, %v", info, err)
	}
	// The copy is complete and can be opened.
	find(openRecords(t, kept))
}
