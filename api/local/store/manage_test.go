package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
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
	known := append([]string{"versions", "library", "deletions", "removals", "file_tags", "instances", "claims"}, cleared...)
	for rows.Next() {
		var table string
		must(t, rows.Scan(&table))
		if !slices.Contains(known, table) {
			t.Errorf("Clear leaves the table %s", table)
		}
	}
	must(t, rows.Err())
}
