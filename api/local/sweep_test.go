package local_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/local"
	"mediadesk/api/local/store"
	"mediadesk/api/media/mediatest"
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
	must(t, err)
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

// logTo returns the options of a library in dir that logs to b.
func logTo(b *buffer, dir string) local.Options {
	return local.Options{Dir: dir, Log: slog.New(slog.NewTextHandler(b, nil))}
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
	must(t, store.Snapshot(t.Context(), filepath.Join(dir, "library.db"), filepath.Join(dir, "empty")))
	list := pictures(20)
	for n, data := range list {
		upload(t, s.Address, data, "fileName", fmt.Sprintf("p%d.txt", n), "useUniqueFileName", "false")
	}
	must(t, s.Library.Snapshot())
	closeServer(t, s)
	return list
}

func removeRecords(t *testing.T, dir string) {
	t.Helper()
	must(t, store.MoveRecords(filepath.Join(dir, "library.db"), filepath.Join(t.TempDir(), "lost")))
}

// TestLostRecords: a library whose records are missing, empty, new or damaged does not open.
// Nothing is removed, and repairing restores the snapshot if there is one.
func TestLostRecords(t *testing.T) {
	t.Parallel()
	mediatest.SkipRacing(t)
	for name, lose := range map[string]func(t *testing.T, dir string){
		"missing": removeRecords,
		"empty": func(t *testing.T, dir string) {
			removeRecords(t, dir)
			must(t, os.WriteFile(filepath.Join(dir, "library.db"), nil, 0o600))
		},
		"new": func(t *testing.T, dir string) {
			removeRecords(t, dir)
			records, err := store.OpenRecords(t.Context(), filepath.Join(dir, "library.db"))
			must(t, err)
			records.Close()
		},
		"older and empty": func(t *testing.T, dir string) {
			removeRecords(t, dir)
			must(t, os.Rename(filepath.Join(dir, "empty"), filepath.Join(dir, "library.db")))
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
				_, sum := checkFolder(t, dir, local.CheckOptions{Repair: true})
				if !snapshot {
					if sum.Unrepaired == 0 {
						t.Error("repaired without a snapshot")
					}
					for n, data := range list {
						if !inFolder(t, dir, "contents", data) {
							t.Errorf("content %d was moved", n)
						}
					}
					return
				}
				if sum.Unrepaired != 0 {
					t.Errorf("repaired with %+v", sum)
				}
				if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 0 || sum.Files != len(list) {
					t.Errorf("afterwards %v, %+v", kinds, sum)
				}
				s := serve(t, local.Options{Dir: dir})
				for n, data := range list {
					if got := fetch(t, s.Address+fmt.Sprintf("/p%d.txt", n)); got != string(data) {
						t.Errorf("file %d is %q", n, got)
					}
				}
			})
		}
	}
}

// TestDamagedPages: a library with damaged or missing pages may open, but removes nothing. The check
// finds the damage, and the repair restores the snapshot.
func TestDamagedPages(t *testing.T) {
	mediatest.SkipRacing(t)
	base := filepath.Join(t.TempDir(), "library")
	list := store20(t, base)
	whole, err := os.ReadFile(filepath.Join(base, "library.db"))
	must(t, err)
	for name, damage := range map[string]func(data []byte) []byte{
		"truncated":   func(data []byte) []byte { return data[:len(data)/2] },
		"an odd size": func(data []byte) []byte { return data[:len(data)-1000] },
		"zeros":       func(data []byte) []byte { clear(data[len(data)/3 : len(data)/2]); return data },
		"every page": func(data []byte) []byte {
			for at := 5000; at < len(data); at += 4096 {
				data[at] ^= 0x55
			}
			return data
		},
		"page numbers": func(data []byte) []byte { copy(data[4096:], data[8192:16384]); return data },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "library")
			must(t, os.CopyFS(dir, os.DirFS(base)))
			age(t, dir, 2*time.Hour)
			must(t, os.WriteFile(filepath.Join(dir, "library.db"), damage(bytes.Clone(whole)), 0o600))
			if l, err := local.Open(t.Context(), local.Options{Dir: dir, Key: key(testKey), Log: slog.New(slog.DiscardHandler)}); err == nil {
				l.Sweep()
				ask(l, "GET", "/v1/files?limit=1000")
				l.Close() // may fail, too
			} else if !strings.Contains(api.Hint(err), "serve --repair") {
				t.Errorf("opening failed with %v", err)
			}
			if _, sum := checkFolder(t, dir, local.CheckOptions{}); sum.Unrepaired == 0 {
				t.Error("the check found nothing")
			}
			if _, sum := checkFolder(t, dir, local.CheckOptions{Repair: true}); sum.Unrepaired != 0 {
				t.Errorf("repaired with %+v", sum)
			}
			if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 0 || sum.Files != len(list) {
				t.Errorf("afterwards %v, %+v", kinds, sum)
			}
			for n, data := range list {
				if !inFolder(t, dir, "contents", data) {
					t.Errorf("content %d was moved", n)
				}
			}
		})
	}
}

// TestOlderRecords: contents that older records do not name are kept until the user decides. Then the
// repair restores a newer snapshot, or sets the contents aside.
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
	must(t, s.Library.Snapshot())
	closeServer(t, s)
	snapshot := filepath.Join(dir, "library.db.snapshot")
	must(t, os.Rename(snapshot, snapshot+"-newer"))
	removeRecords(t, dir)
	must(t, os.Rename(filepath.Join(dir, "backup"), filepath.Join(dir, "library.db")))
	age(t, dir, 2*time.Hour)
	var log buffer
	s = serve(t, logTo(&log, dir))
	eventually(t, "a word in the log", func() bool {
		text := log.String()
		return strings.Contains(text, "15 of 20 contents have no record") && strings.Contains(text, "serve --repair")
	})
	upload(t, s.Address, []byte("more"), "fileName", "more.txt")
	must(t, s.Library.Snapshot())
	if _, err := os.Stat(filepath.Join(dir, "library.db.snapshot")); err == nil {
		t.Error("a snapshot was made of records that are too old")
	}
	closeServer(t, s)
	if kinds, _ := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 1 || kinds[0] != local.ProblemUnnamed {
		t.Errorf("checking found %v", kinds)
	}
	if _, sum := checkFolder(t, dir, local.CheckOptions{Repair: true}); sum.Unrepaired != 0 || sum.Files != 6 || sum.Aside != 15 {
		t.Errorf("repaired without a snapshot: %+v", sum)
	}
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 0 || sum.Files != 6 {
		t.Errorf("afterwards %v, %+v", kinds, sum)
	}
	// The contents are back in the library, as after an old backup of the records.
	set, err := filepath.Glob(filepath.Join(dir, "set-aside", "*"))
	if err != nil || len(set) != 15 {
		t.Fatal(set, err)
	}
	for _, path := range set {
		hash := filepath.Base(path)
		must(t, os.Rename(path, filepath.Join(dir, "contents", hash[:2], hash)))
	}
	age(t, dir, 2*time.Hour)
	must(t, os.Rename(snapshot+"-newer", snapshot))
	if _, sum := checkFolder(t, dir, local.CheckOptions{Repair: true}); sum.Unrepaired != 0 || sum.Files != len(list) || sum.Aside != 1 {
		t.Errorf("repaired with the snapshot: %+v", sum)
	}
}

// TestSetAside: contents without a record are set aside after an hour, restored when a record
// names them, and removed after 30 days.
func TestSetAside(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "library")
	list := store20(t, dir)
	backup := filepath.Join(dir, "backup")
	must(t, store.Snapshot(t.Context(), filepath.Join(dir, "library.db"), backup))
	// A crash before the record was written leaves contents like these.
	records, err := store.OpenRecords(t.Context(), filepath.Join(dir, "library.db"))
	must(t, err)
	err = records.Update(t.Context(), func(tx store.Tx) error {
		for _, name := range []string{"p0.txt", "p1.txt"} {
			f, err := tx.Files.At("/", name)
			if err != nil {
				return err
			}
			if err := tx.Files.Delete(f.ID); err != nil {
				return err
			}
		}
		found, err := store.All[store.Deletion](tx, nil)
		for _, d := range found {
			err = errors.Join(err, tx.Remove(&d))
		}
		return err
	})
	must(t, errors.Join(err, records.Close()))
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
	must(t, os.Rename(filepath.Join(dir, "library.db"), filepath.Join(dir, "later")))
	must(t, os.Link(backup, filepath.Join(dir, "library.db")))
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{Repair: true}); len(kinds) != 0 || sum.Files != len(list) {
		t.Errorf("repaired %v, %+v", kinds, sum)
	}
	if !inFolder(t, dir, "contents", list[0]) {
		t.Error("the content was not restored")
	}
	removeRecords(t, dir)
	must(t, os.Rename(filepath.Join(dir, "later"), filepath.Join(dir, "library.db")))
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
	t.Parallel()
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
	must(t, err)
	err = records.Update(t.Context(), func(tx store.Tx) error {
		return errors.Join(tx.Files.Delete(a["fileId"].(string)), tx.Files.Delete(b["fileId"].(string)))
	})
	must(t, errors.Join(err, records.Close()))
	// Older records may list for deletion what was stored again later.
	path, then := contentPath(t, dir, later), time.Now().Add(time.Minute)
	must(t, os.Chtimes(path, then, then))
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
	must(t, s.Library.Snapshot())
	ask(s.Library, "DELETE", fmt.Sprint("/v1/files/", record["fileId"]))
	must(t, s.Library.Snapshot())
	if store.Empty(t.Context(), filepath.Join(dir, "library.db.snapshot")) {
		t.Error("the snapshot is empty")
	}
	closeServer(t, s)
	serve(t, local.Options{Dir: dir}) // a library that was emptied on purpose opens
}
