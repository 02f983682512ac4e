package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
	for text, sentence := range map[string]string{
		"PRAGMA user_version = 11; UPDATE library SET format = 11": "written by another version of mediadesk (format 11; this one uses 1)",
		"PRAGMA user_version = 1; DROP TABLE library":              "format number is damaged",
	} {
		path := filepath.Join(t.TempDir(), "r.db")
		openRecords(t, path).Close()
		change(t, path, text)
		before, err := os.ReadFile(path)
		must(t, err)
		if _, err := OpenRecords(t.Context(), path); err == nil || !strings.Contains(err.Error(), sentence) {
			t.Errorf("%s: opened with %v", text, err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
			t.Errorf("%s: the file has changed, %v", text, err)
		}
	}
}

// TestDamage finds damage that SQLite's own check misses.
func TestDamage(t *testing.T) {
	for text, want := range map[string]string{
		"PRAGMA user_version = 0":                                  "damaged: 0 and 1",
		"PRAGMA user_version = -7":                                 "damaged: -7 and 1",
		"PRAGMA user_version = 2":                                  "damaged: 2 and 1", // a flipped bit
		"PRAGMA user_version = 99":                                 "damaged: 99 and 1",
		"DROP TRIGGER file_tags_delete":                            "file_tags_delete",
		"UPDATE library SET format = 99":                           "damaged: 1 and 99",
		"PRAGMA user_version = 99; UPDATE library SET format = 99": "",
	} {
		path := filepath.Join(t.TempDir(), "r.db")
		openRecords(t, path).Close()
		change(t, path, text)
		lines, err := Damage(t.Context(), path)
		if want == "" {
			if !errors.Is(err, ErrFormat) {
				t.Errorf("%s: %v, %v", text, lines, err)
			}
		} else if err != nil || len(lines) == 0 || !strings.Contains(lines[0], want) {
			t.Errorf("%s: %v, %v", text, lines, err)
		}
		// In every case opening works or returns an error.
		if r, err := OpenRecords(context.Background(), path); err == nil {
			r.Close()
		}
	}
}
