package local_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/local"
	"mediadesk/api/local/store/pgtest"
	"mediadesk/api/media/mediatest"
)

// TestStoreOfOneLibrary: a store belongs to the library that opened it first, even while it is
// empty. Another library can neither open it nor copy to it.
func TestStoreOfOneLibrary(t *testing.T) {
	t.Parallel()
	mediatest.SkipRacing(t)
	onEngines(t, recordEngines[1], contentEngines[2], func(t *testing.T, o local.Options) {
		first := serve(t, o)
		serve(t, o) // another instance of the same library
		closeServer(t, first)
		other := local.Options{Dir: t.TempDir(), Key: key(testKey), Storage: o.Storage}
		l, err := local.Open(t.Context(), other)
		if err == nil {
			l.Close()
		}
		if !errors.Is(err, local.ErrNotOwner) || !strings.Contains(err.Error(), "another library") || api.Hint(err) == "" || strings.Contains(api.Hint(err), "--repair") {
			t.Errorf("another library opens the store: got error %v", err)
		}
		to := other.Storage
		other.Storage = ""
		closeServer(t, serve(t, other)) // creates its records
		_, err = local.CopyContents(context.Background(), other, to, func(local.Problem) error { return nil })
		if !errors.Is(err, local.ErrNotOwner) {
			t.Errorf("another library copies to the store: got error %v", err)
		}
		s := serve(t, o)
		upload(t, s.Address, []byte("a"), "fileName", "a.txt", "useUniqueFileName", "false")
		if got := fetch(t, s.Address+"/a.txt"); got != "a" {
			t.Errorf("the owner reads %q, want \"a\"", got)
		}
	})
}

// TestOneStoreOfALibrary: all instances of a library in PostgreSQL use one store. Another store
// can be used after the contents were copied to it and no instance uses the earlier one.
func TestOneStoreOfALibrary(t *testing.T) {
	mediatest.SkipRacing(t)
	for _, kind := range contentEngines[:2] {
		t.Run(kind.name, func(t *testing.T) {
			database := pgtest.Database(t)
			with := func() local.Options {
				o := local.Options{Dir: t.TempDir(), Key: key(testKey), Database: database}
				kind.use(t, &o)
				return o
			}
			refuses := func(o local.Options, reason string) {
				t.Helper()
				l, err := local.Open(t.Context(), o)
				if err == nil {
					l.Close()
				}
				if !errors.Is(err, local.ErrOtherStore) || api.Hint(err) == "" {
					t.Errorf("%s: %v", reason, err)
				}
			}
			first, second := with(), with()
			s := serve(t, first)
			refuses(second, "another store while the first is used")
			upload(t, s.Address, []byte("a"), "fileName", "a.txt", "useUniqueFileName", "false")
			closeServer(t, s)
			refuses(second, "another store while nothing runs")
			move := func(from, to local.Options) error {
				from.Dir = to.Dir
				_, err := local.CopyContents(t.Context(), from, to.Storage, func(local.Problem) error { return nil })
				return err
			}
			if first.Storage == "" { // a folder is copied to a store
				second = first
				contentEngines[1].use(t, &second)
			}
			if err := move(second, first); !errors.Is(err, local.ErrOtherStore) {
				t.Errorf("copying from the store of another library: got error %v", err)
			}
			s = serve(t, first)
			must(t, move(first, second))
			refuses(second, "a copy while the first is used")
			closeServer(t, s)
			closeServer(t, serve(t, first)) // the old store works until an instance uses the copy
			s = serve(t, second)
			if got := fetch(t, s.Address+"/a.txt"); got != "a" {
				t.Errorf("in the copy the file is %q, want \"a\"", got)
			}
			closeServer(t, s)
			refuses(first, "the first store after the move")
		})
	}
}
