package store

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"mediadesk/api"
	"mediadesk/api/local/store/pgtest"
)

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
		if got := wordsMatch(c.text, c.query); got != c.want {
			t.Errorf("%q has %q: %t, want %v", c.text, c.query, got, c.want)
		}
		err := r.View(t.Context(), func(tx Tx) error {
			var got bool
			err := tx.scan([]any{&got}, "SELECT has_words(?, ?)", c.text, c.query)
			if got != c.want {
				t.Errorf("%q has %q: %t, want %v", c.text, c.query, got, c.want)
			}
			return err
		})
		must(t, err)
	}
}

// FuzzList lists a small library with conditions that are read from the bytes. No condition is an error.
// A file meets a condition or its contrary, not both. The pages together are the listing.
func FuzzList(f *testing.F) {
	r, err := OpenRecords(context.Background(), filepath.Join(f.TempDir(), "r.db"))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := r.Close(); err != nil {
			f.Error(err)
		}
	})
	const files = 24
	var library []*File
	for n := range files {
		file := sample(fmt.Sprintf("/%d/", n%3), fmt.Sprintf("%s-%02d", []string{"été", "Ete", "z_%", "zz"}[n%4], n))
		file.Tags = [][]string{nil, {"a"}, {"a", "b"}, {"c"}, {"A"}}[n%5]
		file.Metadata = []map[string]json.RawMessage{nil, {"k": json.RawMessage(`3`)}, {"k": json.RawMessage(`["a",null,true,{"z":1}]`)}, {"k": json.RawMessage(`"\ud800"`), "m": json.RawMessage(`1e999`)}}[n%4]
		file.Version.Size, file.Private = int64(n), n%2 == 0
		file.Version.Embedded = []map[string]json.RawMessage{nil, {"k": json.RawMessage(`"a\u0000"`)}}[n%2]
		file.Created = file.Created.Add(time.Duration(n%4) * time.Second)
		if n%6 == 0 {
			file.AITags, file.Region, file.Description = nil, "", ""
		}
		library = append(library, file)
	}
	fill := func(tx Tx) error {
		for _, file := range library {
			if err := tx.Files.Insert(file); err != nil {
				return err
			}
		}
		return nil
	}
	if err := r.Update(context.Background(), fill); err != nil {
		f.Fatal(err)
	}
	second := openPostgres(f, pgtest.Database(f))
	if err := second.Update(context.Background(), fill); err != nil {
		f.Fatal(err)
	}
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
			ids, err := View(t.Context(), r, func(tx Tx) ([]string, error) { return list(tx, m, 0, files+1), nil })
			must(t, err)
			return ids
		}
		if first, second := ids(r), ids(second); !slices.Equal(first, second) {
			t.Errorf("%+v gives %d files, and %d in PostgreSQL", m, len(first), len(second))
		}
	})
}

var (
	orders   = []Order{"", ByName, ByCreated, ByUpdated, ByHeight, ByWidth, BySize}
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
		m.Number = int64(in.next())
	case MatchCustom, MatchCamera:
		m.Key = in.word()
		for range 1 + in.next()%2 {
			m.Values = append(m.Values, pick(in, []any{"a", "3", float64(3), 1, ""}))
		}
		m.Text = []string{in.word()}
	default:
		for range 1 + in.next()%3 {
			m.Text = append(m.Text, in.word())
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
