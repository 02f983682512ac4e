package store

import (
	"bytes"
	"context"
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
	"unicode/utf8"

	"mediadesk/api"
	"mediadesk/api/local/store/pgtest"
	"mediadesk/api/media/mediatest"
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
			return errors.Join(tx.Files.Insert(one), tx.Files.Insert(two), tx.Add(field),
				tx.Library.DeleteField(field.ID, time.Now()))
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
	err = r.Update(t.Context(), func(tx Tx) error { return tx.Library.DeleteField(NewID(), time.Now()) })
	if !errors.Is(err, ErrNotFound) {
		t.Errorf("a field that is not there: %v", err)
	}
}

// TestDeleteFolder deletes what is in the folder and nothing else.
func TestDeleteFolder(t *testing.T) { onEachEngine(t, testDeleteFolder) }

func testDeleteFolder(t *testing.T, r Records) {
	folders := map[string]bool{
		"/a/": true, "/a/b/": true, "/a/b/c/": true, "/a-/": false, "/a0/": false, "/a_/": false, "/aa/": false,
		"/é/a/": false,
	}
	files := map[string]*File{}
	err := r.Update(t.Context(), func(tx Tx) error {
		for folder := range folders {
			files[folder] = sample(folder, "f")
			err := errors.Join(tx.Folders.Make(folder, files[folder].Created), tx.Files.Insert(files[folder]))
			if err != nil {
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
			if errors.Is(err, ErrNotFound) != gone || errors.Is(errFolder, ErrNotFound) != gone ||
				(len(versions) == 0) != gone || errVersions != nil {
				t.Errorf("%s: %v, %v, %d versions, %v", folder, err, errFolder, len(versions), errVersions)
			}
		}
		return nil
	})
	must(t, err)
}

// TestClearKnowsEveryTable fails if a new table is not among those that Clear empties.
func TestClearKnowsEveryTable(t *testing.T) {
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
	names := []string{
		"a", latin + "0", latin + "1", chinese + "0", chinese + "1", emoji + "1", emoji + "0", "zz",
		latin[:300],
		strings.Repeat("ж", 1000),
	}
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
			var pages []string
			for last := (&File{}); len(pages) < len(names); pages = append(pages, last.Name) {
				list, err := tx.Files.List(Query{
					Files: true, Folder: place, Order: ByName, AfterName: last.Name, AfterFolder: last.Folder, Limit: 1,
				})
				if err != nil || len(list) != 1 {
					return fmt.Errorf("after %d files are %d: %w", len(pages), len(list), err)
				}
				last = list[0].File
			}
			if !slices.Equal(pages, sorted) {
				t.Errorf("the pages of %d names are not in order", len(names))
			}
		}
		found, err := tx.Files.List(Query{
			Files: true, Folders: true, Order: ByName, Limit: 99,
			Match: &Match{Subject: MatchName, Op: ":", Values: []any{latin[:1000]}},
		})
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
		if len(list) != len(names) ||
			slices.ContainsFunc(list, func(e Entry) bool { return e.File == nil || e.File.Folder != "/" }) {
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
	_, err = db.ExecContext(t.Context(), text)
	must(t, err)
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

func TestHasWords(t *testing.T) { onEachEngine(t, testHasWords) }

func testHasWords(t *testing.T, r Records) {
	for _, c := range []struct {
		text, query string
		want        bool
	}{
		{"red-boat_01.jpg", "boat", true},
		{"red-boat_01.jpg", "BOAT red", true},
		{"red-boat.jpg", "red bo", true},
		{"red-boat.jpg", "bo red", false},
		{"sailboat.jpg", "boat", false},
		{"\u00dcBER.jpg", "\u00fcber", true},
		{"cafe\u0301.txt", "caf\u00e9", true},
		{"a.jpg", "", false},
		{"a.jpg", " .,", false},
		{"", "a", false},
	} {
		mediatest.Equal(t, wordsMatch(c.text, c.query), c.want, "%q has %q", c.text, c.query)
		err := r.View(t.Context(), func(tx Tx) error {
			var got bool
			err := tx.scan([]any{&got}, "SELECT has_words(?, ?)", c.text, c.query)
			mediatest.Equal(t, got, c.want, "%q has %q", c.text, c.query)
			return err
		})
		must(t, err)
	}
}

// variedFiles returns files that differ in their names, tags, metadata, sizes and times.
func variedFiles(count int) (library []*File) {
	for n := range count {
		file := sample(fmt.Sprintf("/%d/", n%3),
			fmt.Sprintf("%s-%02d", []string{"été", "Ete", "z_%", "zz"}[n%4], n))
		file.Tags = [][]string{nil, {"a"}, {"a", "b"}, {"c"}, {"A"}}[n%5]
		file.Metadata = []map[string]json.RawMessage{
			nil,
			{"k": json.RawMessage(`3`)},
			{"k": json.RawMessage(`["a",null,true,{"z":1}]`)},
			{"k": json.RawMessage(`"\ud800"`), "m": json.RawMessage(`1e999`)},
		}[n%4]
		file.Version.Size, file.Private = int64(n), n%2 == 0
		file.Version.Embedded = []map[string]json.RawMessage{nil, {"k": json.RawMessage(`"a\u0000"`)}}[n%2]
		file.Created = file.Created.Add(time.Duration(n%4) * time.Second)
		if n%6 == 0 {
			file.AITags, file.Region, file.Description = nil, "", ""
		}
		library = append(library, file)
	}
	return library
}

// FuzzList lists a small library with conditions that are read from the bytes. No condition is an error.
// A file meets a condition or its contrary, not both. The pages together are the listing.
func FuzzList(f *testing.F) {
	r, err := OpenRecords(context.Background(), filepath.Join(f.TempDir(), "r.db"))
	must(f, err)
	f.Cleanup(func() { must(f, r.Close()) })
	const files = 24
	library := variedFiles(files)
	fill := func(tx Tx) error {
		for _, file := range library {
			if err := tx.Files.Insert(file); err != nil {
				return err
			}
		}
		return nil
	}
	must(f, r.Update(context.Background(), fill))
	second := openPostgres(f, pgtest.Database(f))
	must(f, second.Update(context.Background(), fill))
	for _, seed := range []string{
		"",
		"\x00\x00\x00\x00\x01\x00\x03",     // a name that begins with zz
		"\x01\x01\x00\x03\x06\x01\x00\x01", // one of two tags
		"\x02\x00\x01\x01\x00\x00\x01\x00\x02\x08\x04\x02\x07",      // such a name, and not a size
		"\x03\x01\x02\x01\x00\x0e\x01\x00\x06\x00\x12\x06\xffk\x00", // below a folder, or custom metadata
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &fuzzInput{data: data}
		q := Query{Files: true, Order: pick(in, orders), Descending: in.next()%2 == 1, Limit: files + 1}
		m := in.match(3)
		list := func(tx Tx, match Match, skip, limit int) []string {
			t.Helper()
			q.Match, q.Skip, q.Limit = &match, skip, limit
			entries, err := tx.Files.List(q)
			if err != nil {
				t.Fatalf("%+v: %v", match, err)
			}
			ids := make([]string, len(entries))
			for n, e := range entries {
				ids[n] = e.File.ID
			}
			return ids
		}
		err := r.View(t.Context(), func(tx Tx) error {
			all := list(tx, m, 0, files+1)
			not := m
			not.Not = !m.Not
			both := append(list(tx, not, 0, files+1), all...)
			slices.Sort(both)
			if len(both) != files || len(slices.Compact(both)) != files {
				t.Errorf("%+v and its contrary have %d of %d files", m, len(both), files)
			}
			var pages []string
			for len(pages) < len(all) {
				page := list(tx, m, len(pages), 5)
				if len(page) == 0 {
					break
				}
				pages = append(pages, page...)
			}
			if !slices.Equal(pages, all) {
				t.Errorf("%+v in pages gives %d files, at once %d", m, len(pages), len(all))
			}
			return nil
		})
		must(t, err)
		ids := func(r Records) []string {
			ids, err := View(t.Context(), r,
				func(tx Tx) ([]string, error) { return list(tx, m, 0, files+1), nil })
			must(t, err)
			return ids
		}
		if first, second := ids(r), ids(second); !slices.Equal(first, second) {
			t.Errorf("%+v gives %d files, and %d in PostgreSQL", m, len(first), len(second))
		}
	})
}

var (
	orders   = []Order{"", ByName, ByCreated, "updated", "height", "width", "size"}
	subjects = []string{
		MatchName, MatchTags, MatchSize, MatchWidth, MatchHeight, MatchCreated, MatchUpdated, MatchPrivate,
		MatchAlpha, MatchID, MatchRow, MatchFolder, MatchFormat, MatchCustom, MatchCamera,
	}
	operations = []string{"=", ":", "<", "<=", ">", ">=", "in", "has", "exists"}
	words      = []string{"a", "b", "z", "zz", "z_%", "e\u0301t", "/1/", "png", "file", api.KindImage, ""}
)

// fuzzInput makes conditions from bytes.
type fuzzInput struct{ data []byte }

// next returns the next byte, or 0 after the last one.
func (in *fuzzInput) next() int {
	if len(in.data) == 0 {
		return 0
	}
	b := in.data[0]
	in.data = in.data[1:]
	return int(b)
}

func pick[T any](in *fuzzInput, list []T) T { return list[in.next()%len(list)] }

func (in *fuzzInput) match(depth int) (m Match) {
	kind := in.next()
	m.Not = kind&8 != 0
	if depth > 0 && kind%4 == 1 || depth > 0 && kind%4 == 2 {
		list := make([]Match, 1+in.next()%3)
		for n := range list {
			list[n] = in.match(depth - 1)
		}
		if kind%4 == 1 {
			m.All = list
		} else {
			m.Any = list
		}
		return m
	}
	m.Subject, m.Op = pick(in, subjects), pick(in, operations)
	switch m.Subject {
	case MatchSize, MatchWidth, MatchHeight, MatchCreated, MatchUpdated, MatchPrivate, MatchAlpha:
		m.Values = []any{int64(in.next())}
	case MatchCustom, MatchCamera:
		m.Key = in.word()
		for range 1 + in.next()%2 {
			m.Values = append(m.Values, pick(in, []any{"a", "3", float64(3), 1, ""}))
		}
	default:
		for range 1 + in.next()%3 {
			m.Values = append(m.Values, in.word())
		}
	}
	return m
}

// word returns a word with a meaning, or any text.
func (in *fuzzInput) word() string {
	if n := in.next(); n < 128 {
		return words[n%len(words)]
	}
	n := min(len(in.data), 4)
	text := string(in.data[:n])
	in.data = in.data[n:]
	if !utf8.ValidString(text) {
		return "k"
	}
	return text
}
