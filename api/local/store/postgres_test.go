package store

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/store/pgtest"
	"mediadesk/api/media/mediatest"
)

// TestPostgresRestarts: without the server every call is a DownError. After a crash and restart all
// written records are there.
func TestPostgresRestarts(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t)
	r := openPostgres(t, server.Address("postgres"))
	f := sample("/", "a")
	insert := func(f *File) error {
		return r.Update(t.Context(), func(tx Tx) error { return tx.Files.Insert(f) })
	}
	find := func() error {
		return r.View(t.Context(), func(tx Tx) error { _, err := Get[File](tx, f.ID); return err })
	}
	must(t, errors.Join(insert(f), find()))
	must(t, server.Stop())
	var down *DownError
	if err := insert(sample("/", "b")); !errors.As(err, &down) || down.Part != "database" {
		t.Errorf("an update without the server gave %v", err)
	}
	if err := find(); !errors.As(err, &down) {
		t.Errorf("a view without the server gave %v", err)
	}
	must(t, server.Start(t.Context()))
	if err := errors.Join(find(), insert(sample("/", "b"))); err != nil {
		t.Errorf("after a restart: %v", err)
	}
}

// TestPostgresTables: processes that start at once create the tables once, and do not change those of a
// other version.
func TestPostgresTables(t *testing.T) {
	t.Parallel()
	address := pgtest.Database(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			r, err := OpenPostgres(t.Context(), address)
			if err != nil {
				t.Error(err)
				return
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	r := openPostgres(t, address)
	err := r.Update(t.Context(), func(tx Tx) error {
		_, err := tx.exec("UPDATE library SET format = 99")
		return err
	})
	must(t, err)
	if _, err := OpenPostgres(t.Context(), address); !errors.Is(err, ErrFormat) {
		t.Errorf("another format gave %v", err)
	}
}

// TestAdopt: the work of a running instance stays with it, and the work of a dead one goes to one other.
func TestAdopt(t *testing.T) { onEachEngine(t, testAdopt) }

func testAdopt(t *testing.T, r Records) {
	const many = 40
	update := func(do func(tx Tx) error) {
		t.Helper()
		must(t, r.Update(t.Context(), do))
	}
	update(func(tx Tx) error {
		for range many {
			if err := errors.Join(tx.Add(&Run{Status: api.StatusPending, Owner: "gone"}),
				tx.Add(&Job{ID: NewID(), Owner: "gone", Body: []byte("{}")}),
				tx.Add(&Post{Owner: "gone", Body: []byte("{}")})); err != nil {
				return err
			}
		}
		return tx.Instances.Present("gone", time.Hour)
	})
	var mu sync.Mutex
	jobs := map[string]bool{}
	adopt := func(owner string) (found int) {
		left, err := Update(t.Context(), r,
			func(tx Tx) ([]Job, error) { return tx.Instances.Adopt(owner, 3) })
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, job := range left {
			if jobs[job.ID] {
				t.Errorf("the job %s was given away twice", job.ID)
			}
			jobs[job.ID] = true
		}
		return len(left)
	}
	claim := func(owner string) bool {
		claimed, err := Update(t.Context(), r,
			func(tx Tx) (bool, error) { return tx.Instances.Claim("work", owner) })
		if err != nil {
			t.Error(err)
		}
		return claimed
	}
	if !claim("gone") || claim("one") || !claim("gone") {
		t.Error("a work has two owners, or none")
	}
	mediatest.Equal(t, adopt("one"), 0, "jobs were taken from a running instance")
	update(func(tx Tx) error { return tx.Instances.Present("gone", -time.Second) })
	if !claim("one") {
		t.Error("the work of a dead instance cannot be claimed")
	}
	var wg sync.WaitGroup
	for n := range 4 {
		owner := fmt.Sprint(n)
		update(func(tx Tx) error { return tx.Instances.Present(owner, time.Hour) })
		wg.Go(func() {
			for adopt(owner) > 0 {
			}
		})
	}
	wg.Wait()
	for adopt("0") > 0 { // skips what another transaction has locked
	}
	mediatest.Equal(t, len(jobs), many, "jobs were given away")
	posts, runs := 0, 0
	err := r.View(t.Context(), func(tx Tx) error {
		for n := range 4 {
			list, postErr := All[Post](tx, Filter{"owner": fmt.Sprint(n)})
			given, runErr := All[Run](tx, Filter{"owner": fmt.Sprint(n), "awaited": true})
			if err := errors.Join(postErr, runErr); err != nil {
				return err
			}
			posts, runs = posts+len(list), runs+len(given)
		}
		return nil
	})
	if err != nil || posts != many || runs != many {
		t.Errorf("%d posts and %d runs were given away, want %d; %v", posts, runs, many, err)
	}
}
