package picker

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSortedIsWhatComparingGives: sorting by bytes has the result of comparing, whatever the names
// have in common.
func TestSortedIsWhatComparingGives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"IMG_", "img_", "a long beginning that all have ", "", ".", "é", "\xff", "0", "写"})
		var entries []entry
		for range rapid.IntRange(0, 400).Draw(t, "n") {
			name := word.Draw(t, "word") + strconv.Itoa(rapid.IntRange(0, 3000).Draw(t, "number")) +
				rapid.SampledFrom([]string{"", ".jpg", ".JPG", ".png", " holiday.jpg"}).Draw(t, "end")
			if slices.ContainsFunc(entries, func(e entry) bool { return e.name == name }) {
				continue
			}
			k := rapid.SampledFrom([]kind{kindFile, kindFile, kindFile, kindFolder, kindPipe}).Draw(t, "kind")
			entries = append(entries, entry{name: name, kind: k})
		}
		o := order{by: rapid.SampledFrom([]by{byName, byKind}).Draw(t, "by"), reverse: rapid.Bool().Draw(t, "reverse")}
		text := func(e entry) string {
			if o.by == byKind && e.kind != kindFolder {
				return e.label() + "\x00" + sortKey(e.name)
			}
			return sortKey(e.name)
		}
		want := slices.SortedFunc(slices.Values(entries), func(x, y entry) int {
			if f := cmp.Compare(rank(x), rank(y)); f != 0 {
				return f
			}
			c := strings.Compare(text(x), text(y))
			if o.reverse {
				c = -c
			}
			return cmp.Or(c, strings.Compare(x.name, y.name))
		})
		a := arrangement{entries: entries, order: o, hidden: true}
		a.fill(context.Background(), arrangement{})
		for i, row := range a.sorted {
			if entries[row].name != want[i].name {
				t.Fatalf("%v: place %d has %q instead of %q", o, i, entries[row].name, want[i].name)
			}
		}
		if len(a.sorted) != len(want) {
			t.Fatalf("%d of %d", len(a.sorted), len(want))
		}
	})
}

func rank(e entry) int {
	if e.kind == kindFolder {
		return 0
	}
	return 1
}
