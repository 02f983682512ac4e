package store

import (
	"errors"
	"sync"
	"testing"

	"mediadesk/api/local/store/pgtest"
)

// TestPostgresRestarts: without the server every call is a DownError. After a crash and restart all
// written records are there.
func TestPostgresRestarts(t *testing.T) {
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
