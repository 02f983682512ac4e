package kit

import (
	"cmp"
	"image"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// List is the body of a screen of rows: lines above them, a filter, rows in columns and in groups
// that fold, marks and ranges, and a pane with the details of the entry under the cursor. The
// cursor stays on its row while rows come and go. All work is linear in the number of rows, and
// only visible rows are drawn.
//
// Set the fields, then call Arrange, and again whenever the rows change. ID, Rows, Key, Match,
// Columns, Cells, Above, Describe and Empty are required; with RowsOnly, the last three
// are not.
type List[T any] struct {
	// ID is the first word of the action IDs, such as "uploads".
	ID string
	// Rows returns all rows, in groups and in order. Arrange calls it.
	Rows func() []Group[T]
	// Key identifies a row. It stays the same while the row changes or moves.
	Key func(row T) any
	// Match reports whether a row has all words of the filter, which are in lower case. Instead of
	// it, Total returns the number of rows without the filter if Rows applies the filter.
	Match func(row T, words []string) bool
	Total func() int
	// Head returns the name of a group and a styled note about its rows; nil without groups.
	Head func(key string, rows []T, th *theme.Theme) (name, note string)
	// HeadCells returns the columns of a group, in place of Head; it may be nil.
	HeadCells func(key string, th *theme.Theme) []Cell
	// Columns returns the columns of a list of that width, and Cells the cells of a row.
	Columns func(width int) Columns
	Cells   func(row T, widths []int, th *theme.Theme) []Cell
	// Above returns the lines above the list.
	Above func(size image.Point, th *theme.Theme) []string
	// Describe writes the details of an entry and returns a title. A small screen has them in one line.
	Describe func(e Entry[T], f *Facts) (title string)
	// Empty says why no row is shown.
	Empty func() string
	// Stop ends running work, and Widen leaves a narrowed view: what the key to step back does
	// first and last. They report whether there was something to do; with try they only
	// report. Both may be nil.
	Stop, Widen func(try bool) bool
	// Title returns the title of the list, by default its ID, Note styled words after it, and Footer
	// what its frame says below, by default the position of the cursor. Note may be nil.
	Title  func(width int) string
	Note   func(th *theme.Theme) string
	Footer func() string
	// Instead draws something else in place of the rows, unless it is nil or returns "".
	Instead func(size image.Point, th *theme.Theme) string
	// Tiles returns the tiles that are shown in place of the rows, or nil. It may be nil.
	Tiles func() Tiles
	// NoMark says why a row cannot be marked, or "", and Keep reports whether the mark of a row
	// that is gone stays. Both may be nil.
	NoMark func(row T) string
	Keep   func(row T) bool
	// NoPane hides the pane. RowsOnly draws only the filter, the names of the columns and the rows:
	// the screen draws what is around them, and sizes and mouse messages are relative to the rows.
	NoPane, RowsOnly bool
	// Folds reports whether a group is folded until the user opens it; it may be nil.
	Folds func(group string) bool
	// SkipHeads keeps the cursor off the heads of groups, which then have a blank line before them.
	SkipHeads bool
	// NoCursor dims the frame and the cursor, or hides it with RowsOnly: the focus is elsewhere.
	NoCursor bool
	// Draw draws a row in place of Cells; it may be nil. Columns, if set, name the columns.
	Draw func(row T, mark theme.Sign, width int, selected bool, th *theme.Theme) string
	// Mark returns the mark of a row if the screen keeps the marks, and Sign the sign for it in the
	// margin. Moved runs after the user moved the cursor to another entry, and Marked after marks
	// changed. Each may be nil.
	Mark          func(row T) *bool
	Sign          func(row T) theme.Sign
	Moved, Marked func()

	// Placeholder is the example in the empty filter.
	Placeholder string
	// Nothing is the reason for disabled actions without rows, and NotFound if the filter matches none.
	Nothing, NotFound string
	// Marking enables marks on rows.
	Marking bool
	// Now is the clock for double clicks; nil means time.Now.
	Now func() time.Time

	filter Field
	rows   Lines
	pane   Pane
	focus  listFocus
	open   bool // the pane is shown even where it does not fit beside the list
	moved  bool // the user chose an entry: the cursor stays on it
	clicks *Clicks
	size   image.Point

	all, groups []Group[T] // without and with the filter
	lines       []listLine
	under, from identity // of the entry under the cursor (rows change before Arrange), now and before the filter
	folded      map[string]bool
	marks       marks[T]
	anchor      any // key of the row where the open range begins, or nil
}

// Group is a group of rows. A group with an empty key has no head.
type Group[T any] struct {
	Key  string
	Rows []T
}

// Entry is one line of the list: a row, or the head of a group.
type Entry[T any] struct {
	Row  T      // unless it is a head
	Key  string // of the group
	Rows []T    // of the group
	head bool
}

// Head reports whether the entry is the head of a group.
func (e Entry[T]) Head() bool { return e.head }

// Cell is text in a style. The text may contain styles of its own, such as a bar.
type Cell struct {
	Text  string
	Style lipgloss.Style
	// Styled keeps the styles of Text under the cursor.
	Styled bool
}

type listFocus uint8

const (
	onList listFocus = iota
	onPane
	onFilter
)

// listLine is a line of the list: the index of a group and of a row in it, -1 for its
// head and -2 for the blank line before it.
type listLine struct{ group, row int32 }

// identity identifies an entry by the key of its row, nil for a head, and of its group.
type identity struct {
	row   any
	group string
}

// Tiles are rows drawn as pictures. They share the cursor of the list, see [List.Lines].
type Tiles interface {
	View(size image.Point, th *theme.Theme) string
	At(at image.Point) (i int, ok bool)
	Visible() (from, to int)
	Wheel(msg tea.MouseWheelMsg)
}

// Arrange loads the rows again. The cursor stays on its entry if the user moved it, otherwise
// on the first row. Marks of rows that are gone go.
func (l *List[T]) Arrange() {
	if l.folded == nil {
		if l.Now == nil {
			l.Now = time.Now
		}
		l.folded, l.clicks = map[string]bool{}, NewClicks(l.Now)
		l.filter.Label, l.filter.Placeholder = "Filter", l.Placeholder
	}
	l.all = l.Rows()
	if len(l.marks.rows) > 0 {
		found := make(map[any]bool, len(l.marks.rows))
		for _, g := range l.all {
			for _, row := range g.Rows {
				key := l.Key(row)
				if i, is := l.marks.at[key]; is {
					l.marks.rows[i], found[key] = row, true
				}
			}
		}
		l.marks.drop(func(i int) bool {
			return !found[l.marks.keys[i]] && (l.Keep == nil || !l.Keep(l.marks.rows[i]))
		})
	}
	l.find()
}

func (l *List[T]) find() {
	l.groups = l.all
	if words := strings.Fields(strings.ToLower(l.filter.Value())); len(words) > 0 && l.Match != nil {
		l.groups = nil
		for _, g := range l.all {
			g.Rows = slices.DeleteFunc(slices.Clone(g.Rows), func(row T) bool { return !l.Match(row, words) })
			if len(g.Rows) > 0 {
				l.groups = append(l.groups, g)
			}
		}
	}
	l.unfold()
}

// count returns the number of rows in groups.
func count[T any](groups []Group[T]) (n int) {
	for i := range groups {
		n += len(groups[i].Rows)
	}
	return n
}

func (l *List[T]) identify() identity {
	e, ok := l.Current()
	switch {
	case !ok:
		return identity{}
	case e.head:
		return identity{group: e.Key}
	}
	return identity{l.Key(e.Row), e.Key}
}

// unfold builds the lines of the groups and restores the cursor.
func (l *List[T]) unfold() {
	under := cmp.Or(l.under, l.from)
	l.lines = l.lines[:0]
	row, head := -1, -1
	for g := range l.groups {
		group := &l.groups[g]
		if group.Key != "" {
			if group.Key == under.group {
				head = len(l.lines)
			}
			if l.SkipHeads && (g > 0 || !l.RowsOnly) {
				l.lines = append(l.lines, listLine{int32(g), -2})
			}
			l.lines = append(l.lines, listLine{int32(g), -1})
			if l.isFolded(group.Key) {
				continue
			}
		}
		for i, r := range group.Rows {
			if under.row != nil && row < 0 && l.Key(r) == under.row {
				row = len(l.lines)
			}
			l.lines = append(l.lines, listLine{int32(g), int32(i)})
		}
	}
	l.rows.SetLen(len(l.lines))
	switch {
	case !l.moved:
		l.toFirst()
	case row >= 0:
		l.rows.SetCursor(row)
	case head >= 0 && (under.row == nil || l.isFolded(under.group)):
		l.rows.SetCursor(head)
	}
	l.arrived()
}

// arrived notes the entry under the cursor.
func (l *List[T]) arrived() {
	under := l.under
	if l.under = l.identify(); l.under != under {
		l.pane.Reset()
	}
}

// first returns the line of the first row, below the head of its group.
func (l *List[T]) first() int {
	row := func(at listLine) bool { return at.row >= 0 && at.group == 0 }
	return max(0, slices.IndexFunc(l.lines[:min(4, len(l.lines))], row)) // after blank lines and the head
}

func (l *List[T]) toFirst() {
	l.rows.SetCursor(0) // show the head, too
	l.rows.SetCursor(l.first())
}

// Landed records that the user moved the cursor. On the first row, the cursor stays on
// the first row while rows come and go.
func (l *List[T]) Landed() {
	under := l.under
	l.landed()
	l.report(under)
}

func (l *List[T]) landed() {
	l.moved = l.rows.Cursor() != l.first()
	l.arrived()
}

func (l *List[T]) report(before identity) {
	if l.Moved != nil && l.under != before {
		l.Moved()
	}
}

// Hold keeps the cursor on its entry when rows are added above it.
func (l *List[T]) Hold() { l.moved = true }

// At returns entry i of the list.
func (l *List[T]) At(i int) (e Entry[T], ok bool) {
	if i < 0 || i >= len(l.lines) {
		return e, false
	}
	line := l.lines[i]
	group := &l.groups[line.group]
	e = Entry[T]{Key: group.Key, Rows: group.Rows, head: line.row < 0}
	if !e.head {
		e.Row = group.Rows[line.row]
	}
	return e, true
}

// Current returns the entry under the cursor.
func (l *List[T]) Current() (Entry[T], bool) { return l.At(l.rows.Cursor()) }

// Row returns the row under the cursor; ok is false on the head of a group.
func (l *List[T]) Row() (row T, ok bool) {
	e, ok := l.Current()
	return e.Row, ok && !e.head
}

// Lines returns the cursor, for tiles; call Landed after moving it.
func (l *List[T]) Lines() *Lines { return &l.rows }

// Len returns the number of entries, and Cursor the index of the one under the cursor.
func (l *List[T]) Len() int    { return len(l.lines) }
func (l *List[T]) Cursor() int { return l.rows.Cursor() }

// Go moves the cursor to the row with that key, or to the head of its folded group, and reports whether
// it is shown.
func (l *List[T]) Go(key any) bool {
	i := l.index(key)
	if i >= 0 {
		l.GoTo(i)
	}
	return i >= 0
}

func (l *List[T]) index(key any) int {
	return slices.IndexFunc(l.lines, func(at listLine) bool {
		g := l.groups[at.group]
		if at.row == -1 && l.isFolded(g.Key) {
			return slices.ContainsFunc(g.Rows, func(row T) bool { return l.Key(row) == key })
		}
		return at.row >= 0 && l.Key(g.Rows[at.row]) == key
	})
}

// Show moves the cursor to the row with that key. It clears a filter that hides the row.
func (l *List[T]) Show(key any) {
	if !l.Go(key) {
		l.ClearFilter()
		l.Go(key)
	}
}

// GoTo moves the cursor to entry i, or to the nearest one.
func (l *List[T]) GoTo(i int) {
	if e, ok := l.At(i - 1); ok && e.head {
		l.rows.SetCursor(i - 1) // show the head, too
	}
	l.rows.SetCursor(i)
	l.landed()
}

func (l *List[T]) isFolded(group string) bool {
	if folded, chosen := l.folded[group]; chosen {
		return folded
	}
	return l.Folds != nil && l.Filter() == "" && l.Folds(group)
}

// Fold folds or unfolds the group whose head is under the cursor, and reports
// whether the cursor is on one.
func (l *List[T]) Fold() bool {
	e, ok := l.Current()
	if !ok || !e.head {
		return false
	}
	l.folded[e.Key] = !l.isFolded(e.Key)
	l.moved = true
	l.unfold()
	return true
}

// SetFilter sets the filter as if it had been typed, and Filter returns it.
func (l *List[T]) SetFilter(pattern string) {
	l.filter.SetValue(pattern)
	l.find()
}

// Filter returns the text of the filter.
func (l *List[T]) Filter() string { return l.filter.Value() }

// Filtering reports whether the filter is shown.
func (l *List[T]) Filtering() bool { return l.focus == onFilter || l.filter.Value() != "" }

// Capturing reports whether the filter takes the keys.
func (l *List[T]) Capturing() bool { return l.focus == onFilter }

// Type edits the filter.
func (l *List[T]) Type(msg tea.Msg) (tea.Cmd, bool) {
	before := l.filter.Value()
	if l.focus != onFilter || !l.filter.Update(msg) {
		return nil, false
	}
	if under := l.under; l.filter.Value() != before {
		l.moved = false
		l.find()
		l.report(under)
	}
	return nil, true
}

// StartFilter focuses the filter.
func (l *List[T]) StartFilter() {
	l.focus, l.from = onFilter, text.Either(l.filter.Value() == "", l.under, l.from)
	l.filter.Focus()
}

// KeepFilter leaves the field of the filter.
func (l *List[T]) KeepFilter() {
	l.focus = onList
	l.filter.Blur()
}

// ClearFilter removes the filter and leaves its field. The cursor stays on its entry, or returns to
// that of before if the filter matched none.
func (l *List[T]) ClearFilter() {
	l.moved = l.moved || l.filter.Value() != "" && cmp.Or(l.under, l.from) != identity{}
	l.SetFilter("")
	l.KeepFilter()
}

// Actions returns the actions of the part with the focus: the filter's, or those of the
// screen and of every list.
func (l *List[T]) Actions(screen []Action) []Action {
	if l.focus == onFilter {
		return l.filterActions()
	}
	actions := Shadow(append(screen, l.listActions()...))
	if l.focus == onPane {
		actions = Leading(actions, Lead{l.ID + ".back", "back"}) // the first hint says how to leave
	}
	return actions
}

// Catalog returns the actions of every part, for [page.Catalog].
func (l *List[T]) Catalog(screen []Action) map[string][]Action {
	return map[string][]Action{"": Shadow(append(screen, l.listActions()...)), "filter": l.filterActions()}
}

func (l *List[T]) action(id, words string, reason func() string, do func(), keys ...string) Action {
	return Action{
		ID: l.ID + "." + id, Keys: Bind(words, "", keys...), Group: "View", Disabled: reason,
		Do: func() tea.Cmd { do(); return nil },
	}
}

func (l *List[T]) filterActions() []Action {
	actions := []Action{
		l.action("filter-keep", "keep the filter", nil, l.KeepFilter, "enter"),
		l.action("filter-clear", "clear the filter", nil, l.ClearFilter, "esc"),
	}
	actions[0].Footer, actions[1].Footer = true, true
	return append(actions, l.moves()[:2]...) // the field uses the other keys
}

func (l *List[T]) listActions() []Action {
	filter := l.action("filter", "filter", l.nothingAtAll, l.StartFilter, "/")
	filter.Footer = true
	actions := []Action{filter}
	if !l.RowsOnly || l.Total != nil {
		actions = append(
			actions,
			l.action("next-match", "next match", l.noMatch, func() { l.turn(1) }, "n"),
			l.action("previous-match", "previous match", l.noMatch, func() { l.turn(-1) }, "N"),
		)
	}
	if l.Marking {
		mark := l.action("mark", "mark", l.noMark, l.mark, "space")
		mark.Footer = l.RowsOnly
		all := func() { l.markRows(func(bool) bool { return true }) }
		invert := func() { l.markRows(func(on bool) bool { return !on }) }
		actions = append(
			actions,
			mark,
			l.action("mark-range", "mark a range", l.NoRow, l.markRange, "v"),
			l.action("mark-all", "mark all", l.noneToMark, all, "ctrl+a"),
			l.action("invert-marks", "invert marks", l.NoEntry, invert, "*"),
		)
	}
	back := l.action("back", "step back", l.nothingToLeave, l.back, "esc", "left", "h", "backspace")
	back.Group = "Navigation"
	switch {
	case !l.RowsOnly:
		actions = append(
			actions,
			l.action("next-part", "list or details pane", l.NoEntry, func() {
				if l.focus == onPane {
					l.focus = onList
				} else {
					l.open, l.focus = true, onPane
				}
			}, "tab", "shift+tab"),
			back,
		)
	case l.nothingToLeave() == "":
		words := text.If(l.anchor == nil, "clear the filter")
		actions = append(actions, l.action("back", cmp.Or(words, "drop the range"), nil, l.back, "esc"))
	}
	return append(actions, l.moves()...)
}

func (l *List[T]) moves() []Action {
	return ListActions(func() Scroller {
		if l.focus == onPane {
			return &l.pane
		}
		return l
	}, func() tea.Cmd {
		if l.focus != onPane {
			l.Landed()
		}
		return nil
	})
}

// Move moves the cursor. The top is the first row rather than the head of its group.
func (l *List[T]) Move(by int) {
	if by <= -l.Len() {
		l.toFirst()
		return
	}
	l.rows.Move(by)
	for e, _ := l.Current(); e.head && l.SkipHeads; e, _ = l.Current() {
		l.rows.Move(text.Either(by < 0 && l.rows.Cursor() > 0, -1, 1))
		by = text.Either(l.rows.Cursor() == 0, 1, by)
	}
}

// Page returns the number of visible entries.
func (l *List[T]) Page() int { return l.rows.Page() }

// turn moves to the next match and wraps around.
func (l *List[T]) turn(by int) {
	n := l.Len()
	for range n {
		l.rows.SetCursor((l.rows.Cursor() + by + n) % n)
		if _, ok := l.Row(); ok {
			break
		}
	}
	l.Landed()
}

// OpenPane focuses the pane.
func (l *List[T]) OpenPane() {
	l.open, l.focus = true, onPane
	l.pane.Reset()
}

// PaneWhole reports whether the pane is shown with all of its lines.
func (l *List[T]) PaneWhole() bool { return l.PaneShown() && l.pane.lines <= l.pane.height }

// InPane reports whether the pane has the focus.
func (l *List[T]) InPane() bool { return l.focus == onPane }

// PaneShown reports whether the pane is shown.
func (l *List[T]) PaneShown() bool { return !l.layout(l.size).pane.Empty() }

// back closes the pane, or else the range, the marks, the filter or the narrowed view.
func (l *List[T]) back() {
	switch {
	case l.Stop != nil && l.Stop(false):
	case l.focus == onPane || l.open:
		l.focus, l.open = onList, false
	case l.anchor != nil:
		l.anchor = nil
	case len(l.marks.rows) > 0 && len(l.lines) > 0: // else the filter is in the way
		l.Unmark(nil)
	case l.filter.Value() != "":
		l.ClearFilter()
	case l.Widen != nil:
		l.Widen(false)
	}
}

// Position describes the position of the cursor among the rows and the length of an open range.
func (l *List[T]) Position() string {
	if len(l.lines) == 0 {
		return text.Either(l.Filter() == "", l.rows.Position(), "no match")
	}
	at := l.lines[l.rows.Cursor()]
	before := count(l.groups[:at.group]) + int(at.row)
	words := text.If(at.row >= 0, text.Count(before+1)+" of "+text.Count(count(l.groups)))
	if from, to := l.span(); from <= to {
		words = "range of " + text.Count(to-from+1) + " · " + words
	}
	return words
}

// Each of these returns why an action is disabled, or "".

func (l *List[T]) nothingAtAll() string {
	if l.Widen != nil && l.Widen(true) {
		return text.If(len(l.all) == 0, l.NotFound)
	}
	return text.If(len(l.all) == 0, l.Nothing)
}

// NoEntry is the reason of actions that need an entry under the cursor.
func (l *List[T]) NoEntry() string {
	if len(l.lines) > 0 {
		return ""
	}
	return cmp.Or(l.nothingAtAll(), l.NotFound)
}

func (l *List[T]) noMark() string {
	if row, ok := l.Row(); ok && l.NoMark != nil {
		return l.NoMark(row)
	}
	return l.NoEntry()
}

func (l *List[T]) noneToMark() string {
	for _, g := range l.groups {
		if slices.ContainsFunc(g.Rows, func(row T) bool { return !l.Has(row) }) {
			return ""
		}
	}
	return cmp.Or(l.NoEntry(), "all are marked")
}

// NoRow is the reason of actions that need a row under the cursor.
func (l *List[T]) NoRow() string {
	e, ok := l.Current()
	return text.Either(ok && e.head, "the cursor is on a folder", l.NoEntry())
}

func (l *List[T]) noMatch() string {
	return text.If(l.filter.Value() == "" || len(l.lines) == 0, "no filter has found anything")
}

func (l *List[T]) nothingToLeave() string {
	if l.Stop != nil && l.Stop(true) {
		return ""
	}
	return text.If(l.focus == onList && !l.open && l.filter.Value() == "" && len(l.marks.rows) == 0 &&
		l.anchor == nil && (l.Widen == nil || !l.Widen(true)), "there is nothing to step back from")
}

// MarkedNote says how many rows are marked, or is empty.
func (l *List[T]) MarkedNote() string {
	n := len(l.marks.rows)
	return text.If(n > 0, text.Count(n)+" marked")
}
