package local_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mediadesk/api/local"
	"mediadesk/api/local/store/pgtest"
)

// TestStoreOfOneLibrary: a store belongs to the library that opened it first, whatever is
// in it. Another one neither opens it nor copies to it.
func TestStoreOfOneLibrary(t *testing.T) {
	onEachEngine(t, func(t *testing.T, o local.Options) {
		if o.Storage == "" {
			t.Skip("a folder is owned by its lock")
		}
		first := serve(t, o)
		if o.Database != "" {
			serve(t, o) // another instance of the same library
		}
		end(t, first)
		other := local.Options{Dir: t.TempDir(), Key: key(testKey), Storage: o.Storage}
		var refused *local.NotOwnerError
		l, err := local.Open(t.Context(), other)
		if err == nil {
			l.Close()
		}
		if !errors.As(err, &refused) || !strings.Contains(refused.Error(), "another library") || strings.Contains(refused.Hint(), "--repair") {
			t.Errorf("another library opens the store: %v", err)
		}
		to := other.Storage
		other.Storage = ""
		end(t, serve(t, other)) // its records are made
		_, err = local.CopyContents(context.Background(), other, to, func(local.Problem) error { return nil })
		if !errors.As(err, &refused) {
			t.Errorf("another library copies to the store: %v", err)
		}
		s := serve(t, o)
		upload(t, s.Address, []byte("a"), "fileName", "a.txt", "useUniqueFileName", "false")
		if got := fetch(t, s.Address+"/a.txt"); got != "a" {
			t.Errorf("the owner reads %q", got)
		}
	})
}

// TestOneStoreOfALibrary: instances of a library in PostgreSQL use one store. Another one
// is used once the contents were copied there and no instance uses the earlier one.
func TestOneStoreOfALibrary(t *testing.T) {
	for _, kind := range contentEngines {
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
				var refused *local.OtherStoreError
				if !errors.As(err, &refused) {
					t.Errorf("%s: %v", reason, err)
				}
			}
			first, second := with(), with()
			s := serve(t, first)
			refuses(second, "another store while the first is used")
			upload(t, s.Address, []byte("a"), "fileName", "a.txt", "useUniqueFileName", "false")
			end(t, s)
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
			var refused *local.OtherStoreError
			if err := move(second, first); !errors.As(err, &refused) {
				t.Errorf("contents are copied from a store of another library: %v", err)
			}
			s = serve(t, first)
			if err := move(first, second); err != nil {
				t.Fatal(err)
			}
			refuses(second, "a copy while the first is used")
			end(t, s)
			end(t, serve(t, first)) // it may go on until another uses the copy
			s = serve(t, second)
			if got := fetch(t, s.Address+"/a.txt"); got != "a" {
				t.Errorf("in the copy the file is %q", got)
			}
			end(t, s)
			refuses(first, "the first store after the move")
		})
	}
}
