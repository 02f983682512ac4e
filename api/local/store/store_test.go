package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mediadesk/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openRecords(t *testing.T, path string) Records {
	t.Helper()
	r, err := OpenRecords(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() }) //nolint:errcheck // a second Close of a test that closed it
	return r
}

func sample(folder, name string) *File {
	id := NewID()
	now := time.UnixMilli(1_700_000_000_123)
	return &File{
		ID: id, Folder: folder, Name: name, Private: true, Tags: []string{"a", "b,c"}, AITags: []api.AITag{{Name: "x", Confidence: 12.5, Source: "s"}},
		Region: "1,2,3,4", Metadata: map[string]json.RawMessage{"k": json.RawMessage(`[1,"two"]`)}, Description: "words", Created: now, Updated: now.Add(time.Second),
		Version: Version{
			ID: id, Root: id, Number: 1, Hash: strings.Repeat("ab", 32), Created: now,
			Facts: Facts{Size: 5, Mime: "image/png", Kind: api.KindImage, Width: 3, Height: 4, HasAlpha: true},
		},
	}
}

func TestFileRoundTrip(t *testing.T) {
	// A name with signs that mean something in a database's address.
	path := filepath.Join(t.TempDir(), "a?b=c#d %41.db")
	r := openRecords(t, path)
	f := sample("/été/", "cafe\u0301.png")
	f.Version.Embedded = map[string]json.RawMessage{"Make": json.RawMessage(`"M"`)}
	if err := r.Update(t.Context(), func(tx Tx) error { return tx.InsertFile(f) }); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	r = openRecords(t, path)
	err := r.View(t.Context(), func(tx Tx) error {
		got, err := tx.FileAt("/été/", "caf\u00e9.png") // composed: the same name
		if err != nil {
			return err
		}
		want := *f
		want.Version.Embedded = nil // read apart
		if !reflect.DeepEqual(got, &want) {
			t.Errorf("read %+v, want %+v", got, &want)
		}
		embedded, err := tx.Embedded(f.ID)
		if string(embedded["Make"]) != `"M"` {
			t.Errorf("embedded is %s", embedded)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPlaceIsTakenOnce(t *testing.T) {
	r := openRecords(t, filepath.Join(t.TempDir(), "r.db"))
	add := func(name string) error {
		return r.Update(t.Context(), func(tx Tx) error { return tx.InsertFile(sample("/", name)) })
	}
	if err := add("caf\u00e9"); err != nil {
		t.Fatal(err)
	}
	if err := add("cafe\u0301"); !errors.Is(err, ErrExists) {
		t.Errorf("the same place again gave %v", err)
	}
}

func TestUpdateIsAllOrNothing(t *testing.T) {
	r := openRecords(t, filepath.Join(t.TempDir(), "r.db"))
	f := sample("/", "a")
	broken := errors.New("broken")
	err := r.Update(t.Context(), func(tx Tx) error {
		if err := tx.InsertFile(f); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Fatal(err)
	}
	err = r.View(t.Context(), func(tx Tx) error { _, err := tx.File(f.ID); return err })
	if !errors.Is(err, ErrNotFound) {
		t.Errorf("half of it is there: %v", err)
	}
	if err := r.View(t.Context(), func(tx Tx) error { return tx.InsertFile(f) }); err == nil {
		t.Error("a View wrote")
	}
}

func TestUpdateOutlivesItsContext(t *testing.T) {
	r := openRecords(t, filepath.Join(t.TempDir(), "r.db"))
	ctx, cancel := context.WithCancel(t.Context())
	f := sample("/", "a")
	err := r.Update(ctx, func(tx Tx) error {
		cancel()
		return tx.InsertFile(f)
	})
	if err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestNewerFormatIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	openRecords(t, path).Close() //nolint:errcheck // only the file is wanted
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenRecords(t.Context(), path); err == nil || !strings.Contains(err.Error(), "newer") {
		t.Errorf("opened with %v", err)
	}
}

func TestContents(t *testing.T) {
	dir := t.TempDir()
	c, err := OpenContents(dir)
	if err != nil {
		t.Fatal(err)
	}
	put := func(text string) string {
		t.Helper()
		d, err := c.Draft()
		if err != nil {
			t.Fatal(err)
		}
		defer d.Discard()
		if _, err := io.WriteString(d, text); err != nil {
			t.Fatal(err)
		}
		hash, err := d.Commit()
		if err != nil {
			t.Fatal(err)
		}
		return hash
	}
	hash := put("hello")
	if again := put("hello"); again != hash {
		t.Errorf("the same content has the hashes %s and %s", hash, again)
	}
	f, err := c.Open(hash)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	if err != nil || string(text) != "hello" {
		t.Errorf("read %q, %v", text, err)
	}
	f.Close() //nolint:errcheck // it was only read
	for _, bad := range []string{"", "..", "../../etc/passwd", strings.Repeat("0", 64)} {
		if _, err := c.Open(bad); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q opened with %v", bad, err)
		}
	}
	left, err := os.ReadDir(filepath.Join(dir, "incoming"))
	if err != nil || len(left) != 0 {
		t.Errorf("drafts are left: %v, %v", left, err)
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	c, err := OpenContents(dir)
	if err != nil {
		t.Fatal(err)
	}
	put := func(text string) string {
		d, err := c.Draft()
		if err != nil {
			t.Fatal(err)
		}
		d.Write([]byte(text)) //nolint:errcheck // the hash tells
		hash, err := d.Commit()
		if err != nil {
			t.Fatal(err)
		}
		return hash
	}
	named := map[string]bool{}
	for i := range 250 {
		named[put(fmt.Sprint("named ", i))] = true
	}
	wanted, orphan, young := put("wanted"), put("orphan"), put("young")
	named[wanted] = true
	old := time.Now().Add(-2 * time.Hour)
	for _, hash := range []string{wanted, orphan} {
		if err := os.Chtimes(filepath.Join(dir, hash[:2], hash), old, old); err != nil {
			t.Fatal(err)
		}
	}
	sweep := func(named map[string]bool) error {
		return c.Sweep(t.Context(), time.Now(), func(string) (map[string]bool, error) { return named, nil })
	}
	// Records that name few of the contents, or none, are not believed.
	for _, few := range []map[string]bool{nil, {wanted: true}} {
		if err := sweep(few); !errors.Is(err, ErrTooManyOrphans) {
			t.Fatalf("with %d named: %v", len(few), err)
		}
		if f, err := c.Open(orphan); err != nil {
			t.Fatalf("with %d named the content is gone: %v", len(few), err)
		} else {
			f.Close() //nolint:errcheck // it was only looked for
		}
	}
	if err := sweep(named); err != nil {
		t.Fatal(err)
	}
	for hash, there := range map[string]bool{wanted: true, orphan: false, young: true} {
		f, err := c.Open(hash)
		if (err == nil) != there {
			t.Errorf("%s: %v, want it there: %t", hash[:6], err, there)
		}
		if err == nil {
			f.Close() //nolint:errcheck // it was only looked for
		}
	}
	// A draft that a killed process left is gone at the next start.
	if err := os.WriteFile(filepath.Join(dir, "incoming", "draft-1"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenContents(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "incoming", "draft-1")); err == nil {
		t.Error("the draft is still there")
	}
}

func TestDiscardedDraftLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	c, err := OpenContents(dir)
	if err != nil {
		t.Fatal(err)
	}
	d, err := c.Draft()
	if err != nil {
		t.Fatal(err)
	}
	d.Write(bytes.Repeat([]byte("x"), 1000)) //nolint:errcheck // it is thrown away
	d.Discard()
	d.Discard()
	var files int
	filepath.WalkDir(dir, func(_ string, e os.DirEntry, _ error) error { //nolint:errcheck // the count tells
		if !e.IsDir() {
			files++
		}
		return nil
	})
	if files != 0 {
		t.Errorf("%d files are left", files)
	}
}

func TestIDs(t *testing.T) {
	if id := NewID(); !IsID(id) {
		t.Errorf("%q is no id", id)
	}
	for _, text := range []string{"", "x", strings.Repeat("g", 24), strings.Repeat("A", 24), strings.Repeat("0", 25)} {
		if IsID(text) {
			t.Errorf("%q is an id", text)
		}
	}
}

// TestListUsesItsIndexes: a large library opens at once, since the orders that
// are asked for most come out of an index.
func TestListUsesItsIndexes(t *testing.T) {
	r := openRecords(t, filepath.Join(t.TempDir(), "r.db"))
	err := r.View(t.Context(), func(tx Tx) error {
		for name, q := range map[string]Query{
			"everywhere by time":       {Files: true, Order: ByCreated, Limit: 10},
			"everywhere, newest first": {Files: true, Order: ByCreated, Descending: true, Limit: 10},
			"everywhere by name":       {Files: true, Order: ByName, Limit: 10},
			"a folder by time":         {Files: true, Folder: "/a/", Order: ByCreated, Limit: 10},
			"a folder by name":         {Files: true, Folder: "/a/", Order: ByName, Descending: true, Limit: 10},
			"both by name":             {Files: true, Folders: true, Folder: "/a/", Order: ByName, Limit: 10},
		} {
			query, args := q.sql()
			err := tx.(*sqlTx).each(func(rows *sql.Rows) error {
				var a, b, c int
				var step string
				if err := rows.Scan(&a, &b, &c, &step); err != nil {
					return err
				}
				if strings.Contains(step, "TEMP B-TREE") {
					t.Errorf("%s: %s", name, step)
				}
				return nil
			}, "EXPLAIN QUERY PLAN "+query, args...)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
