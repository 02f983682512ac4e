package local_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mediadesk/api/local"
	"mediadesk/api/local/store"
)

// checkFolder verifies the library in dir and returns the kinds of its problems.
func checkFolder(t *testing.T, dir string, o local.CheckOptions) (kinds []string, sum local.Checked) {
	t.Helper()
	sum, err := local.Check(t.Context(), dir, o, func(p local.Problem) error {
		kinds = append(kinds, p.Kind)
		if o.Repair != (p.Repaired != "") {
			t.Errorf("%s, with repair %t", p, o.Repair)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return kinds, sum
}

// damage calls do with the path of the content. It fails if there is no such content.
func damage(t *testing.T, dir string, data []byte, do func(path string) error) {
	t.Helper()
	found := false
	err := filepath.WalkDir(filepath.Join(dir, "contents"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		got, err := os.ReadFile(path)
		if err == nil && bytes.Equal(got, data) {
			found = true
			err = do(path)
		}
		return err
	})
	if err != nil || !found {
		t.Fatalf("the content was found: %t, %v", found, err)
	}
}

func TestCheck(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "library")
	if _, err := local.Check(t.Context(), dir, local.CheckOptions{}, nil); err == nil {
		t.Error("got no error for a folder that does not exist")
	}
	s := serve(t, local.Options{Dir: dir})
	var names []any
	data := [][]byte{[]byte("missing"), []byte("longer"), []byte("other bytes"), []byte("whole"), []byte("the second of v")}
	for n, d := range data[:4] {
		names = append(names, upload(t, s.Address, d, "fileName", fmt.Sprint(n))["fileId"])
	}
	upload(t, s.Address, data[3], "fileName", "v", "useUniqueFileName", "false")
	second := upload(t, s.Address, data[4], "fileName", "v", "useUniqueFileName", "false")
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 0 || sum.Files != 5 || sum.Versions != 6 {
		t.Errorf("while it runs: %v, %+v", kinds, sum)
	}
	if _, err := local.Check(t.Context(), dir, local.CheckOptions{Repair: true}, nil); !errors.Is(err, local.ErrInUse) {
		t.Errorf("repairing while it runs ended with %v", err)
	}
	closeServer(t, s)

	damage(t, dir, data[0], os.Remove)
	damage(t, dir, data[1], func(path string) error { return os.WriteFile(path, []byte("much longer"), 0o600) })
	damage(t, dir, data[2], func(path string) error { return os.WriteFile(path, []byte("OTHER BYTES"), 0o600) })
	damage(t, dir, data[4], os.Remove)
	kinds, _ := checkFolder(t, dir, local.CheckOptions{})
	count := map[string]int{}
	for _, kind := range kinds {
		count[kind]++
	}
	if len(kinds) != 4 || count[local.ProblemMissing] != 2 || count[local.ProblemSize] != 1 || count[local.ProblemHash] != 1 {
		t.Errorf("found %v", kinds)
	}
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{Repair: true}); len(kinds) != 4 || sum.Unrepaired != 0 {
		t.Errorf("repaired %v, %+v", kinds, sum)
	}
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 0 || sum.Files != 2 {
		t.Errorf("afterwards: %v, %+v", kinds, sum)
	}
	again := serve(t, local.Options{Dir: dir})
	if now := details(t, again.Address, second["fileId"]); fmt.Sprint(now["size"]) != fmt.Sprint(len(data[3])) {
		t.Errorf("v is %v", now)
	}
	if now := details(t, again.Address, names[3]); now["size"] == nil {
		t.Errorf("what was whole is %v", now)
	}
	aside, err := os.ReadDir(filepath.Join(dir, "damaged"))
	if err != nil || len(aside) != 2 {
		t.Errorf("set aside: %v, %v", aside, err)
	}
}

// TestDamagedRecords: an unreadable database is replaced by the snapshot that a running library keeps.
func TestDamagedRecords(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, local.Options{Dir: dir})
	before := upload(t, s.Address, []byte("before"), "fileName", "a")
	if err := s.Library.Snapshot(); err != nil {
		t.Fatal(err)
	}
	upload(t, s.Address, []byte("after"), "fileName", "b")
	closeServer(t, s)
	path := filepath.Join(dir, "library.db")
	if err := os.WriteFile(path, bytes.Repeat([]byte("broken"), 10_000), 0o600); err != nil {
		t.Fatal(err)
	}
	if kinds, _ := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 1 || kinds[0] != local.ProblemRecords {
		t.Errorf("found %v", kinds)
	}
	// Only the content remains of what was stored after the snapshot.
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{Repair: true}); !slices.Equal(kinds, []string{local.ProblemRecords, local.ProblemUnnamed}) || sum.Unrepaired != 0 || sum.Files != 2 {
		t.Errorf("repaired %v, %+v", kinds, sum)
	}
	again := serve(t, local.Options{Dir: dir})
	if now := details(t, again.Address, before["fileId"]); now["name"] != before["name"] {
		t.Errorf("the file is %v", now)
	}
}

// TestBackup copies a folder while pictures are stored, replaced and described in it, and repairs
// the copy. With the original at hand the copy has everything that was there when copying began.
// Without it the copy is consistent.
func TestBackup(t *testing.T) {
	for _, helped := range []bool{true, false} {
		t.Run(fmt.Sprintf("from the original %t", helped), func(t *testing.T) {
			base := t.TempDir()
			dir := filepath.Join(base, "library")
			s := serve(t, local.Options{Dir: dir})
			var stored sync.Map // id to name
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var wg sync.WaitGroup
			rounds := make(chan struct{}, 1000)
			var pause sync.RWMutex // locked while a copy is checked, so that a slow machine does not have to check more files
			for line := range 3 {
				wg.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						pause.RLock()
						data := fmt.Appendf(nil, "%d of %d", n, line)
						r := upload(t, s.Address, data, "fileName", fmt.Sprintf("%d-%d", line, n%50), "useUniqueFileName", "false", "tags", fmt.Sprint(n))
						stored.Store(r["fileId"], r["name"])
						call(t, "PATCH", fmt.Sprintf("%s/v1/files/%v/details", s.Address, r["fileId"]), "application/json", strings.NewReader(`{"tags":["x","y"]}`))
						pause.RUnlock()
						select {
						case rounds <- struct{}{}:
						default:
						}
					}
				})
			}
			for copied := range 3 {
				for range 30 {
					<-rounds
				}
				if err := s.Library.Snapshot(); err != nil {
					t.Fatal(err)
				}
				there := map[any]any{}
				stored.Range(func(id, name any) bool { there[id] = name; return true })
				copyDir := filepath.Join(base, fmt.Sprint("copy", copied))
				copyRunning(t, dir, copyDir)
				pause.Lock()
				o := local.CheckOptions{Repair: true}
				if helped {
					o.From = dir
				}
				if _, sum := checkFolder(t, copyDir, o); sum.Unrepaired != 0 {
					t.Errorf("repairing left %+v", sum)
				}
				kinds, sum := checkFolder(t, copyDir, local.CheckOptions{})
				if len(kinds) != 0 || helped && sum.Files < len(there) {
					t.Errorf("the copy has %v, %+v; %d files were there", kinds, sum, len(there))
				}
				if _, owned := local.Find(copyDir); owned {
					t.Error("the copy is taken for a library that is being served")
				}
				again := serve(t, local.Options{Dir: copyDir})
				for id, name := range there {
					if helped && details(t, again.Address, id)["name"] != name {
						t.Errorf("%v is not in the copy", name)
					}
				}
				closeServer(t, again)
				pause.Unlock()
			}
			stop()
			wg.Wait()
		})
	}
}

// copyRunning copies a folder as cp -r does, while files in it change.
func copyRunning(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCheckEveryEngine finds a missing content with every combination of engines, also while the library runs.
func TestCheckEveryEngine(t *testing.T) {
	onEachEngine(t, func(t *testing.T, o local.Options) {
		s := serve(t, o)
		for name, text := range map[string]string{"a.txt": "one", "b.txt": "two"} {
			upload(t, s.Address, []byte(text), "fileName", name, "useUniqueFileName", "false")
		}
		check := local.CheckOptions{Storage: o.Storage, Database: o.Database}
		if kinds, sum := checkFolder(t, o.Dir, check); len(kinds) != 0 || sum.Files != 2 || sum.Bytes != 6 {
			t.Errorf("found %v, %+v", kinds, sum)
		}
		contents, err := store.OpenContents(filepath.Join(o.Dir, "contents"))
		if o.Storage != "" {
			contents, err = store.OpenStorage(t.Context(), o.Storage)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer contents.Close()
		list, err := contents.List(fmt.Sprintf("%x", sha256.Sum256([]byte("two"))))
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		if err := contents.Remove(list[0], func() (bool, error) { return true, nil }); err != nil {
			t.Fatal(err)
		}
		if kinds, _ := checkFolder(t, o.Dir, check); !slices.Equal(kinds, []string{local.ProblemMissing}) {
			t.Errorf("without a content it found %v", kinds)
		}
		check.Repair = true
		if _, err := local.Check(t.Context(), o.Dir, check, nil); err == nil {
			t.Error("a running library was repaired")
		}
	})
}
