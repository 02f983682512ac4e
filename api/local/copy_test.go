package local_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
)

// TestCopyContents copies a library from its folder to a store and back. Contents that the target
// has are not copied again. Damaged contents are reported and not copied.
func TestCopyContents(t *testing.T) {
	mediatest.SkipRacing(t)
	onEngines(t, recordEngines[0], contentEngines[2], func(t *testing.T, o local.Options) {
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
			must(t, err)
			return sum
		}
		if sum := copied("", storage); sum.Contents != 3 || sum.Present != 0 {
			t.Errorf("first copy: got %+v", sum)
		}
		upload(t, s.Address, []byte("three"), "fileName", "c.txt", "useUniqueFileName", "false")
		texts["c.txt"] = "three"
		closeServer(t, s)
		if sum := copied("", storage); sum.Contents != 1 || sum.Present != 3 {
			t.Errorf("second copy: got %+v", sum)
		}
		must(t, os.RemoveAll(filepath.Join(dir, "contents")))
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
		closeServer(t, s)
		if sum := copied(storage, ""); sum.Contents != 4 {
			t.Errorf("copying back: got %+v", sum)
		}
		check("", 0)
		if _, err := local.CopyContents(t.Context(), o, storage, nil); err == nil {
			t.Error("copying a storage to itself: got no error")
		}
	})
}
