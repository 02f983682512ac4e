package local_test

import (
	"bytes"
	"context"
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
	"mediadesk/api/media/mediatest"
)

// checkFolder verifies the library in dir and returns the kinds of its problems.
func checkFolder(t *testing.T, dir string, o local.CheckOptions) (kinds []string, sum local.Checked) {
	t.Helper()
	sum, err := local.Check(t.Context(), dir, o, func(p local.Problem) error {
		kinds = append(kinds, p.Kind)
		mediatest.Equal(t, p.Help == "", p.Repaired != "", "%s: neither repaired nor explained, or both", p)
		return nil
	})
	must(t, err)
	return kinds, sum
}

// damage calls do with the path of the content. It fails if there is no such content.
func damage(t *testing.T, dir string, data []byte, do func(path string) error) {
	t.Helper()
	found := false
	err := filepath.WalkDir(filepath.Join(dir, "contents"),
		func(path string, entry fs.DirEntry, err error) error {
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
	data := [][]byte{[]byte("missing"), []byte("longer"), []byte("other bytes"), []byte("whole"), []byte("the second of v")}
	for n, d := range data[:4] {
		upload(t, s.Address, d, "fileName", fmt.Sprint(n))
	}
	upload(t, s.Address, data[3], "fileName", "v", "useUniqueFileName", "false")
	upload(t, s.Address, data[4], "fileName", "v", "useUniqueFileName", "false")
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 0 || sum.Files != 5 ||
		sum.Versions != 6 {
		t.Errorf("while it runs: %v, %+v", kinds, sum)
	}
	_, err := local.Check(t.Context(), dir, local.CheckOptions{Repair: true}, nil)
	if !errors.Is(err, local.ErrInUse) {
		t.Errorf("repairing while it runs ended with %v", err)
	}
	closeServer(t, s)

	damage(t, dir, data[0], os.Remove)
	damage(t, dir, data[1],
		func(path string) error { return os.WriteFile(path, []byte("much longer"), 0o600) })
	damage(t, dir, data[2],
		func(path string) error { return os.WriteFile(path, []byte("OTHER BYTES"), 0o600) })
	damage(t, dir, data[4], os.Remove)
	kinds, _ := checkFolder(t, dir, local.CheckOptions{})
	count := map[string]int{}
	for _, kind := range kinds {
		count[kind]++
	}
	if len(kinds) != 4 || count[local.ProblemMissing] != 2 || count[local.ProblemSize] != 1 ||
		count[local.ProblemHash] != 1 {
		t.Errorf("found %v", kinds)
	}
	// Records are kept: their contents may come back from a backup, or with another upload.
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{Repair: true}); len(kinds) != 4 ||
		sum.Unrepaired != 4 {
		t.Errorf("repaired %v, %+v", kinds, sum)
	}
	again := serve(t, local.Options{Dir: dir})
	for n, d := range data[:3] {
		upload(t, again.Address, d, "fileName", fmt.Sprint("again", n))
	}
	upload(t, again.Address, data[4], "fileName", "again")
	closeServer(t, again)
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 0 || sum.Files != 9 {
		t.Errorf("afterwards: %v, %+v", kinds, sum)
	}
}

// TestDamagedRecords: an unreadable database is replaced by the snapshot that a running library keeps.
func TestDamagedRecords(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, local.Options{Dir: dir})
	before := upload(t, s.Address, []byte("before"), "fileName", "a")
	must(t, s.Library.Snapshot())
	path := filepath.Join(dir, "library.db")
	must(t, os.Rename(path+".snapshot", path+".older"))
	upload(t, s.Address, []byte("after"), "fileName", "b")
	closeServer(t, s)
	must(t, os.Rename(path+".older", path+".snapshot"))
	must(t, os.WriteFile(path, bytes.Repeat([]byte("broken"), 10_000), 0o600))
	if kinds, _ := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 1 ||
		kinds[0] != local.ProblemRecords {
		t.Errorf("found %v", kinds)
	}
	// What was stored after the snapshot is set aside.
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{Repair: true}); !slices.Equal(kinds, []string{
		local.ProblemRecords, local.ProblemUnnamed,
	}) || sum.Unrepaired != 0 || sum.Files != 1 || sum.Aside != 1 {
		t.Errorf("repaired %v, %+v", kinds, sum)
	}
	mediatest.Equal(t, inFolder(t, dir, "set-aside", []byte("after")), true, "the content without a record is set aside")
	if kept, err := filepath.Glob(path + ".before-repair-*"); err != nil || len(kept) != 1 {
		t.Errorf("the damaged records are kept as %v, %v", kept, err)
	}
	again := serve(t, local.Options{Dir: dir})
	mediatest.Equal(t, details(t, again.Address, before["fileId"])["name"], before["name"], "the name of the file")
}

// TestBackup copies a folder while pictures are stored, replaced and described in it, as docs/backup.md
// says. The copy has everything that its snapshot names.
func TestBackup(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir, backup := filepath.Join(base, "library"), filepath.Join(base, "backup")
	s := serve(t, local.Options{Dir: dir})
	var stored sync.Map // id to name
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	rounds := make(chan struct{}, 1000)
	for line := range 3 {
		wg.Go(func() {
			for n := 0; n < 300 && ctx.Err() == nil; n++ {
				data := fmt.Appendf(nil, "%d of %d", n, line)
				r := upload(t, s.Address, data, "fileName", fmt.Sprintf("%d-%d", line, n%50), "useUniqueFileName", "false", "tags", fmt.Sprint(n))
				stored.Store(r["fileId"], r["name"])
				call(t, "PATCH", fmt.Sprintf("%s/v1/files/%v/details", s.Address, r["fileId"]), "application/json", strings.NewReader(`{"tags":["x","y"]}`))
				rounds <- struct{}{}
			}
		})
	}
	for range 60 {
		<-rounds
	}
	there := map[any]any{}
	stored.Range(func(id, name any) bool { there[id] = name; return true })
	must(t, s.Library.Snapshot())
	copyRunning(t, dir, backup)
	removeRecords(t, backup)
	copyRunning(t, filepath.Join(dir, "contents"), filepath.Join(backup, "contents"))
	if _, sum := checkFolder(t, backup, local.CheckOptions{Repair: true}); sum.Unrepaired != 0 {
		t.Errorf("repairing left %+v", sum)
	}
	if kinds, sum := checkFolder(t, backup, local.CheckOptions{}); len(kinds) != 0 || sum.Files < len(there) {
		t.Errorf("the copy has %v, %+v; %d files were there", kinds, sum, len(there))
	}
	if _, _, owned := local.Find(backup); owned {
		t.Error("the copy is taken for a library that is being served")
	}
	again := serve(t, local.Options{Dir: backup})
	for id, name := range there {
		mediatest.Equal(t, details(t, again.Address, id)["name"], name, "the name in the copy")
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
	must(t, err)
}

// TestCopyContents copies a library from its folder to a store and back. Contents that the target
// has are not copied again. Damaged contents are reported and not copied.
func TestCopyContents(t *testing.T) {
	t.Parallel()
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
			sum, err := local.CopyContents(t.Context(), local.Options{Dir: dir, Storage: from},
				to, func(p local.Problem) error {
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
			sum, err := local.Check(t.Context(), dir,
				local.CheckOptions{Storage: storage}, func(p local.Problem) error {
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
			mediatest.Equal(t, fetch(t, s.Address+"/"+name), text, "%s from the store", name)
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
