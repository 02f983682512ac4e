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
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mediadesk/api"
	"mediadesk/api/local/store/pgtest"
	"mediadesk/api/media/mediatest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openRecords(t *testing.T, path string) Records {
	t.Helper()
	r, err := OpenRecords(t.Context(), path)
	must(t, err)
	t.Cleanup(func() { r.Close() })
	return r
}

// onEachEngine runs a test with empty records of each engine.
func onEachEngine(t *testing.T, test func(t *testing.T, r Records)) {
	t.Run("SQLite", func(t *testing.T) { test(t, openRecords(t, filepath.Join(t.TempDir(), "r.db"))) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, openPostgres(t, pgtest.Database(t))) })
}

func openPostgres(t testing.TB, address string) Records {
	t.Helper()
	r, err := OpenPostgres(t.Context(), address)
	must(t, err)
	t.Cleanup(func() { must(t, r.Close()) })
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
	// A name with special characters of database addresses.
	path := filepath.Join(t.TempDir(), "a?b=c#d %41.db")
	r := openRecords(t, path)
	f := sample("/été/", "cafe\u0301.png")
	f.Version.Embedded = map[string]json.RawMessage{"Make": json.RawMessage(`"M"`)}
	must(t, r.Update(t.Context(), func(tx Tx) error { return tx.Files.Insert(f) }))
	must(t, r.Close())
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	r = openRecords(t, path)
	err := r.View(t.Context(), func(tx Tx) error {
		got, err := tx.Files.At("/été/", "caf\u00e9.png") // composed: the same name
		if err != nil {
			return err
		}
		want := *f
		want.Version.Embedded = nil // stored separately
		if !reflect.DeepEqual(got, &want) {
			t.Errorf("read %+v, want %+v", got, &want)
		}
		embedded, err := tx.Versions.Embedded(f.ID)
		mediatest.Equal(t, string(embedded["Make"]), `"M"`, "embedded")
		return err
	})
	must(t, err)
}

func TestUpdateIsAllOrNothing(t *testing.T) { onEachEngine(t, testUpdateIsAllOrNothing) }

func testUpdateIsAllOrNothing(t *testing.T, r Records) {
	f := sample("/", "a")
	broken := errors.New("broken")
	err := r.Update(t.Context(), func(tx Tx) error {
		if err := tx.Files.Insert(f); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Fatal(err)
	}
	err = r.View(t.Context(), func(tx Tx) error { _, err := Get[File](tx, f.ID); return err })
	if !errors.Is(err, ErrNotFound) {
		t.Errorf("a part of the update is there: %v", err)
	}
	if err := r.View(t.Context(), func(tx Tx) error { return tx.Files.Insert(f) }); err == nil {
		t.Error("a View wrote")
	}
}

func TestUpdateOutlivesItsContext(t *testing.T) { onEachEngine(t, testUpdateOutlivesItsContext) }

func testUpdateOutlivesItsContext(t *testing.T, r Records) {
	ctx, cancel := context.WithCancel(t.Context())
	f := sample("/", "a")
	err := r.Update(ctx, func(tx Tx) error {
		cancel()
		return tx.Files.Insert(f)
	})
	if err != nil {
		t.Errorf("the update ended with %v", err)
	}
}

func TestContents(t *testing.T) { eachContents(t, testContents) }

func testContents(t *testing.T, c Contents) {
	put := func(text string) string {
		t.Helper()
		d, err := c.Draft()
		must(t, err)
		defer d.Discard()
		_, err = io.WriteString(d, text)
		must(t, err)
		hash, err := d.Commit()
		must(t, err)
		return hash
	}
	hash := put("hello")
	mediatest.Equal(t, put("hello"), hash, "the same content has the hashes %s and", hash)
	f, err := c.Open(hash)
	must(t, err)
	text, err := io.ReadAll(f)
	if err != nil || string(text) != "hello" {
		t.Errorf("read %q, %v", text, err)
	}
	f.Close()
	for _, bad := range []string{"", "..", "../../etc/passwd", strings.Repeat("0", 64)} {
		if _, err := c.Open(bad); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q opened with %v", bad, err)
		}
	}
	if dir, ok := c.(*folder); ok {
		left, err := os.ReadDir(dir.incoming())
		if err != nil || len(left) != 0 {
			t.Errorf("drafts remain: %v, %v", left, err)
		}
	}
}

func putContent(t *testing.T, c Contents, text string) string {
	t.Helper()
	d, err := c.Draft()
	must(t, err)
	defer d.Discard()
	_, err = io.WriteString(d, text)
	must(t, err)
	hash, err := d.Commit()
	must(t, err)
	return hash
}

func hasContent(c Contents, hash string) bool {
	f, err := c.Open(hash)
	if err == nil {
		f.Close()
	}
	return err == nil
}

func describe(t *testing.T, c Contents, hash string) Stored {
	t.Helper()
	list, err := c.List(hash)
	if err != nil || len(list) != 1 {
		t.Fatalf("%s is listed as %v, %v", hash, list, err)
	}
	return list[0]
}

func TestSetAsideAndRemove(t *testing.T) { eachContents(t, testSetAsideAndRemove) }

func testSetAsideAndRemove(t *testing.T, c Contents) {
	yes := func() (bool, error) { return true, nil }
	no := func() (bool, error) { return false, nil }
	hash := putContent(t, c, "a")
	s := describe(t, c, hash)
	for what, remove := range map[string]bool{"set aside": false, "removed": true} {
		if err := c.Retire(s, remove, no); err != nil || !hasContent(c, hash) {
			t.Errorf("%s although a version has it: %v", what, err)
		}
		d, err := c.Draft()
		must(t, err)
		d.Write([]byte("a"))
		_, err = d.Commit()
		must(t, err)
		if err := c.Retire(s, remove, yes); err != nil || !hasContent(c, hash) {
			t.Errorf("%s although it was written again: %v", what, err)
		}
		s = describe(t, c, hash)
		if err := c.Retire(s, remove, yes); err != nil || !hasContent(c, hash) {
			t.Errorf("%s although its record is about to be written: %v", what, err)
		}
		d.Discard()
	}
	if err := c.Retire(s, false, yes); err != nil || hasContent(c, hash) {
		t.Errorf("not set aside: %v", err)
	}
	if aside := describe(t, c, hash); !aside.Aside || time.Since(aside.At) > time.Minute {
		t.Errorf("set aside as %+v", aside)
	}
	if err := c.Restore(hash); err != nil || !hasContent(c, hash) {
		t.Errorf("not brought back: %v", err)
	}
	must(t, c.Retire(describe(t, c, hash), false, yes))
	other := putContent(t, c, "b")
	for _, s := range []Stored{describe(t, c, hash), describe(t, c, other)} {
		must(t, c.Retire(s, true, yes))
		if list, err := c.List(s.Hash); err != nil || len(list) != 0 {
			t.Errorf("removed, and listed as %v, %v", list, err)
		}
		if err := c.Retire(s, true, yes); err != nil {
			t.Errorf("removing it again: %v", err)
		}
	}
}

// TestAbandonedDrafts: drafts of a killed process are removed at the next start.
func TestAbandonedDrafts(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, "incoming", "draft-1")
	must(t, os.MkdirAll(filepath.Dir(left), 0o700))
	must(t, os.WriteFile(left, []byte("x"), 0o600))
	_, err := OpenContents(dir, false)
	must(t, err)
	if _, err := os.Stat(left); err == nil {
		t.Error("the draft is still there")
	}
}

// TestDeletions: a content may be removed when the last version with it is deleted in any way.
func TestDeletions(t *testing.T) { onEachEngine(t, testDeletions) }

func testDeletions(t *testing.T, r Records) {
	hash := func(n int) string { return fmt.Sprintf("%064x", n) }
	update := func(fn func(Tx) error) {
		t.Helper()
		must(t, r.Update(t.Context(), fn))
	}
	deleted := func() (list []string) {
		t.Helper()
		update(func(tx Tx) error {
			found, err := All[Deletion](tx, nil)
			for _, d := range found {
				list = append(list, d.Hash)
				if err := tx.Remove(&d); err != nil {
					return err
				}
			}
			return err
		})
		slices.Sort(list)
		return list
	}
	files := map[string]*File{}
	add := func(folder, name string, hashes ...int) {
		update(func(tx Tx) error {
			f := sample(folder, name)
			f.Version.Hash = hash(hashes[0])
			files[name] = f
			if err := tx.Files.Insert(f); err != nil {
				return err
			}
			for n, h := range hashes[1:] {
				v := f.Version
				v.ID, v.Number, v.Hash = NewID(), n+2, hash(h)
				f.Version = v
				if err := tx.Files.Update(f); err != nil {
					return err
				}
			}
			return nil
		})
	}
	add("/", "a", 1, 2)
	add("/", "b", 2)
	add("/x/", "c", 3, 3, 1)
	add("/x/y/", "d", 4)
	update(func(tx Tx) error { return tx.Folders.Make("/x/y/", time.Now()) })
	if list := deleted(); list != nil {
		t.Errorf("nothing was deleted, and %v recorded", list)
	}
	update(func(tx Tx) error { return tx.Files.Delete(files["a"].ID) })
	if list := deleted(); list != nil { // c has 1, b has 2
		t.Errorf("recorded %v", list)
	}
	update(func(tx Tx) error { return tx.Files.Delete(files["b"].ID) })
	if list := deleted(); !slices.Equal(list, []string{hash(2)}) {
		t.Errorf("recorded %v", list)
	}
	update(func(tx Tx) error { return tx.Versions.Delete(files["c"].ID, files["c"].ID) })
	if list := deleted(); list != nil { // the second version has 3, too
		t.Errorf("recorded %v", list)
	}
	update(func(tx Tx) error { return tx.Folders.Delete("/x/") })
	if list := deleted(); !slices.Equal(list, []string{hash(1), hash(3), hash(4)}) {
		t.Errorf("recorded %v", list)
	}
	broken := errors.New("broken")
	add("/", "e", 5)
	err := r.Update(t.Context(),
		func(tx Tx) error { return errors.Join(tx.Files.Delete(files["e"].ID), broken) })
	if list := deleted(); !errors.Is(err, broken) || list != nil {
		t.Errorf("a deletion that was rolled back recorded %v, %v", list, err)
	}
}

// TestTokens: if a token is used several times at once, one use succeeds. After it expires, the token
// can be used again.
func TestTokens(t *testing.T) { onEachEngine(t, testTokens) }

func testTokens(t *testing.T, r Records) {
	now := time.UnixMilli(1_700_000_000_000)
	use := func(hash string, at time.Time) error {
		return r.Update(t.Context(),
			func(tx Tx) error { return tx.Library.UseToken(hash, at.Add(time.Hour), at) })
	}
	results := make(chan error, 8)
	for range cap(results) {
		go func() { results <- use("a", now) }()
	}
	succeeded := 0
	for range cap(results) {
		switch err := <-results; {
		case err == nil:
			succeeded++
		case !errors.Is(err, ErrExists):
			t.Error(err)
		}
	}
	mediatest.Equal(t, succeeded, 1, "uses of the token")
	must(t, use("b", now.Add(time.Hour)))
	if err := use("a", now.Add(time.Hour)); !errors.Is(err, ErrExists) {
		t.Errorf("at its end the token: %v", err)
	}
	if err := use("a", now.Add(time.Hour+time.Millisecond)); err != nil {
		t.Errorf("after its end the token: %v", err)
	}
}

// TestRemovals: while a content is being removed, and for a while after it, a version gets it only
// together with the note that it was written again.
func TestRemovals(t *testing.T) { onEachEngine(t, testRemovals) }

func testRemovals(t *testing.T, r Records) {
	f := sample("/", "a")
	insert := func(forget ...Removal) error {
		return r.Update(t.Context(), func(tx Tx) error {
			for _, r := range forget {
				if err := tx.Remove(&r); err != nil {
					return err
				}
			}
			return tx.Files.Insert(f)
		})
	}
	retire := func(removal Removal) bool {
		t.Helper()
		retired, err := Update(t.Context(), r,
			func(tx Tx) (bool, error) { return tx.Versions.Retire(removal) })
		must(t, err)
		return retired
	}
	begun := Removal{Hash: f.Version.Hash, At: time.UnixMilli(1_700_000_000_000)}
	ended := Removal{Hash: begun.Hash, At: begun.At.Add(time.Second), Done: true}
	for _, removal := range []Removal{begun, ended} {
		if !retire(removal) {
			t.Fatalf("%+v was refused", removal)
		}
		var retired *RetiredError
		if err := insert(); !errors.As(err, &retired) || !retired.Removal.At.Equal(removal.At) ||
			retired.Removal.Done != removal.Done {
			t.Errorf("inserting gave %v, want a refusal because of %+v", err, removal)
		}
	}
	if err := insert(begun); err == nil {
		t.Error("inserting forgot another removal than the one that is recorded")
	}
	if err := insert(ended); err != nil {
		t.Errorf("inserting a content that was written again: %v", err)
	}
	if retire(begun) {
		t.Error("a content was retired although a version has it")
	}
	list, err := View(t.Context(), r, func(tx Tx) ([]Removal, error) { return All[Removal](tx, nil) })
	if err != nil || len(list) != 0 {
		t.Errorf("%v remain, %v", list, err)
	}
}

func TestDiscardedDraftLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	c, err := OpenContents(dir, false)
	must(t, err)
	d, err := c.Draft()
	must(t, err)
	d.Write(bytes.Repeat([]byte("x"), 1000))
	d.Discard()
	d.Discard()
	var files int
	filepath.WalkDir(dir, func(_ string, e os.DirEntry, _ error) error {
		if !e.IsDir() {
			files++
		}
		return nil
	})
	mediatest.Equal(t, files, 0, "files remain")
}

// TestListUsesItsIndexes: a large library lists at once, because the common orders use an index.
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
			err := tx.each(func(rows *sql.Rows) error {
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
	must(t, err)
}

var must = mediatest.Must
