package kit

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
)

// groupLook is the group of the listing's actions in the help.
const groupLook = "Look"

// Capturing reports whether the filter takes the keys.
func (l *Listing) Capturing() bool { return l.focus == onFilter }

// Type edits the filter.
func (l *Listing) Type(msg tea.Msg) (tea.Cmd, bool) {
	before := l.filter.Value()
	if l.focus != onFilter || !l.filter.Update(msg) {
		return nil, false
	}
	if l.filter.Value() != before {
		l.moved = false
		l.Arrange()
	}
	return nil, true
}

// Actions returns the actions of the part with the focus: the filter's, or those of the
// screen and of every listing.
func (l *Listing) Actions(screen []Action) []Action {
	if l.focus == onFilter {
		return l.filterActions()
	}
	actions := append(screen, l.listActions()...)
	if l.focus == onPane {
		// The first hint says how to leave.
		i := slices.IndexFunc(actions, func(a Action) bool { return a.ID == l.o.ID+".back" })
		back := actions[i]
		back.Footer = true
		actions = slices.Insert(slices.Delete(actions, i, i+1), 0, back)
	}
	return actions
}

// Catalog returns the actions of every part, for [page.Catalog].
func (l *Listing) Catalog(screen []Action) map[string][]Action {
	return map[string][]Action{"": append(screen, l.listActions()...), "filter": l.filterActions()}
}

func (l *Listing) action(id, words, shown string, disabled func() string, do func(), keys ...string) Action {
	return Action{ID: l.o.ID + "." + id, Keys: Bind(words, shown, keys...), Group: groupLook, Disabled: disabled, Do: func() tea.Cmd {
		do()
		return nil
	}}
}

func (l *Listing) filterActions() []Action {
	actions := []Action{
		l.action("filter-keep", "keep the filter", "", nil, l.keepFilter, "enter"),
		l.action("filter-clear", "clear the filter", "", nil, l.clearFilter, "esc"),
	}
	for i := range actions {
		actions[i].Footer = true
	}
	return append(actions, l.moves()[:2]...) // the field uses the other keys
}

func (l *Listing) listActions() []Action {
	filter := l.action("filter", "filter", "", l.nothingAtAll, l.startFilter, "/")
	filter.Footer = true
	actions := []Action{
		filter,
		l.action("next-match", "next match", "", l.noMatch, func() { l.turn(1) }, "n"),
		l.action("previous-match", "previous match", "", l.noMatch, func() { l.turn(-1) }, "N"),
	}
	if l.o.Marking {
		actions = append(
			actions,
			l.action("mark", "mark", "", l.NoEntry, l.mark, "space"),
			l.action("mark-range", "mark a range", "", l.NoRow, l.markRange, "v"),
			l.action("mark-all", "mark all", "", l.NoEntry, func() { l.markRows(func(bool) bool { return true }) }, "ctrl+a"),
			l.action("invert-marks", "invert marks", "", l.NoEntry, func() { l.markRows(func(on bool) bool { return !on }) }, "*"),
		)
	}
	actions = append(
		actions,
		l.action("next-part", "list or details pane", "tab", l.NoEntry, l.nextPart, "tab", "shift+tab"),
		l.action("back", "step back", "", l.nothingToLeave, l.back, "esc", "left", "h", "backspace"),
	)
	return append(actions, l.moves()...)
}

// moves returns the actions that move the cursor or scroll the pane.
func (l *Listing) moves() []Action {
	return ListActions(func() Scroller {
		if l.focus == onPane {
			return &l.pane
		}
		return lines{&l.list, l}
	}, func() tea.Cmd {
		if l.focus != onPane {
			l.landed()
		}
		return nil
	})
}

// lines moves in the list. Its top is the first row rather than the head of its group.
type lines struct {
	*List
	of *Listing
}

// Move moves the cursor.
func (s lines) Move(by int) {
	if by <= -s.Len() {
		s.of.toFirst()
		return
	}
	s.List.Move(by)
}

func (l *Listing) startFilter() {
	l.focus = onFilter
	l.filter.Focus()
}

func (l *Listing) keepFilter() {
	l.focus = onList
	l.filter.Blur()
}

func (l *Listing) clearFilter() {
	l.SetFilter("")
	l.keepFilter()
}

// SetFilter sets the filter as if it had been typed.
func (l *Listing) SetFilter(pattern string) {
	l.filter.SetValue(pattern)
	l.Arrange()
}

// turn moves to the next match and wraps around.
func (l *Listing) turn(by int) {
	n := l.list.Len()
	for range n {
		l.list.SetCursor((l.list.Cursor() + by + n) % n)
		if _, ok := l.Row(); ok {
			break
		}
	}
	l.landed()
}

func (l *Listing) nextPart() {
	if l.focus == onPane {
		l.focus = onList
		return
	}
	l.open, l.focus = true, onPane
}

// back closes the pane, or else the range, the marks, the filter or the narrowed view.
func (l *Listing) back() {
	switch {
	case l.focus == onPane || l.open:
		l.focus, l.open = onList, false
	case l.anchor != 0:
		l.anchor = 0
	case len(l.marks) > 0:
		l.Unmark()
	case l.filter.Value() != "":
		l.clearFilter()
	case l.o.Widen != nil:
		l.o.Widen(false)
	}
}

// mark toggles the mark of the row under the cursor and moves to the next. On a head it
// toggles the rows of the group.
func (l *Listing) mark() {
	e, _ := l.Current()
	if e.Head() {
		all := !slices.ContainsFunc(e.Rows, func(row int) bool { return !l.marks[l.o.Rows.ID(row)] })
		for _, row := range e.Rows {
			l.setMark(row, !all)
		}
	} else {
		l.setMark(e.Row, !l.marks[l.o.Rows.ID(e.Row)])
	}
	l.list.Move(1)
	l.landed()
	l.moved = true
}

func (l *Listing) setMark(row int, on bool) {
	if id := l.o.Rows.ID(row); on {
		l.marks[id] = true
	} else {
		delete(l.marks, id)
	}
}

// markRange begins a range, or marks the rows between its start and the cursor.
func (l *Listing) markRange() {
	if l.anchor == 0 {
		row, _ := l.Row()
		l.anchor, l.moved = l.o.Rows.ID(row), true
		return
	}
	from, to := l.span()
	for i := from; i <= to; i++ {
		if e, ok := l.At(i); ok && !e.Head() {
			l.setMark(e.Row, true)
		}
	}
	l.anchor = 0
}

// span returns the first and the last entry of the open range; from > to means no range.
func (l *Listing) span() (from, to int) {
	if l.anchor == 0 {
		return 0, -1
	}
	for i := range l.lines {
		if e, _ := l.At(i); !e.Head() && l.o.Rows.ID(e.Row) == l.anchor {
			return min(i, l.list.Cursor()), max(i, l.list.Cursor())
		}
	}
	return 0, -1
}

// markRows sets the mark of each row that matches the filter to the result of on, which
// receives its present mark.
func (l *Listing) markRows(on func(marked bool) bool) {
	for _, g := range l.groups {
		for _, row := range g.Rows {
			l.setMark(row, on(l.marks[l.o.Rows.ID(row)]))
		}
	}
}

// Marked returns the number of marked rows.
func (l *Listing) Marked() int { return len(l.marks) }

// Unmark removes all marks.
func (l *Listing) Unmark() { clear(l.marks) }

// Chosen returns the rows for an action: the marked ones, including those that the
// filter hides; otherwise the row under the cursor, or those of the group whose head is.
func (l *Listing) Chosen() []int {
	if len(l.marks) == 0 {
		e, ok := l.Current()
		switch {
		case !ok:
			return nil
		case e.Head():
			return e.Rows
		}
		return []int{e.Row}
	}
	groups := l.groups
	if l.filter.Value() != "" {
		groups = l.o.Rows.Groups("")
	}
	var rows []int
	for _, g := range groups {
		for _, row := range g.Rows {
			if l.marks[l.o.Rows.ID(row)] {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// Each of these returns why an action is disabled, or "".

func (l *Listing) nothingAtAll() string {
	return text.If(l.o.Rows.Len() == 0, l.o.Nothing)
}

// NoEntry is the reason of actions that need an entry under the cursor.
func (l *Listing) NoEntry() string {
	if _, ok := l.Current(); ok {
		return ""
	}
	return cmp.Or(l.nothingAtAll(), l.o.NotFound)
}

// NoRow is the reason of actions that need a row under the cursor.
func (l *Listing) NoRow() string {
	if e, ok := l.Current(); ok && e.Head() {
		return l.o.OnHead
	}
	return l.NoEntry()
}

func (l *Listing) noMatch() string {
	return text.If(l.filter.Value() == "" || l.found == 0, "no filter has found anything")
}

func (l *Listing) nothingToLeave() string {
	return text.If(l.focus == onList && !l.open && l.filter.Value() == "" && len(l.marks) == 0 && l.anchor == 0 && (l.o.Widen == nil || !l.o.Widen(true)), "there is nothing to step back from")
}

// MarkedNote says how many rows are marked, or is empty.
func (l *Listing) MarkedNote() string {
	if len(l.marks) == 0 {
		return ""
	}
	return text.Count(len(l.marks)) + " marked"
}
