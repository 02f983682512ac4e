package picker

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

type kind uint8

const (
	kindFile kind = iota
	kindFolder
	kindSpecial // pipe, socket or device
	kindBroken  // link without a target, or to itself
	kindLink    // link with an unknown target
)

// entry is a name in a folder. It is immutable.
type entry struct {
	name string // the raw bytes of the name
	kind kind
	link bool
}

func (e entry) hidden() bool { return strings.HasPrefix(e.name, ".") }

func kindOf(mode fs.FileMode) kind {
	switch {
	case mode.IsDir():
		return kindFolder
	case mode.IsRegular():
		return kindFile
	}
	return kindSpecial
}

func kindOfLink(info fs.FileInfo, err error) kind {
	switch {
	case errors.Is(err, errNoAnswer):
		return kindLink
	case err != nil:
		return kindBroken
	}
	return kindOf(info.Mode())
}

var kindNames = [...]string{
	kindFolder: "folder", kindSpecial: "special", kindBroken: "dead link", kindLink: "link",
}

// label returns the kind for the list. For a file, it depends on the name, not on the content.
func (e entry) label() string {
	if e.kind != kindFile {
		return kindNames[e.kind]
	}
	switch ext := extension(e.name); {
	case ext == "jpg", ext == "jpeg", ext == "jpe":
		return "JPEG"
	case ext == "tif", ext == "tiff":
		return "TIFF"
	case ext == "webp":
		return "WebP"
	case ext != "" && len(ext) <= 5:
		return strings.ToUpper(ext)
	}
	return "file"
}

// extension returns the lower-case extension of a name without the dot, or "".
func extension(name string) string {
	ext := filepath.Ext(strings.TrimLeft(name, "."))
	return strings.ToLower(strings.TrimPrefix(ext, "."))
}

// info is what is known about an entry. The zero value means nothing yet.
type info struct {
	known    bool
	kind     kind
	size     int64
	items    int // number of names in a folder, up to maxItems
	modified time.Time
	target   string // raw target of a link
	problem  error  // why it cannot be used, or nil
	silent   bool   // its disk did not respond
}

func (m *Model) wantInfos() tea.Cmd {
	if m.inspecting {
		return nil
	}
	var want []entry
	for from, to := m.shownRows(); from < to; from++ {
		if e, ok := m.entryAt(from); ok && !m.folder[e.name] {
			m.folder[e.name] = true
			want = append(want, e)
		}
	}
	if len(want) == 0 {
		return nil
	}
	m.inspecting = true
	folder := m.shown.folder
	return func() tea.Msg {
		found := make([]info, len(want))
		var all sync.WaitGroup
		for i, e := range want { // one that does not respond does not delay the others
			all.Go(func() { found[i] = inspect(filepath.Join(folder, e.name), e) })
		}
		all.Wait()
		return page.Then(func() tea.Cmd {
			m.inspecting = false
			if folder != m.shown.folder {
				return nil
			}
			late := false
			for i, e := range want {
				m.infos[e.name] = found[i]
				late = late || e.link && !found[i].silent && found[i].kind != e.kind
			}
			if !late {
				return nil
			}
			// Links whose kind is known by now move to their places.
			m.shown.entries = slices.Clone(m.shown.entries) // shared with commands
			for i, e := range m.shown.entries {
				if is := m.infos[e.name]; e.link && is.known && !is.silent {
					m.shown.entries[i].kind = is.kind
				}
			}
			return m.arrange(true)
		})
	}
}

// stat is os.Stat for an entry, which may be on another disk than its folder.
func (e entry) stat(path string) (fs.FileInfo, error) {
	if e.link || e.kind == kindFolder {
		return statWithin(path, statTimeout)
	}
	return os.Stat(path)
}

// maxItems limits the names that are counted in a folder of the list.
const maxItems = 1000

// inspect returns the size and age of an entry and whether it can be used. It reads no content and
// opens nothing that could block.
func inspect(path string, e entry) info {
	i := info{known: true, size: -1, kind: e.kind}
	if e.link {
		i.target, _ = os.Readlink(path) // it may be gone
	}
	stat, err := e.stat(path)
	if e.link {
		i.kind = kindOfLink(stat, err)
	}
	switch {
	case errors.Is(err, errNoAnswer):
		i.silent, i.problem = true, noAnswer(path)
		return i
	case err != nil:
		_, i.problem = api.Identify(path) // says why
		return i
	}
	if i.modified = stat.ModTime(); stat.Mode().IsRegular() {
		i.size = stat.Size()
	}
	if !stat.IsDir() {
		_, i.problem = api.Identify(path)
	} else if dir, err := os.Open(path); err != nil {
		i.problem = folderProblem(path, err)
	} else {
		names, _ := dir.Readdirnames(maxItems) // as far as they can be read
		i.items = len(names)
		_ = dir.Close()
	}
	return i
}

// note says in a word or two why an entry cannot be used.
func (i info) note(e entry) string {
	switch {
	case i.silent:
		return "no answer"
	case i.problem == nil, e.kind != kindFile && e.kind != kindFolder:
		return ""
	case i.modified.IsZero():
		return "gone"
	case i.size == 0:
		return "empty"
	}
	return "unreadable"
}

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

// mostAtOnce is the number of entries up to which a filter is applied at once, in a few milliseconds.
const mostAtOnce = 5000

// arrange updates the rows for the order and the filter, in the background if there are many entries
// or they are sorted. resort is false if only the filter changed.
func (m *Model) arrange(resort bool) tea.Cmd {
	next := m.shown
	next.order, next.hidden, next.pattern = m.order, m.hidden, m.list.Filter()
	m.pattern = next.pattern
	resort = resort || next.order != m.shown.order || next.hidden != m.shown.hidden
	if !resort && len(next.entries) <= mostAtOnce {
		m.arranging.Drop()
		next.arrange(false)
		m.show(next)
		return nil
	}
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
			return text.Either(y.file, -1, 1)
		}
		c := cmp.Or(cmp.Compare(x.measure, y.measure), strings.Compare(x.key, y.key))
		if a.order.reverse {
			c = -c
		}
		return cmp.Or(c, strings.Compare(a.entries[x.at].name, a.entries[y.at].name))
	})
	a.sorted = rule.Mapped(list, func(r row) int32 { return r.at })
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
				return text.Either(a.whole, -1, 1)
			}
			return cmp.Compare(b.score, a.score)
		})
		among = rule.Mapped(hits, func(h hit) int32 { return h.row })
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
