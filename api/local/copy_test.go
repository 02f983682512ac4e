package local_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/api/local"
)

// TestCopyContents: a library goes from its folder to a store and back. What was copied
// is not copied again, and what is damaged is reported and not copied.
func TestCopyContents(t *testing.T) {
	onEachEngine(t, func(t *testing.T, o local.Options) {
		if o.Storage == "" {
			t.Skip("a folder is where it begins")
		}
		if o.Database != "" {
			t.Skip("the contents are the same, and a check is of the records in a folder")
		}
		dir, storage := o.Dir, o.Storage
		s := serve(t, local.Options{Dir: dir})
		texts := map[string]string{"a.txt": "one", "b.txt": "two", "large.bin": strings.Repeat("large", 2_000_000)}
		for name, text := range texts {
			upload(t, s.Address, []byte(text), "fileName", name, "useUniqueFileName", "false")
		}
		copied := func(from, to string) local.Copied {
			t.Helper()
			sum, err := local.CopyContents(t.Context(), local.Options{Dir: dir, Storage: from}, to, func(p local.Problem) error {
				t.Log(p)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return sum
		}
		if sum := copied("", storage); sum.Contents != 3 || sum.Present != 0 {
			t.Errorf("the first time %+v", sum)
		}
		upload(t, s.Address, []byte("three"), "fileName", "c.txt", "useUniqueFileName", "false")
		texts["c.txt"] = "three"
		end(t, s)
		if sum := copied("", storage); sum.Contents != 1 || sum.Present != 3 {
			t.Errorf("the second time %+v", sum)
		}
		if err := os.RemoveAll(filepath.Join(dir, "contents")); err != nil {
			t.Fatal(err)
		}
		check := func(storage string, want int) {
			t.Helper()
			sum, err := local.Check(t.Context(), dir, local.CheckOptions{Storage: storage}, func(p local.Problem) error {
				t.Log(p)
				return nil
			})
			if err != nil || sum.Problems != want || sum.Files != 4 {
				t.Errorf("checked %+v, %v; want %d problems", sum, err, want)
			}
		}
		check(storage, 0)
		check("", 4)
		s = serve(t, local.Options{Dir: dir, Storage: storage})
		for name, text := range texts {
			if fetch(t, s.Address+"/"+name) != text {
				t.Errorf("%s is not served from the store", name)
			}
		}
		end(t, s)
		if sum := copied(storage, ""); sum.Contents != 4 {
			t.Errorf("back %+v", sum)
		}
		check("", 0)
		if _, err := local.CopyContents(t.Context(), o, storage, nil); err == nil {
			t.Error("a storage was copied to itself")
		}
	})
}
