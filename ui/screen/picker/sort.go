package picker

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
)

// sorting is an entry with its sort keys.
type sorting struct {
	measure uint64 // its size or time
	prefix  uint64 // 8 bytes of its text
	row     int32
}

// sort sorts the rows. Sorting by size or time reads the disk, so it never runs in Update.
func (a *arrangement) sort(ctx context.Context) {
	const usual = 24 // bytes of a name
	// Texts of all rows, concatenated, and their offsets.
	texts, starts := make([]byte, 0, usual*len(a.entries)), make([]uint32, len(a.entries)+1)
	text := func(row int32) []byte { return texts[starts[row]:starts[row+1]] }
	folders, files := make([]sorting, 0, 16), make([]sorting, 0, len(a.entries))
	for i, e := range a.entries {
		starts[i] = uint32(len(texts))
		if !a.hidden && e.hidden() {
			a.without++
			continue
		}
		list := &files
		if e.kind == kindFolder {
			list = &folders
		} else if a.order.by == byKind {
			texts = append(append(texts, e.label()...), 0)
		}
		texts = appendSortKey(texts, e.name)
		*list = append(*list, sorting{row: int32(i)})
	}
	starts[len(a.entries)] = uint32(len(texts))
	a.sorted = make([]int32, 0, len(folders)+len(files))
	for _, list := range [][]sorting{folders, files} {
		if len(list) == 0 {
			continue
		}
		// Skip the common prefix: the next 8 bytes decide most comparisons.
		first := text(list[0].row)
		for _, s := range list {
			first = first[:common(first, text(s.row))]
		}
		for i := range list {
			list[i].prefix = prefix(text(list[i].row)[len(first):])
			if a.order.by == bySize || a.order.by == byTime {
				if i%256 == 0 && ctx.Err() != nil {
					return
				}
				list[i].measure = a.measure(a.entries[list[i].row])
			}
		}
		slices.SortFunc(list, func(x, y sorting) int {
			c := cmp.Compare(x.measure, y.measure)
			if c == 0 {
				c = cmp.Compare(x.prefix, y.prefix)
			}
			if c == 0 {
				c = bytes.Compare(text(x.row), text(y.row))
			}
			if a.order.reverse {
				c = -c
			}
			if c == 0 {
				c = strings.Compare(a.entries[x.row].name, a.entries[y.row].name)
			}
			return c
		})
		for _, s := range list {
			a.sorted = append(a.sorted, s.row)
		}
	}
}

// common returns the length of the common prefix.
func common[T string | []byte](a, b T) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// measure returns a key that sorts the largest or newest entry first and unreadable ones last. Folders have no size.
func (a *arrangement) measure(e entry) uint64 {
	if a.order.by == bySize && e.kind == kindFolder {
		return 0
	}
	info, err := e.stat(a.disk, filepath.Join(a.folder, e.name), a.disk.patience)
	switch {
	case err != nil:
		return ^uint64(0)
	case a.order.by == byTime:
		// Flipping the sign bit puts times before 1970 first.
		return ^(uint64(info.ModTime().UnixNano()) ^ 1<<63)
	}
	return ^uint64(info.Size())
}
