package local_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mediadesk/api/local"
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
