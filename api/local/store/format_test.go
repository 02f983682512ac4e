package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// change runs SQL on a database file.
func change(t *testing.T, path, text string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestOlderFormats: older formats are converted to the newest, and a copy is kept.
func TestOlderFormats(t *testing.T) {
	for format := 1; format < len(steps); format++ {
		path := filepath.Join(t.TempDir(), "r.db")
		number := strconv.Itoa(format)
		change(t, path, strings.Join(steps[:format], "")+"PRAGMA user_version = "+number)
		if format > formatsOnce {
			change(t, path, "UPDATE library SET format = "+number)
		}
		if lines, err := Damage(t.Context(), path); err != nil || lines != nil {
			t.Errorf("format %d is damaged: %v, %v", format, lines, err)
		}
		r := openRecords(t, path)
		err := r.Update(t.Context(), func(tx Tx) error {
			if made, err := tx.Created(); err != nil || time.Since(made) > time.Minute {
				t.Errorf("format %d was made %v, %v", format, made, err)
			}
			run := &Run{Attempts: 2}
			if err := tx.AddRun(run); err != nil {
				return err
			}
			if got, err := tx.Run(run.ID); err != nil || got.Attempts != 2 {
				t.Errorf("format %d: the run is %+v, %v", format, got, err)
			}
			_, err := tx.Deletions()
			return err
		})
		if err := errors.Join(err, r.Close()); err != nil {
			t.Error(err)
		}
		if lines, err := Damage(t.Context(), path); err != nil || lines != nil {
			t.Errorf("afterwards format %d is damaged: %v, %v", format, lines, err)
		}
		if info, err := os.Stat(backupPath(path, format)); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
			t.Errorf("the copy of format %d: %v, %v", format, info, err)
		}
	}
}

// TestDamage finds damage that SQLite's own check misses.
func TestDamage(t *testing.T) {
	for text, want := range map[string]string{
		"PRAGMA user_version = 0":                                  "no tables",
		"PRAGMA user_version = -7":                                 "damaged: -7",
		"PRAGMA user_version = 2":                                  "table, index or trigger", // a flipped bit
		"PRAGMA user_version = 99":                                 "format number is 99",
		"DROP TRIGGER file_tags_delete":                            "file_tags_delete",
		"UPDATE library SET format = 99":                           "but its tables do not match",
		"PRAGMA user_version = 99; UPDATE library SET format = 99": "",
	} {
		path := filepath.Join(t.TempDir(), "r.db")
		openRecords(t, path).Close()
		change(t, path, text)
		lines, err := Damage(t.Context(), path)
		if want == "" {
			if !errors.Is(err, ErrNewer) {
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

// TestSalvageKeepsPublication: salvaging publishes nothing. Of a format without publication everything
// is salvaged.
func TestSalvageKeepsPublication(t *testing.T) {
	for _, older := range []bool{false, true} {
		dir := t.TempDir()
		from := filepath.Join(dir, "from.db")
		r := openRecords(t, from)
		files := []*File{sample("/", "draft"), sample("/", "public")}
		files[0].Version.Unpublished = true
		err := r.Update(t.Context(), func(tx Tx) error { return errors.Join(tx.InsertFile(files[0]), tx.InsertFile(files[1])) })
		if err := errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		if older {
			change(t, from, "DROP TABLE unpublished; UPDATE library SET format = 10; PRAGMA user_version = 10")
		}
		to := openRecords(t, filepath.Join(dir, "to.db"))
		if n, err := Salvage(t.Context(), from, to, false); n != len(files) || err != nil {
			t.Fatalf("older: %t: salvaged %d, %v", older, n, err)
		}
		for i, f := range files {
			kept, err := View(t.Context(), to, func(tx Tx) (*Version, error) { return tx.Version(f.Version.ID) })
			if err != nil || kept.Unpublished != (i == 0 && !older) {
				t.Errorf("older: %t: %s is %+v, %v", older, f.Name, kept, err)
			}
		}
	}
}
