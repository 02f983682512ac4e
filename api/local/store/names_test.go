package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

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
