package local_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/local"
	"mediadesk/api/local/store"
	"mediadesk/api/local/store/storetest"
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
				must(t, os.Chtimes(path, then, then))
			}
			return nil
		})
	}
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
	mediatest.OnlyWithEverything(t)
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
			must(t, os.WriteFile(filepath.Join(dir, "library.db"), bytes.Repeat([]byte("garbage "), 5000),
				0o600))
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
				if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) == 0 ||
					sum.Unrepaired == 0 {
					t.Errorf("checking found %v, %+v", kinds, sum)
				}
				_, sum := checkFolder(t, dir, local.CheckOptions{Repair: true})
				if !snapshot {
					if sum.Unrepaired == 0 {
						t.Error("repaired without a snapshot")
					}
					for n, data := range list {
						mediatest.Equal(t, inFolder(t, dir, "contents", data), true, "content %d stays in its folder", n)
					}
					return
				}
				mediatest.Equal(t, sum.Unrepaired, 0, "repaired with %+v", sum)
				if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 0 ||
					sum.Files != len(list) {
					t.Errorf("afterwards %v, %+v", kinds, sum)
				}
				s := serve(t, local.Options{Dir: dir})
				for n, data := range list {
					mediatest.Equal(t, fetch(t, s.Address+fmt.Sprintf("/p%d.txt", n)), string(data),
						"file %d", n)
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
			if l, err := local.Open(t.Context(), local.Options{
				Dir: dir, Key: key(testKey), Log: slog.New(slog.DiscardHandler),
			}); err == nil {
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
			if kinds, sum := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 0 ||
				sum.Files != len(list) {
				t.Errorf("afterwards %v, %+v", kinds, sum)
			}
			for n, data := range list {
				mediatest.Equal(t, inFolder(t, dir, "contents", data), true, "content %d stays in its folder", n)
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
			must(t, store.Snapshot(t.Context(), filepath.Join(dir, "library.db"),
				filepath.Join(dir, "backup")))
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
	s = serve(t, local.Options{Dir: dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
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
	if kinds, _ := checkFolder(t, dir, local.CheckOptions{}); len(kinds) != 1 ||
		kinds[0] != local.ProblemUnnamed {
		t.Errorf("checking found %v", kinds)
	}
	if _, sum := checkFolder(t, dir, local.CheckOptions{Repair: true}); sum.Unrepaired != 0 ||
		sum.Files != 6 || sum.Aside != 15 {
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
	if _, sum := checkFolder(t, dir, local.CheckOptions{Repair: true}); sum.Unrepaired != 0 ||
		sum.Files != len(list) || sum.Aside != 1 {
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
	mediatest.Equal(t, inFolder(t, dir, "contents", list[0]), true, "a young content stays in its folder")
	age(t, dir, 2*time.Hour)
	swept(local.Options{Dir: dir})
	for _, data := range list[:2] {
		mediatest.Equal(t, inFolder(t, dir, "set-aside", data), true, "the content is set aside after an hour")
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
	if kinds, sum := checkFolder(t, dir, local.CheckOptions{Repair: true}); len(kinds) != 0 ||
		sum.Files != len(list) {
		t.Errorf("repaired %v, %+v", kinds, sum)
	}
	mediatest.Equal(t, inFolder(t, dir, "contents", list[0]), true, "the content is restored")
	removeRecords(t, dir)
	must(t, os.Rename(filepath.Join(dir, "later"), filepath.Join(dir, "library.db")))
	age(t, dir, 2*time.Hour)
	swept(local.Options{Dir: dir})
	age(t, dir, 31*24*time.Hour)
	swept(local.Options{Dir: dir})
	for n, data := range list {
		mediatest.Equal(t, contentPath(t, dir, data) == "", n < 2, "content %d is gone", n)
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
		status := ask(s.Library, "DELETE", fmt.Sprint("/v1/files/", record["fileId"])).Code
		mediatest.Equal(t, status, 204, "deleting answered")
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
	mediatest.Equal(t, store.Empty(t.Context(), filepath.Join(dir, "library.db.snapshot")), false, "the snapshot is empty")
	closeServer(t, s)
	serve(t, local.Options{Dir: dir}) // a library that was emptied on purpose opens
}

// TestSnapshotWhileWriting: what is stored while a snapshot is made is in the next one.
func TestSnapshotWhileWriting(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, local.Options{Dir: dir})
	upload(t, s.Address, []byte("a"), "fileName", "a")
	path := filepath.Join(dir, "library.db")
	start := time.Now()
	must(t, s.Library.Snapshot())
	first, err := os.Stat(path + ".snapshot")
	must(t, err)
	mediatest.Equal(t, first.ModTime().After(start), false, "the snapshot's time is after its start")
	for _, change := range []time.Duration{-time.Hour, 0} { // without a change, and with one when it began
		then := start.Add(change)
		must(t, errors.Join(os.Chtimes(path, then, then), os.Chtimes(path+"-wal", then, then)))
		must(t, s.Library.Snapshot())
		now, err := os.Stat(path + ".snapshot")
		must(t, err)
		mediatest.Equal(t, os.SameFile(first, now), change != 0,
			"a change at %v: a snapshot from %v, before from %v", then, now.ModTime(), first.ModTime())
	}
}

// TestFaultsOfTheStore uploads, reads and deletes through a store that refuses a tenth of its
// requests and breaks off another tenth. Every upload that was answered as stored is complete.
// Refused uploads are not listed, and leave only contents that a repeat would use.
func TestFaultsOfTheStore(t *testing.T) {
	t.Parallel()
	s3 := storetest.Serve(t)
	var mu sync.Mutex
	var on atomic.Bool
	random := rand.New(rand.NewPCG(1, 2))
	s3.Fault = func(w http.ResponseWriter, _ *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if !on.Load() || random.IntN(5) > 0 {
			return false
		}
		if random.IntN(2) == 0 {
			storetest.BreakOff(w)
		} else {
			http.Error(w, "on purpose", http.StatusServiceUnavailable)
		}
		return true
	}
	dir := t.TempDir()
	s := serve(t, local.Options{Dir: dir, Storage: s3.URL})
	on.Store(true)
	stored := map[string]string{} // text by name
	refused := 0
	for n := range 24 {
		name, text := fmt.Sprintf("%d.txt", n), fmt.Sprintf("text %d", n%16) // some texts twice
		if n%12 == 11 {
			text = strings.Repeat(text, 2_000_000)
		}
		contentType, body := form([]byte(text), "fileName", name, "useUniqueFileName", "false")
		status, answer, header := callHeader(t, http.MethodPost, s.Address+uploadV1, contentType, body)
		switch status {
		case http.StatusOK:
			stored[name] = text
			if n%7 == 0 {
				callHeader(t, http.MethodDelete, fmt.Sprintf("%s/v1/files/%v", s.Address, answer["fileId"]),
					"", nil)
				delete(stored, name)
			}
		case http.StatusServiceUnavailable:
			if refused++; header.Get("Retry-After") == "" {
				t.Errorf("%s was refused without Retry-After: %v", name, answer)
			}
		default:
			t.Errorf("%s was answered %d %v", name, status, answer)
		}
	}
	on.Store(false)
	t.Logf("%d of 24 were refused", refused)
	for name, text := range stored {
		if got := fetch(t, s.Address+"/"+name); got != text {
			t.Errorf("%s has %d bytes, want %d", name, len(got), len(text))
		}
	}
	closeServer(t, s)
	sum, err := local.Check(context.Background(), dir,
		local.CheckOptions{Storage: s3.URL}, func(p local.Problem) error {
			t.Error(p)
			return nil
		})
	if err != nil || sum.Files != len(stored) {
		t.Errorf("checked %+v, %v; want %d files", sum, err, len(stored))
	}
}

// TestStoreIsDown: while the store does not answer, uploads and reads are refused with Retry-After
// and health names the store. Afterwards everything works, and an interrupted extension run ends well.
func TestStoreIsDown(t *testing.T) {
	t.Parallel()
	s3 := storetest.Serve(t)
	var isDown atomic.Bool
	s3.Fault = func(w http.ResponseWriter, _ *http.Request) bool {
		if isDown.Load() {
			storetest.BreakOff(w)
		}
		return isDown.Load()
	}
	s := serve(t, local.Options{Storage: s3.URL})
	record := upload(t, s.Address, []byte("before"), "fileName", "before.txt", "useUniqueFileName", "false")
	isDown.Store(true)
	for what, ask := range map[string]func() (int, map[string]any, http.Header){
		"an upload": func() (int, map[string]any, http.Header) {
			contentType, body := form([]byte("meanwhile"), "fileName", "meanwhile.txt", "useUniqueFileName", "false")
			return callHeader(t, http.MethodPost, s.Address+uploadV1, contentType, body)
		},
		"a read": func() (int, map[string]any, http.Header) {
			return callHeader(t, http.MethodGet, s.Address+"/before.txt", "", nil)
		},
		"health": func() (int, map[string]any, http.Header) {
			return callHeader(t, http.MethodGet, s.Address+"/_mediadesk/health", "", nil)
		},
	} {
		status, answer, header := ask()
		if status != http.StatusServiceUnavailable ||
			!strings.Contains(fmt.Sprint(answer["message"]), "storage") {
			t.Errorf("%s was answered %d %v", what, status, answer)
		}
		mediatest.Equal(t, header.Get("Retry-After") == "", false, "%s was answered without Retry-After", what)
	}
	// Requests that need only the records work.
	mediatest.Equal(t, details(t, s.Address, record["fileId"])["name"], "before.txt", "the name in the record")
	isDown.Store(false)
	mediatest.Equal(t, fetch(t, s.Address+"/before.txt"), "before", "read")
	mediatest.Equal(t, fetch(t, s.Address+"/meanwhile.txt"), "", "a refused upload is stored")
	upload(t, s.Address, []byte("meanwhile"), "fileName", "meanwhile.txt", "useUniqueFileName", "false")
	status, _ := call(t, http.MethodGet, s.Address+"/_mediadesk/health", "", nil)
	mediatest.Equal(t, status, http.StatusOK, "health answers")
}
