package local_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/local"
	"mediadesk/api/local/store"
)

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// contentPath returns the path of a content under dir, in whichever folder it is, or "" if it is
// missing.
func contentPath(t *testing.T, dir string, data []byte) (found string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == sum(data) {
			found = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func inFolder(t *testing.T, dir, folder string, data []byte) bool {
	t.Helper()
	rel, _ := filepath.Rel(dir, contentPath(t, dir, data))
	return strings.HasPrefix(rel, folder)
}

// age makes all contents of a library older.
func age(t *testing.T, dir string, by time.Duration) {
	t.Helper()
	for _, folder := range []string{"contents", "set-aside"} {
		filepath.WalkDir(filepath.Join(dir, folder), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				info, err := entry.Info()
				if err != nil {
					t.Error(err)
				}
				then := info.ModTime().Add(-by)
				if err := os.Chtimes(path, then, then); err != nil {
					t.Error(err)
				}
			}
			return nil
		})
	}
}

// logged collects the log of a library.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) has(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), text)
}

func (l *logged) options(dir string) local.Options {
	return local.Options{Dir: dir, Log: slog.New(slog.NewTextHandler(l, nil))}
}

// pictures returns n contents for a library.
func pictures(n int) (list [][]byte) {
	for i := range n {
		list = append(list, fmt.Appendf(nil, "picture %d", i))
	}
	return list
}

func store20(t *testing.T, dir string) [][]byte {
	t.Helper()
	s := serve(t, local.Options{Dir: dir})
	if err := store.Snapshot(t.Context(), filepath.Join(dir, "library.db"), filepath.Join(dir, "empty")); err != nil {
		t.Fatal(err)
	}
	list := pictures(20)
	for n, data := range list {
		upload(t, s.Address, data, "fileName", fmt.Sprintf("p%d.txt", n), "useUniqueFileName", "false")
	}
	if err := s.Library.Snapshot(); err != nil {
		t.Fatal(err)
	}
	closeServer(t, s)
	return list
}

func removeRecords(t *testing.T, dir string) {
	t.Helper()
	if err := store.RemoveRecords(filepath.Join(dir, "library.db")); err != nil {
		t.Fatal(err)
	}
}

// TestLostRecords: a library whose records are missing, empty, new or damaged does not open.
// Nothing is removed, and repairing restores everything.
func TestLostRecords(t *testing.T) {
	for name, lose := range map[string]func(t *testing.T, dir string){
		"missing": removeRecords,
		"empty": func(t *testing.T, dir string) {
			removeRecords(t, dir)
			if err := os.WriteFile(filepath.Join(dir, "library.db"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"new": func(t *testing.T, dir string) {
			removeRecords(t, dir)
			records, err := store.OpenRecords(t.Context(), filepath.Join(dir, "library.db"))
			if err != nil {
				t.Fatal(err)
			}
			records.Close()
		},
		"older and empty": func(t *testing.T, dir string) {
			removeRecords(t, dir)
			if err := os.Rename(filepath.Join(dir, "empty"), filepath.Join(dir, "library.db")); err != nil {
				t.Fatal(err)
			}
		},
		"garbage": func(t *testing.T, dir string) {
			removeRecords(t, dir)
			if err := os.WriteFile(filepath.Join(dir, "library.db"), bytes.Repeat([]byte("garbage "), 5000), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		for _, snapshot := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, snapshot %t", name, snapshot), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "library")
				list := store20(t, dir)
				if !snapshot {
					os.Remove(filepath.Join(dir, "library.db.snapshot"))
				}
				if name == "older and empty" && !snapshot {
					age(t, dir, 2*time.Hour) // younger ones could come from a crash
				}
				lose(t, dir)
				l, err := local.Open(t.Context(), local.Options{Dir: dir, Key: key(testKey)})
				if err == nil {
					l.Close()
					t.Fatal("opening: got no error")
				}
				if !strings.Contains(api.Hint(err), "serve --repair") {
					t.Errorf("opening failed with %v", err)
				}
				if name != "garbage" && snapshot != strings.Contains(err.Error(), "the last snapshot is ") {
					t.Errorf("the error does not name the snapshot: %v", err)
				}
				if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) == 0 || sum.Unrepaired == 0 {
					t.Errorf("checking found %v, %+v", kinds, sum)
				}
				if _, sum := checkFolder(t, dir, local.CheckOptions{Repair: true}); sum.Unrepaired != 0 {
					t.Errorf("repaired with %+v", sum)
				}
				if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 0 || sum.Files != len(list) {
					t.Errorf("afterwards %v, %+v", kinds, sum)
				}
				s := serve(t, local.Options{Dir: dir})
				for n, data := range list {
					path := fmt.Sprintf("/p%d.txt", n)
					if !snapshot { // their privacy is unknown, so they become private
						if status := ask(s.Library, "GET", "/recovered/"+sum(data)[:16]+".txt").Code; status != http.StatusForbidden && status != http.StatusUnauthorized {
							t.Errorf("content %d answers %d", n, status)
						}
						continue
					}
					if got := fetch(t, s.Address+path); got != string(data) {
						t.Errorf("%s is %q", path, got)
					}
				}
			})
		}
	}
}

// TestOlderRecords: contents that older records do not name are kept until the user decides.
func TestOlderRecords(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "library")
	s := serve(t, local.Options{Dir: dir})
	list := pictures(20)
	for n, data := range list {
		if n == 5 {
			if err := store.Snapshot(t.Context(), filepath.Join(dir, "library.db"), filepath.Join(dir, "backup")); err != nil {
				t.Fatal(err)
			}
		}
		upload(t, s.Address, data, "fileName", fmt.Sprintf("p%d.txt", n), "useUniqueFileName", "false")
	}
	closeServer(t, s)
	os.Remove(filepath.Join(dir, "library.db.snapshot"))
	removeRecords(t, dir)
	if err := os.Rename(filepath.Join(dir, "backup"), filepath.Join(dir, "library.db")); err != nil {
		t.Fatal(err)
	}
	age(t, dir, 2*time.Hour)
	var log logged
	s = serve(t, log.options(dir))
	eventually(t, "a word in the log", func() bool { return log.has("15 of 20 contents have no record") && log.has("serve --repair") })
	upload(t, s.Address, []byte("more"), "fileName", "more.txt")
	if err := s.Library.Snapshot(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "library.db.snapshot")); err == nil {
		t.Error("a snapshot was made of records that are too old")
	}
	closeServer(t, s)
	if kinds, _ := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 1 || kinds[0] != local.ProblemUnnamed {
		t.Errorf("checking found %v", kinds)
	}
	if _, sum := checkFolder(t, dir, local.CheckOptions{Repair: true}); sum.Unrepaired != 0 {
		t.Errorf("repaired with %+v", sum)
	}
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 0 || sum.Files != len(list)+1 {
		t.Errorf("afterwards %v, %+v", kinds, sum)
	}
}

// TestSetAside: contents without a record are set aside after an hour, restored when a record
// names them, and removed after 30 days.
func TestSetAside(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "library")
	list := store20(t, dir)
	backup := filepath.Join(dir, "backup")
	if err := store.Snapshot(t.Context(), filepath.Join(dir, "library.db"), backup); err != nil {
		t.Fatal(err)
	}
	// A crash before the record was written leaves contents like these.
	records, err := store.OpenRecords(t.Context(), filepath.Join(dir, "library.db"))
	if err != nil {
		t.Fatal(err)
	}
	err = records.Update(t.Context(), func(tx store.Tx) error {
		for _, name := range []string{"p0.txt", "p1.txt"} {
			f, err := tx.FileAt("/", name)
			if err != nil {
				return err
			}
			if err := tx.DeleteFile(f.ID); err != nil {
				return err
			}
		}
		found, err := tx.Deletions()
		for _, d := range found {
			err = errors.Join(err, tx.ForgetDeletion(d))
		}
		return err
	})
	if err := errors.Join(err, records.Close()); err != nil {
		t.Fatal(err)
	}
	swept := func(o local.Options) {
		t.Helper()
		s := serve(t, o)
		s.Library.Sweep()
		closeServer(t, s)
	}
	swept(local.Options{Dir: dir})
	if !inFolder(t, dir, "contents", list[0]) {
		t.Error("a young content was set aside")
	}
	age(t, dir, 2*time.Hour)
	swept(local.Options{Dir: dir})
	for _, data := range list[:2] {
		if !inFolder(t, dir, "set-aside", data) {
			t.Error("the content was not set aside after an hour")
		}
	}
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 0 || sum.Aside != 2 {
		t.Errorf("checking found %v, %+v", kinds, sum)
	}
	age(t, dir, 29*24*time.Hour)
	swept(local.Options{Dir: dir})
	if !inFolder(t, dir, "set-aside", list[0]) || !inFolder(t, dir, "set-aside", list[1]) {
		t.Error("the content was removed before 30 days")
	}
	// The earlier records name the contents again.
	if err := os.Rename(filepath.Join(dir, "library.db"), filepath.Join(dir, "later")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(backup, filepath.Join(dir, "library.db")); err != nil {
		t.Fatal(err)
	}
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{Repair: true}); len(kinds) != 0 || sum.Files != len(list) {
		t.Errorf("repaired %v, %+v", kinds, sum)
	}
	if !inFolder(t, dir, "contents", list[0]) {
		t.Error("the content was not restored")
	}
	removeRecords(t, dir)
	if err := os.Rename(filepath.Join(dir, "later"), filepath.Join(dir, "library.db")); err != nil {
		t.Fatal(err)
	}
	age(t, dir, 2*time.Hour)
	swept(local.Options{Dir: dir})
	age(t, dir, 31*24*time.Hour)
	swept(local.Options{Dir: dir})
	for n, data := range list {
		if gone := contentPath(t, dir, data) == ""; gone != (n < 2) {
			t.Errorf("content %d is gone: %t", n, gone)
		}
	}
}

// TestDeletedContents: the space of a deleted file is free soon. The next start finishes what a
// crash interrupted, and a content that is stored again stays.
func TestDeletedContents(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "library")
	s := serve(t, local.Options{Dir: dir})
	kept, once, twice := []byte("kept"), []byte("once"), []byte("twice")
	upload(t, s.Address, kept, "fileName", "kept")
	first := upload(t, s.Address, once, "fileName", "once")
	upload(t, s.Address, twice, "fileName", "twice")
	second := upload(t, s.Address, twice, "fileName", "again")
	remove := func(s *local.Server, record map[string]any) {
		t.Helper()
		if status := ask(s.Library, "DELETE", fmt.Sprint("/v1/files/", record["fileId"])).Code; status != 204 {
			t.Fatalf("deleting answered %d, want 204", status)
		}
	}
	remove(s, first)
	remove(s, second)
	eventually(t, "removing the content", func() bool { return contentPath(t, dir, once) == "" })
	if contentPath(t, dir, twice) == "" || contentPath(t, dir, kept) == "" {
		t.Error("a content that has a record was removed")
	}
	closeServer(t, s)

	// The library crashes between the deletion and the removal.
	s = serve(t, local.Options{Dir: dir})
	left, later := []byte("left"), []byte("stored again")
	a, b := upload(t, s.Address, left, "fileName", "a"), upload(t, s.Address, later, "fileName", "b")
	closeServer(t, s)
	records, err := store.OpenRecords(t.Context(), filepath.Join(dir, "library.db"))
	if err != nil {
		t.Fatal(err)
	}
	err = records.Update(t.Context(), func(tx store.Tx) error {
		return errors.Join(tx.DeleteFile(a["fileId"].(string)), tx.DeleteFile(b["fileId"].(string)))
	})
	if err := errors.Join(err, records.Close()); err != nil {
		t.Fatal(err)
	}
	// Older records may list for deletion what was stored again later.
	path, then := contentPath(t, dir, later), time.Now().Add(time.Minute)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
	s = serve(t, local.Options{Dir: dir})
	upload(t, s.Address, left, "fileName", "a") // before or after it is removed
	s.Library.Sweep()
	if contentPath(t, dir, left) == "" || contentPath(t, dir, later) == "" {
		t.Error("a content that was stored again was removed")
	}
	closeServer(t, s)
	if kinds, _ := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 0 {
		t.Errorf("found %v", kinds)
	}
}

// TestSnapshotOfEmptiedLibrary: a snapshot without files does not replace one with files.
func TestSnapshotOfEmptiedLibrary(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "library")
	s := serve(t, local.Options{Dir: dir})
	record := upload(t, s.Address, []byte("a"), "fileName", "a")
	if err := s.Library.Snapshot(); err != nil {
		t.Fatal(err)
	}
	ask(s.Library, "DELETE", fmt.Sprint("/v1/files/", record["fileId"]))
	if err := s.Library.Snapshot(); err != nil {
		t.Fatal(err)
	}
	if store.Empty(t.Context(), filepath.Join(dir, "library.db.snapshot")) {
		t.Error("the snapshot is empty")
	}
	closeServer(t, s)
	serve(t, local.Options{Dir: dir}) // a library that was emptied on purpose opens
}
