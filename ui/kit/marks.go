package kit

import "slices"

// marks are the rows that the user marked, in that order.
type marks[T any] struct {
	rows []T
	keys []any       // of rows, whose numbers may have changed
	at   map[any]int // index in rows by key
}

// mark toggles the mark of the row under the cursor and moves to the next. On a head it
// toggles the rows of the group.
func (l *List[T]) mark() {
	e, _ := l.Current()
	if e.head {
		all := !slices.ContainsFunc(e.Rows, func(row T) bool { return !l.Has(row) })
		l.setMarks(e.Rows, func(bool) bool { return !all })
	} else {
		l.setMarks([]T{e.Row}, func(on bool) bool { return !on })
	}
	l.rows.Move(1)
	l.Landed()
	l.moved = true
}

// Has reports whether a row is marked.
func (l *List[T]) Has(row T) bool {
	if l.Mark != nil {
		return *l.Mark(row)
	}
	_, is := l.marks.at[l.Key(row)]
	return is
}

// setMarks sets the marks of rows to the result of on, which receives the present mark.
func (l *List[T]) setMarks(rows []T, on func(marked bool) bool) {
	gone := map[any]bool{}
	for _, row := range rows {
		if l.NoMark != nil && l.NoMark(row) != "" {
			continue
		}
		switch is := l.Has(row); {
		case l.Mark != nil:
			*l.Mark(row) = on(is)
		case !is && on(is):
			l.marks.rows, l.marks.keys = append(l.marks.rows, row), append(l.marks.keys, l.Key(row))
		case is && !on(is):
			gone[l.Key(row)] = true
		}
	}
	l.marks.drop(func(i int) bool { return gone[l.marks.keys[i]] })
	if l.Marked != nil {
		l.Marked()
	}
}

func (m *marks[T]) drop(gone func(i int) bool) {
	var left marks[T]
	left.at = make(map[any]int, len(m.rows))
	for i, row := range m.rows {
		if !gone(i) {
			left.at[m.keys[i]] = len(left.rows)
			left.rows, left.keys = append(left.rows, row), append(left.keys, m.keys[i])
		}
	}
	*m = left
}

// Unmark removes the marks of rows for which gone is true, or all marks if it is nil.
func (l *List[T]) Unmark(gone func(row T) bool) {
	l.marks.drop(func(i int) bool { return gone == nil || gone(l.marks.rows[i]) })
}

// Marks returns the marked rows, in the order of marking.
func (l *List[T]) Marks() []T { return l.marks.rows }

func (l *List[T]) markRange() {
	if l.anchor == nil {
		l.BeginRange()
		return
	}
	l.setMarks(l.EndRange(), func(bool) bool { return true })
}

// BeginRange begins a range at the row under the cursor.
func (l *List[T]) BeginRange() {
	if row, ok := l.Row(); ok {
		l.anchor, l.moved = l.Key(row), true
	}
}

// span returns the first and the last entry of the open range; from > to means no range.
func (l *List[T]) span() (from, to int) {
	if l.anchor == nil {
		return 0, -1
	}
	i := l.index(l.anchor)
	if i < 0 {
		return 0, -1
	}
	return min(i, l.rows.Cursor()), max(i, l.rows.Cursor())
}

// InRange reports whether the open range has entry i.
func (l *List[T]) InRange(i int) bool {
	from, to := l.span()
	return from <= i && i <= to
}

// markRows sets the mark of each row that matches the filter to the result of on, which
// receives its present mark. It drops an open range.
func (l *List[T]) markRows(on func(marked bool) bool) {
	l.anchor = nil
	var rows []T
	for _, g := range l.groups {
		rows = append(rows, g.Rows...)
	}
	l.setMarks(rows, on)
}

// Ranged reports whether a range is open.
func (l *List[T]) Ranged() bool { return l.anchor != nil }

// EndRange closes an open range without marks and returns its rows.
func (l *List[T]) EndRange() (rows []T) {
	for from, to := l.span(); from <= to; from++ {
		if e, ok := l.At(from); ok && !e.head {
			rows = append(rows, e.Row)
		}
	}
	l.anchor = nil
	return rows
}

// Chosen returns the rows for an action: the marked ones, including those that the
// filter hides; otherwise the row under the cursor, or those of the group whose head is.
func (l *List[T]) Chosen() []T {
	if len(l.marks.rows) > 0 {
		return slices.Clone(l.marks.rows)
	}
	e, ok := l.Current()
	switch {
	case !ok:
		return nil
	case e.head:
		return e.Rows
	}
	return []T{e.Row}
}
