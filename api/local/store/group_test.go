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
	r := openRecords(t, filepath.Join(t.TempDir(), "r.db")).(*database)
	r.turn <- struct{}{} // as if a transaction were being written
	var wg sync.WaitGroup
	sessions := make(chan *session, 20)
	for n := range cap(sessions) {
		wg.Go(func() {
			err := r.Update(t.Context(), func(tx Tx) error {
				sessions <- tx.s
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
