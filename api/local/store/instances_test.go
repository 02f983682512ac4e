package store

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"mediadesk/api"
)

// TestAdopt: the work of a running instance stays with it, and the work of a dead one goes to one other.
func TestAdopt(t *testing.T) { onEachEngine(t, testAdopt) }

func testAdopt(t *testing.T, r Records) {
	const many = 40
	update := func(do func(tx Tx) error) {
		t.Helper()
		if err := r.Update(t.Context(), do); err != nil {
			t.Fatal(err)
		}
	}
	update(func(tx Tx) error {
		for range many {
			if err := tx.AddRun(&Run{Status: api.StatusPending, Owner: "gone"}); err != nil {
				return err
			}
			if err := tx.KeepJob(&Job{ID: NewID(), Owner: "gone", Body: []byte("{}")}); err != nil {
				return err
			}
			if err := tx.AddPost(&Post{Owner: "gone", Body: []byte("{}")}); err != nil {
				return err
			}
		}
		return tx.Present("gone", time.Hour)
	})
	adopt := func(owner string) []Run {
		runs, err := Update(t.Context(), r, func(tx Tx) ([]Run, error) { return tx.Adopt(owner, 3) })
		if err != nil {
			t.Error(err)
		}
		return runs
	}
	claim := func(owner string) bool {
		claimed, err := Update(t.Context(), r, func(tx Tx) (bool, error) { return tx.Claim("work", owner) })
		if err != nil {
			t.Error(err)
		}
		return claimed
	}
	if !claim("gone") || claim("one") || !claim("gone") {
		t.Error("a work has two owners, or none")
	}
	if got := adopt("one"); len(got) != 0 {
		t.Errorf("%d runs were taken from a running instance, want 0", len(got))
	}
	update(func(tx Tx) error { return tx.Present("gone", -time.Second) })
	if !claim("one") {
		t.Error("the work of a dead instance cannot be claimed")
	}
	var mu sync.Mutex
	var ids []int64
	var wg sync.WaitGroup
	for n := range 4 {
		owner := fmt.Sprint(n)
		update(func(tx Tx) error { return tx.Present(owner, time.Hour) })
		wg.Go(func() {
			for {
				runs := adopt(owner)
				if len(runs) == 0 {
					return
				}
				mu.Lock()
				for _, run := range runs {
					ids = append(ids, run.ID)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for got := adopt("0"); len(got) > 0; got = adopt("0") { // skips what another transaction has locked
		for _, run := range got {
			ids = append(ids, run.ID)
		}
	}
	adoptJobs := func(owner string) []Job {
		jobs, err := Update(t.Context(), r, func(tx Tx) ([]Job, error) { return tx.AdoptJobs(owner, 3*many) })
		if err != nil {
			t.Error(err)
		}
		return jobs
	}
	if a, b := adoptJobs("0"), adoptJobs("1"); len(a) != many || len(b) != 0 {
		t.Errorf("%d and %d jobs were given away, want %d and 0", len(a), len(b), many)
	}
	slices.Sort(ids)
	if len(ids) != many || len(slices.Compact(ids)) != many {
		t.Errorf("%d runs were given away, want each of %d once", len(ids), many)
	}
	posts := 0
	err := r.View(t.Context(), func(tx Tx) error {
		for n := range 4 {
			list, err := tx.PostsOf(fmt.Sprint(n))
			if err != nil {
				return err
			}
			posts += len(list)
		}
		run, err := tx.Run(ids[0])
		if err == nil && (!run.Awaited || run.Owner == "gone") {
			t.Errorf("a run that was given away is %+v", run)
		}
		return err
	})
	if err != nil || posts != many {
		t.Errorf("%d posts were given away, want %d; %v", posts, many, err)
	}
}
