package store

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestDeleteField: deleting a field deletes its values, whatever its name, and changes no others.
func TestDeleteField(t *testing.T) { onEachEngine(t, testDeleteField) }

func testDeleteField(t *testing.T, r Records) {
	left := map[string]json.RawMessage{
		"text": json.RawMessage(`"a \"b\""`), "true": json.RawMessage(`true`), "list": json.RawMessage(`[1,"two",false]`), "number": json.RawMessage(`12345678901234567890.5`),
	}
	for _, name := range []string{"plain", "a.b", "with space", "é", "$", "a[0]", `a"b`, `a\\b`} {
		one, two := sample("/", "one of "+name), sample("/", "two of "+name)
		one.Metadata = map[string]json.RawMessage{name: json.RawMessage(`"gone"`)}
		for key, value := range left {
			one.Metadata[key] = value
		}
		two.Metadata = map[string]json.RawMessage{name: json.RawMessage(`1`)}
		field := &Field{ID: NewID(), Name: name, Label: "l", Schema: json.RawMessage(`{"type":"Text"}`)}
		err := r.Update(t.Context(), func(tx Tx) error {
			return errors.Join(tx.Files.Insert(one), tx.Files.Insert(two), tx.Add(field), tx.Library.DeleteField(field.ID, time.Now()))
		})
		must(t, err)
		err = r.View(t.Context(), func(tx Tx) error {
			first, err := Get[File](tx, one.ID)
			if err != nil || !reflect.DeepEqual(first.Metadata, left) {
				t.Errorf("%q: %s remains, %v", name, first.Metadata, err)
			}
			second, err := Get[File](tx, two.ID)
			if err != nil || second.Metadata != nil {
				t.Errorf("%q: %s remains, %v", name, second.Metadata, err)
			}
			return nil
		})
		must(t, err)
	}
	err := r.Update(t.Context(), func(tx Tx) error {
		taken := &Field{ID: NewID(), Name: "plain", Schema: json.RawMessage(`{"type":"Text"}`)}
		if err := tx.Add(taken); !errors.Is(err, ErrExists) {
			t.Errorf("the name of a deleted field: %v", err)
		}
		living, err := All[Field](tx, Filter{"deleted": 0})
		if err != nil || len(living) > 0 {
			t.Errorf("fields in use: %v, %v", living, err)
		}
		all, err := All[Field](tx, nil)
		if err != nil || len(all) != 8 || all[0].Deleted.IsZero() {
			t.Errorf("all fields: %v, %v", all, err)
		}
		return tx.Library.DeleteField(all[0].ID, time.Now())
	})
	if !errors.Is(err, ErrNotFound) {
		t.Errorf("a field that is deleted already: %v", err)
	}
	if err := r.Update(t.Context(), func(tx Tx) error { return tx.Library.DeleteField(NewID(), time.Now()) }); !errors.Is(err, ErrNotFound) {
		t.Errorf("a field that is not there: %v", err)
	}
}

// TestDeleteFolder deletes what is in the folder and nothing else.
func TestDeleteFolder(t *testing.T) { onEachEngine(t, testDeleteFolder) }

func testDeleteFolder(t *testing.T, r Records) {
	folders := map[string]bool{"/a/": true, "/a/b/": true, "/a/b/c/": true, "/a-/": false, "/a0/": false, "/a_/": false, "/aa/": false, "/é/a/": false}
	files := map[string]*File{}
	err := r.Update(t.Context(), func(tx Tx) error {
		for folder := range folders {
			files[folder] = sample(folder, "f")
			if err := errors.Join(tx.Folders.Make(folder, files[folder].Created), tx.Files.Insert(files[folder])); err != nil {
				return err
			}
		}
		return tx.Folders.Delete("/a/")
	})
	must(t, err)
	err = r.View(t.Context(), func(tx Tx) error {
		for folder, gone := range folders {
			_, err := Get[File](tx, files[folder].ID)
			_, errFolder := tx.Folders.At(folder)
			versions, errVersions := tx.Versions.Of(files[folder].ID)
			if errors.Is(err, ErrNotFound) != gone || errors.Is(errFolder, ErrNotFound) != gone || (len(versions) == 0) != gone || errVersions != nil {
				t.Errorf("%s: %v, %v, %d versions, %v", folder, err, errFolder, len(versions), errVersions)
			}
		}
		return nil
	})
	must(t, err)
}

// TestClearEmptiesEveryTable fails if Clear does not empty a new table.
func TestClearEmptiesEveryTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	openRecords(t, path)
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	rows, err := db.Query("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
	must(t, err)
	defer rows.Close()
	known := append([]string{"versions", "library", "deletions", "removals", "instances", "claims"}, cleared...)
	for rows.Next() {
		var table string
		must(t, rows.Scan(&table))
		if !slices.Contains(known, table) {
			t.Errorf("Clear leaves the table %s", table)
		}
	}
	must(t, rows.Err())
}

// TestLongNames: names of 4,096 bytes in paths of 8,192 are unique, found, listed in order, paged
// and deleted as short ones are.
func TestLongNames(t *testing.T) { onEachEngine(t, testLongNames) }

func testLongNames(t *testing.T, r Records) {
	random := rand.New(rand.NewPCG(1, 2))
	// Random characters, because the database compresses what it can.
	text := func(bytes int, from, to rune) string {
		var b strings.Builder
		for b.Len()+4 <= bytes {
			b.WriteRune(from + random.Int32N(to-from))
		}
		return b.String() + strings.Repeat("x", bytes-b.Len())
	}
	latin, chinese, emoji := text(4095, 'a', 'z'), text(4095, '一', '龠'), text(4095, '😀', '😿')
	folder := "/" + text(1364, '一', '龠') + "/" + text(1364, 'a', 'z') + "/" + text(1364, '😀', '😿') + "/"
	names := []string{"a", latin + "0", latin + "1", chinese + "0", chinese + "1", emoji + "1", emoji + "0", "zz", latin[:300], strings.Repeat("ж", 1000)}
	sorted := slices.Sorted(slices.Values(names))
	err := r.Update(t.Context(), func(tx Tx) error {
		for _, place := range []string{"/", folder} {
			if err := tx.Folders.Make(place, sample("/", "a").Created); err != nil {
				return err
			}
			for _, name := range names {
				if err := tx.Files.Insert(sample(place, name)); err != nil {
					return fmt.Errorf("%d bytes: %w", len(place+name), err)
				}
				if err := tx.Files.Insert(sample(place, name)); !errors.Is(err, ErrExists) {
					return fmt.Errorf("%d bytes twice: %w", len(place+name), err)
				}
			}
		}
		return nil
	})
	must(t, err)
	err = r.View(t.Context(), func(tx Tx) error {
		for _, place := range []string{"/", folder} {
			for _, name := range names {
				if f, err := tx.Files.At(place, name); err != nil || f.Name != name {
					t.Errorf("%d bytes: %v", len(place+name), err)
				}
			}
			var skipped, after []string
			last := &File{}
			for n := range names {
				list, err := tx.Files.List(Query{Files: true, Folder: place, Order: ByName, Skip: n, Limit: 1})
				if err != nil || len(list) != 1 {
					return fmt.Errorf("page %d has %d files: %w", n, len(list), err)
				}
				skipped = append(skipped, list[0].File.Name)
				list, err = tx.Files.List(Query{Files: true, Folder: place, Order: ByName, AfterName: last.Name, AfterFolder: last.Folder, Limit: 1})
				if err != nil || len(list) != 1 {
					return fmt.Errorf("after file %d are %d files: %w", n, len(list), err)
				}
				last = list[0].File
				after = append(after, last.Name)
			}
			if !slices.Equal(skipped, sorted) || !slices.Equal(after, sorted) {
				t.Errorf("the pages of %d names are not in order", len(names))
			}
		}
		found, err := tx.Files.List(Query{Files: true, Folders: true, Order: ByName, Limit: 99, Match: &Match{Subject: MatchName, Op: ":", Text: []string{latin[:1000]}}})
		if err != nil || len(found) != 4 {
			t.Errorf("found %d files by the beginning of their names, %v, want 4", len(found), err)
		}
		_, err = tx.Folders.At(folder)
		return err
	})
	must(t, err)
	err = r.Update(t.Context(), func(tx Tx) error {
		if err := tx.Folders.Delete(folder[:strings.Index(folder[1:], "/")+2]); err != nil {
			return err
		}
		list, err := tx.Files.List(Query{Files: true, Folders: true, Order: ByName, Limit: 99})
		if len(list) != len(names) || slices.ContainsFunc(list, func(e Entry) bool { return e.File == nil || e.File.Folder != "/" }) {
			t.Errorf("%d entries are left, want %d", len(list), len(names))
		}
		return err
	})
	must(t, err)
}

// change runs SQL on a database file.
func change(t *testing.T, path, text string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	if _, err := db.ExecContext(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	must(t, db.Close())
}

// TestOtherFormats: the records of another version are not opened, changed or repaired.
func TestOtherFormats(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	openRecords(t, path).Close()
	change(t, path, "PRAGMA user_version = 11")
	before, err := os.ReadFile(path)
	must(t, err)
	_, err = OpenRecords(t.Context(), path)
	if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "written by another version of mediadesk (format 11; this one uses 1)") {
		t.Errorf("opened with %v", err)
	}
	if _, err := Damage(t.Context(), path); !errors.Is(err, ErrFormat) {
		t.Errorf("checked with %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the file has changed, %v", err)
	}
}

// TestGroupedUpdates does many updates at once. Failed ones leave nothing, and the others everything, in
// one transaction or in several.
func TestGroupedUpdates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	r := openRecords(t, path)
	refused := errors.New("refused")
	const many = 200
	ids := make([]string, many)
	var wg sync.WaitGroup
	for n := range many {
		wg.Go(func() {
			f := sample("/", fmt.Sprint(n))
			ids[n] = f.ID
			err := r.Update(t.Context(), func(tx Tx) error {
				if err := tx.Files.Insert(f); err != nil {
					return err
				}
				switch n % 10 {
				case 3:
					return refused
				case 5:
					panic("on purpose")
				case 7:
					return tx.Files.Insert(sample("/", fmt.Sprint(n)))
				}
				return nil
			})
			switch n % 10 {
			case 3:
				if !errors.Is(err, refused) {
					t.Errorf("%d ended with %v", n, err)
				}
			case 5:
				if err == nil || !strings.Contains(err.Error(), "on purpose") {
					t.Errorf("%d ended with %v", n, err)
				}
			case 7:
				if !errors.Is(err, ErrExists) {
					t.Errorf("%d ended with %v", n, err)
				}
			default:
				if err != nil {
					t.Errorf("%d ended with %v", n, err)
				}
			}
		})
	}
	wg.Wait()
	must(t, r.Close())
	r = openRecords(t, path)
	err := r.View(t.Context(), func(tx Tx) error {
		for n, id := range ids {
			_, err := Get[File](tx, id)
			if there := err == nil; there != !slices.Contains([]int{3, 5, 7}, n%10) {
				t.Errorf("%d is there: %t, %v", n, there, err)
			}
		}
		return nil
	})
	must(t, err)
}
