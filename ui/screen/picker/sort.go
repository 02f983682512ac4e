package picker

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
)

// sorting is an entry on its way to its place, with the number that it is sorted
// by just now. It holds no pointer, so that turning entries over costs no more
// than their bytes.
type sorting struct {
	number uint64
	row    int32
}

// sort makes the sorted rows. Sizes and times are read from the disk, so these
// orders are never made in Update.
func (a *arrangement) sort(ctx context.Context) {
	s := sorter{a: a, ctx: ctx}
	const usual = 24 // bytes of a name
	s.texts, s.starts = make([]byte, 0, usual*len(a.entries)), make([]uint32, len(a.entries)+1)
	folders, files := make([]sorting, 0, 16), make([]sorting, 0, len(a.entries))
	for i, e := range a.entries {
		s.starts[i] = uint32(len(s.texts))
		if !a.hidden && e.hidden() {
			a.without++
			continue
		}
		if e.kind == kindFolder {
			folders = append(folders, sorting{row: int32(i)})
			s.texts = appendSortKey(s.texts, e.name)
			continue
		}
		if a.order.by == byKind {
			s.texts = append(append(s.texts, e.words()...), 0)
		}
		s.texts = appendSortKey(s.texts, e.name)
		files = append(files, sorting{row: int32(i)})
	}
	s.starts[len(a.entries)] = uint32(len(s.texts))
	s.spare = make([]sorting, max(len(folders), len(files)))
	a.sorted = make([]int32, 0, len(folders)+len(files))
	for _, all := range [][]sorting{folders, files} {
		s.sort(all)
		for _, one := range all {
			a.sorted = append(a.sorted, one.row)
		}
	}
}

// sorter sorts the entries of an arrangement.
type sorter struct {
	a     *arrangement
	ctx   context.Context //nolint:containedctx // of the one call of sort
	spare []sorting       // as many as are sorted

	// The text of every row, one behind the other, and where each begins. They are
	// made anew for every sorting: to keep them would take more memory than the names.
	texts  []byte
	starts []uint32
}

// sort sorts by what the order says, and what is alike in that by text.
func (s *sorter) sort(all []sorting) {
	if by := s.a.order.by; by != bySize && by != byTime {
		s.byText(all)
		return
	}
	for i := range all {
		if i%256 == 0 && s.ctx.Err() != nil {
			return
		}
		all[i].number = s.number(s.a.measure(s.a.entries[all[i].row]))
	}
	s.byNumber(all)
	s.groups(all, s.byText)
}

// number is n, turned round where the order is.
func (s *sorter) number(n uint64) uint64 {
	if s.a.order.reverse {
		return ^n
	}
	return n
}

// text is what tells a row from others that are alike so far.
func (s *sorter) text(row int32) []byte { return s.texts[s.starts[row]:s.starts[row+1]] }

// few is the number of entries that are sorted by comparing them.
const few = 48

// byText sorts by eight bytes of the texts at a time, behind what all of them
// begin with; what is alike in these once more.
func (s *sorter) byText(all []sorting) {
	if len(all) < 2 || s.ctx.Err() != nil {
		return
	}
	if len(all) > few {
		alike := s.sameBeginning(all)
		for i := range all {
			all[i].number = s.number(prefix(s.text(all[i].row)[alike:]))
		}
		s.byNumber(all)
		if all[0].number != all[len(all)-1].number {
			s.groups(all, s.byText)
			return
		}
	}
	slices.SortFunc(all, func(x, y sorting) int {
		c := bytes.Compare(s.text(x.row), s.text(y.row))
		if s.a.order.reverse {
			c = -c
		}
		if c == 0 {
			c = strings.Compare(s.a.entries[x.row].name, s.a.entries[y.row].name)
		}
		return c
	})
}

// groups hands over every run of entries with the same number.
func (s *sorter) groups(all []sorting, do func([]sorting)) {
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].number == all[0].number {
			n++
		}
		do(all[:n])
		all = all[n:]
	}
}

// byNumber sorts by the numbers, byte by byte from the last one: that looks at
// an entry a few times, where comparing does it seventeen times for 100,000.
// Bytes that are the same in all numbers are left out.
func (s *sorter) byNumber(all []sorting) {
	if len(all) <= few {
		slices.SortFunc(all, func(x, y sorting) int { return cmp.Compare(x.number, y.number) })
		return
	}
	var starts [8][256]int32
	for _, one := range all {
		for b := range starts {
			starts[b][byte(one.number>>(8*b))]++
		}
	}
	from, to := all, s.spare[:len(all)]
	for b := range starts {
		start := &starts[b]
		if start[byte(all[0].number>>(8*b))] == int32(len(all)) {
			continue
		}
		sum := int32(0)
		for i, n := range start {
			start[i] = sum
			sum += n
		}
		for _, one := range from {
			at := &start[byte(one.number>>(8*b))]
			to[*at] = one
			*at++
		}
		from, to = to, from
	}
	copy(all, from) // nothing where it ended there
}

// sameBeginning is how many bytes the texts of all begin with: they tell nothing.
func (s *sorter) sameBeginning(all []sorting) int {
	first := s.text(all[0].row)
	n := len(first)
	for _, one := range all[1:] {
		text := s.text(one.row)
		n = min(n, len(text))
		for i := range n {
			if text[i] != first[i] {
				n = i
				break
			}
		}
	}
	return n
}

// measure is a number that sorts an entry by its size or time, the largest or
// newest first; what cannot be looked at comes last. Folders have no size.
func (a *arrangement) measure(e entry) uint64 {
	if a.order.by == bySize && e.kind == kindFolder {
		return 0
	}
	info, err := e.stat(a.disk, filepath.Join(a.folder, e.name), a.disk.patience)
	switch {
	case err != nil:
		return ^uint64(0)
	case a.order.by == byTime:
		// The sign bit turned makes the numbers of times before 1970 less.
		return ^(uint64(info.ModTime().UnixNano()) ^ 1<<63)
	}
	return ^uint64(info.Size())
}
