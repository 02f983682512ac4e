package picker

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"
)

// by is a sort key.
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

// String describes the order.
func (o order) String() string {
	words := [...][2]string{
		byName: {"by name", "by name, Z first"},
		bySize: {"largest first", "smallest first"},
		byTime: {"newest first", "oldest first"},
		byKind: {"by kind", "by kind, Z first"},
	}[o.by]
	if o.reverse {
		return words[1]
	}
	return words[0]
}

// arrangement is a folder in display order. It is immutable.
type arrangement struct {
	disk    *disk
	gen     int
	folder  string
	entries []entry
	done    bool
	kinds   int // see snapshot
	order   order
	hidden  bool
	sorted  []int32 // visible entries in order
	without int     // number of hidden entries
	pattern string
	rows    []int32 // filtered entries of sorted
}

// arrangedMsg carries an arrangement made in the background.
type arrangedMsg struct {
	number int
	arrangement
}

// soon is the number of entries that Update can arrange without a noticeable delay.
const soon = 5000

// arrange updates the rows for the entries, the order and the filter. newFilter means that only the filter changed.
func (m *Model) arrange(newFilter bool) tea.Cmd {
	if m.stopArranging != nil {
		m.stopArranging()
		m.stopArranging = nil
	}
	m.arrangeGen++
	number := m.arrangeGen
	next := arrangement{
		disk: m.disk, gen: m.reading.gen, folder: m.reading.folder, entries: m.reading.entries, done: m.reading.done, kinds: m.reading.kinds,
		order: m.order, hidden: m.hidden, pattern: m.filter.Value(),
	}
	from := arrangement{}
	if newFilter && m.shown.gen == next.gen && len(m.shown.entries) == len(next.entries) && m.shown.kinds == next.kinds &&
		m.shown.order == next.order && m.shown.hidden == next.hidden {
		from = m.shown
	}
	if len(next.entries) <= soon && next.order.by != bySize && next.order.by != byTime {
		next.fill(context.Background(), from)
		return m.arranged(arrangedMsg{number, next})
	}
	ctx, stop := context.WithCancel(context.Background())
	m.stopArranging = stop
	return func() tea.Msg {
		defer stop()
		if !next.fill(ctx, from) {
			return nil
		}
		return arrangedMsg{number, next}
	}
}

// fill computes the rows and reuses those of from if they match. It reports whether it finished before ctx ended.
func (a *arrangement) fill(ctx context.Context, from arrangement) bool {
	if from.sorted == nil {
		a.sort(ctx)
	} else {
		a.sorted, a.without = from.sorted, from.without
	}
	among := a.sorted
	// The matches of a longer pattern are among those of a shorter one.
	if from.pattern != "" && strings.HasPrefix(a.pattern, from.pattern) {
		among = a.found(from.rows)
	}
	a.rows = search(ctx, a.entries, among, a.pattern)
	return ctx.Err() == nil
}

// found returns the rows in the order of sorted instead of by score.
func (a *arrangement) found(rows []int32) []int32 {
	in := make([]bool, len(a.entries))
	for _, row := range rows {
		in[row] = true
	}
	out := make([]int32, 0, len(rows))
	for _, row := range a.sorted {
		if in[row] {
			out = append(out, row)
		}
	}
	return out
}

const (
	// searchAtOnce is the number of names searched between checks of the context.
	searchAtOnce = 512
	// longestWord is the number of letters searched together. The library's score triples with each adjacent letter and
	// overflows after 38.
	longestWord = 32
)

// describeFilter splits a filter into parts that are searched in turn.
func describeFilter(pattern string) []string {
	var out []string
	for _, word := range strings.Fields(pattern) {
		for piece := range slices.Chunk([]rune(word), longestWord) {
			out = append(out, string(piece))
		}
	}
	return out
}

// search returns the rows whose names contain the letters of every word in order, best match first. An empty pattern
// matches all.
func search(ctx context.Context, entries []entry, among []int32, pattern string) []int32 {
	type hit struct {
		row   int32
		whole bool // the word stands in the name as typed
		score int
	}
	for _, word := range describeFilter(pattern) {
		var hits []hit
		for rows := range slices.Chunk(among, searchAtOnce) {
			if ctx.Err() != nil {
				return nil
			}
			names := func(yield func(string) bool) {
				for _, row := range rows {
					if !yield(entries[row].name) {
						return
					}
				}
			}
			for _, match := range fuzzy.FindFromIterNoSort(word, names) {
				rest := match.Str[match.MatchedIndexes[0]:]
				whole := len(rest) >= len(word) && strings.EqualFold(rest[:len(word)], word)
				hits = append(hits, hit{rows[match.Index], whole, match.Score})
			}
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

// letters returns the byte offsets of the matched letters in a name.
func letters(name, pattern string) []int {
	var out []int
	for _, word := range describeFilter(pattern) {
		for _, match := range fuzzy.Find(word, []string{name}) {
			out = append(out, match.MatchedIndexes...)
		}
	}
	return out
}

// arranged shows an arrangement and keeps the cursor on its name if possible.
func (m *Model) arranged(msg arrangedMsg) tea.Cmd {
	if msg.number != m.arrangeGen {
		return nil
	}
	old := m.shown
	name, at := "", m.list.Cursor()
	if e, ok := m.current(); ok {
		name = e.name
	}
	m.shown = msg.arrangement
	m.list.SetLen(len(m.shown.rows))
	if old.folder != m.shown.folder {
		m.infos, m.asked, m.totaled = map[string]info{}, map[string]bool{}, map[string]bool{}
	} else if old.gen != m.shown.gen {
		// Old facts stay visible until they are read again.
		m.asked, m.totaled = map[string]bool{}, map[string]bool{}
	}
	switch {
	case m.land != "" && m.setCursor(m.land):
		m.land, m.moved = "", true
	case old.folder != m.shown.folder, !m.moved, old.pattern != m.shown.pattern && m.shown.pattern != "":
		m.list.SetCursor(0)
	case !m.setCursor(name):
		m.list.SetCursor(at) // its row is gone: use the neighbor
	}
	if m.shown.done {
		m.land = ""
	}
	if m.ranged && m.rowOf(m.anchor) < 0 {
		m.ranged = false
	}
	return nil
}

// rowOf returns the row of a name, or -1.
func (m *Model) rowOf(name string) int {
	for i, row := range m.shown.rows {
		if m.shown.entries[row].name == name {
			return i
		}
	}
	return -1
}

func (m *Model) setCursor(name string) bool {
	row := m.rowOf(name)
	if row >= 0 {
		m.list.SetCursor(row)
	}
	return row >= 0
}
