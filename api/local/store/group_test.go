package store

import (
	"errors"
	"fmt"
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
				if err := tx.Files.Insert(f); err != nil {
					return err
				}
				switch n % 10 {
				case 3:
					return refused
				case 5:
					panic("on purpose")
				case 7:
					return tx.Files.Insert(sample("/", fmt.Sprint(n)))
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
	must(t, r.Close())
	r = openRecords(t, path)
	err := r.View(t.Context(), func(tx Tx) error {
		for n, id := range ids {
			_, err := Get[File](tx, id)
			if there := err == nil; there != !slices.Contains([]int{3, 5, 7}, n%10) {
				t.Errorf("%d is there: %t, %v", n, there, err)
			}
		}
		return nil
	})
	must(t, err)
}

// TestGroupsShareTransactions: updates that wait during a transaction share the next one.
func TestGroupsShareTransactions(t *testing.T) {
	r := openRecords(t, filepath.Join(t.TempDir(), "r.db"))
	const many = 20
	var wg sync.WaitGroup
	begun, hold := make(chan bool), make(chan bool)
	wg.Go(func() {
		r.Update(t.Context(), func(Tx) error {
			begun <- true
			<-hold
			return nil
		})
	})
	<-begun
	dbs := make(chan database, 2*many)
	queued := runtime.NumGoroutine() + many
	for n := range many {
		wg.Go(func() {
			err := r.Update(t.Context(), func(tx Tx) error {
				dbs <- tx.db
				return tx.Files.Insert(sample("/", fmt.Sprint(n)))
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	for runtime.NumGoroutine() < queued {
		runtime.Gosched()
	}
	close(hold)
	wg.Wait()
	close(dbs)
	transactions := map[database]bool{}
	for db := range dbs {
		transactions[db] = true
	}
	if len(transactions) == many {
		t.Errorf("each of %d updates had a transaction of its own", many)
	}
}
