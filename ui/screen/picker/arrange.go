package picker

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

type by int

const (
	byName by = iota
	bySize
	byTime
	byKind
)

// order is the sort order of a folder. Folders always come first.
type order struct {
	by      by
	reverse bool
}

// String describes the order, such as "by size, reversed".
func (o order) String() string {
	return "by " + sortMenu[o.by].Label + text.If(o.reverse, ", reversed")
}

// arrangement is a folder in display order. It is immutable.
type arrangement struct {
	folder  string
	entries []entry
	order   order
	hidden  bool
	sorted  []int32 // visible entries in order
	without int     // number of hidden entries
	pattern string
	rows    []int32 // filtered entries of sorted
}

// arrange updates the rows for the order and the filter in the background. resort is false if only
// the filter changed.
func (m *Model) arrange(resort bool) tea.Cmd {
	next := m.shown
	next.order, next.hidden, next.pattern = m.order, m.hidden, m.list.Filter()
	m.pattern = next.pattern
	resort = resort || next.order != m.shown.order || next.hidden != m.shown.hidden
	return m.arranging.Ask(func() tea.Msg {
		next.arrange(resort)
		return page.Do(func() { m.show(next) })
	})
}

func (a *arrangement) arrange(resort bool) {
	if resort {
		a.sort()
	}
	a.rows = search(a.entries, a.sorted, a.pattern)
}

// sort sorts the entries. Sorting by size or time reads the disk.
func (a *arrangement) sort() {
	type row struct {
		measure int64  // size or time, negative so that the largest or newest comes first
		key     string // of the kind and the name
		at      int32
		file    bool
	}
	list := make([]row, 0, len(a.entries))
	for i, e := range a.entries {
		if !a.hidden && e.hidden() {
			continue
		}
		r := row{at: int32(i), file: e.kind != kindFolder, key: text.SortKey(e.name)}
		switch {
		case a.order.by == bySize || a.order.by == byTime:
			r.measure = a.measure(e)
		case a.order.by == byKind && r.file:
			r.key = e.label() + "\x00" + r.key
		}
		list = append(list, r)
	}
	a.without = len(a.entries) - len(list)
	slices.SortFunc(list, func(x, y row) int {
		if x.file != y.file {
			if y.file {
				return -1
			}
			return 1
		}
		c := cmp.Or(cmp.Compare(x.measure, y.measure), strings.Compare(x.key, y.key))
		if a.order.reverse {
			c = -c
		}
		return cmp.Or(c, strings.Compare(a.entries[x.at].name, a.entries[y.at].name))
	})
	a.sorted = make([]int32, len(list))
	for i, r := range list {
		a.sorted[i] = r.at
	}
}

// measure returns a key that sorts the largest or newest entry first and unreadable ones last.
// Folders have no size.
func (a *arrangement) measure(e entry) int64 {
	if a.order.by == bySize && e.kind == kindFolder {
		return 0
	}
	info, err := e.stat(filepath.Join(a.folder, e.name))
	switch {
	case err != nil:
		return 1<<63 - 1
	case a.order.by == byTime:
		return -info.ModTime().UnixNano()
	}
	return -info.Size()
}

// search returns the rows whose names contain the letters of every word in order, best match
// first. An empty pattern matches all.
func search(entries []entry, among []int32, pattern string) []int32 {
	type hit struct {
		row   int32
		whole bool // the word stands in the name as typed
		score int
	}
	for _, word := range strings.Fields(pattern) {
		var hits []hit
		names := func(yield func(string) bool) {
			for _, row := range among {
				if !yield(entries[row].name) {
					return
				}
			}
		}
		for _, match := range fuzzy.FindFromIterNoSort(word, names) {
			rest := match.Str[match.MatchedIndexes[0]:]
			whole := len(rest) >= len(word) && strings.EqualFold(rest[:len(word)], word)
			hits = append(hits, hit{among[match.Index], whole, match.Score})
		}
		slices.SortStableFunc(hits, func(a, b hit) int {
			if a.whole != b.whole {
				if a.whole {
					return -1
				}
				return 1
			}
			return cmp.Compare(b.score, a.score)
		})
		among = make([]int32, len(hits))
		for i, h := range hits {
			among[i] = h.row
		}
	}
	return among
}

func letters(name, pattern string) []int {
	var out []int
	for _, word := range strings.Fields(pattern) {
		for _, match := range fuzzy.Find(word, []string{name}) {
			out = append(out, match.MatchedIndexes...)
		}
	}
	return out
}

func (m *Model) show(a arrangement) {
	m.shown, m.pattern = a, a.pattern
	m.list.Arrange()
}
