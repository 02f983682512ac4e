package kit

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// MarkList is a filtered list at the side of a screen. Rows can be marked one by one, as
// a range, or all at once. The screen owns the marks. Name is required.
type MarkList struct {
	// ID is the first word of its action IDs, such as "details".
	ID string
	// Mark returns the mark of a row. If Mark is nil, rows cannot be marked.
	Mark func(row int) *bool
	// Name returns the text that the filter searches.
	Name func(row int) string
	// Moved runs after each move of the cursor, and Marked after each change of marks. Both
	// may be nil.
	Moved, Marked func() tea.Cmd

	list   List  // the rows that match the filter
	rows   []int // their numbers
	n      int   // rows without the filter
	at     int   // the row under the cursor, even if the filter hides it
	filter Field
	typing bool
	anchor int // 1-based start of the open range, or 0
}

// SetLen sets the number of rows. The cursor keeps its number, or moves to the last row.
func (l *MarkList) SetLen(n int) {
	l.n, l.at = n, max(0, min(l.at, n-1))
	if l.anchor > n {
		l.anchor = 0
	}
	l.find()
}

// Len returns the number of rows without the filter.
func (l *MarkList) Len() int { return l.n }

// Cursor returns the row under the cursor, 0 in an empty list.
func (l *MarkList) Cursor() int { return l.at }

// SetCursor moves the cursor to a row. It clears a filter that hides the row.
func (l *MarkList) SetCursor(row int) {
	l.at = max(0, min(row, l.n-1))
	if l.n > 0 && !slices.Contains(l.rows, l.at) {
		l.filter.SetValue("")
	}
	l.find()
}

// SetHeight sets the number of lines, including that of the filter.
func (l *MarkList) SetHeight(h int) { l.list.SetHeight(h - l.top()) }

// Position describes the position of the cursor.
func (l *MarkList) Position() string {
	words := text.Count(l.at+1) + " of " + text.Count(l.n)
	if l.anchor > 0 {
		words = "range from " + text.Count(l.anchor) + " to " + words
	}
	return words
}

// find finds the rows that match the filter.
func (l *MarkList) find() {
	words := strings.Fields(strings.ToLower(l.filter.Value()))
	l.rows = l.rows[:0]
	for row := range l.n {
		if len(words) == 0 || text.HasAll(words, l.Name(row)) {
			l.rows = append(l.rows, row)
		}
	}
	l.list.SetLen(len(l.rows))
	if i := slices.Index(l.rows, l.at); i >= 0 {
		l.list.SetCursor(i)
	}
}

// Filtered reports whether the filter is shown above the rows.
func (l *MarkList) Filtered() bool { return l.top() > 0 }

// Hidden reports whether the filter hides the row under the cursor.
func (l *MarkList) Hidden() bool { return !slices.Contains(l.rows, l.at) }

// top returns the number of lines above the rows.
func (l *MarkList) top() int {
	if l.typing || l.filter.Value() != "" {
		return 1
	}
	return 0
}

// Capturing reports whether the filter takes the keys.
func (l *MarkList) Capturing() bool { return l.typing }

// Type edits the filter. The cursor moves to the first match unless it is on one.
func (l *MarkList) Type(msg tea.Msg) (tea.Cmd, bool) {
	before := l.filter.Value()
	if !l.typing || !l.filter.Update(msg) {
		return nil, false
	}
	if l.filter.Value() == before {
		return nil, true
	}
	l.find()
	if len(l.rows) > 0 && !slices.Contains(l.rows, l.at) {
		l.at = l.rows[0]
		l.find()
		return run(l.Moved), true
	}
	return nil, true
}

func run(do func() tea.Cmd) tea.Cmd {
	if do == nil {
		return nil
	}
	return do()
}

// landed updates the row under the cursor after the cursor of the list moved.
func (l *MarkList) landed() tea.Cmd {
	if len(l.rows) == 0 || l.at == l.rows[l.list.Cursor()] {
		return nil
	}
	l.at = l.rows[l.list.Cursor()]
	return run(l.Moved)
}

// Click moves the cursor to the row at line y, and reports whether there is one.
func (l *MarkList) Click(y int) (cmd tea.Cmd, ok bool) {
	if !l.list.Click(y - l.top()) {
		return nil, false
	}
	return l.landed(), true
}

// Wheel scrolls on a wheel message.
func (l *MarkList) Wheel(msg tea.Msg) tea.Cmd {
	l.list.Wheel(msg)
	return l.landed()
}

// leave leaves the filter field; clearing shows all rows again.
func (l *MarkList) leave(clearing bool) {
	l.typing = false
	l.filter.Blur()
	if clearing {
		l.filter.SetValue("")
		l.find()
	}
}

// Actions move, mark and filter.
func (l *MarkList) Actions() []Action {
	action := func(id, words, key string, do func() tea.Cmd) Action {
		return Action{ID: l.ID + "." + id, Keys: Bind(words, "", key), Group: "Files", Do: do}
	}
	marks := func(do func()) func() tea.Cmd {
		return func() tea.Cmd { do(); return run(l.Marked) }
	}
	each := func(on func(row int) bool) func() tea.Cmd {
		return marks(func() {
			for _, row := range l.rows {
				*l.Mark(row) = on(row)
			}
		})
	}
	moves := ListActions(func() Scroller { return &l.list }, l.landed)
	if l.typing {
		keep := action("filter-keep", "keep the filter", "enter", func() tea.Cmd { l.leave(false); return nil })
		drop := action("filter-clear", "clear the filter", "esc", func() tea.Cmd { l.leave(true); return nil })
		keep.Footer, drop.Footer = true, true
		return append([]Action{keep, drop}, moves[:2]...) // the field uses the other keys
	}
	mark := action("mark", "mark", "space", func() tea.Cmd {
		if len(l.rows) == 0 {
			return nil
		}
		*l.Mark(l.at) = !*l.Mark(l.at)
		l.list.Move(1)
		return tea.Batch(l.landed(), run(l.Marked))
	})
	filter := action("filter-files", "filter", "/", func() tea.Cmd { l.typing = true; l.filter.Focus(); return nil })
	mark.Footer, filter.Footer = true, true
	all := action("mark-all", "mark all", "ctrl+a", each(func(int) bool { return true }))
	all.Disabled = func() string {
		return text.If(!slices.ContainsFunc(l.rows, func(row int) bool { return !*l.Mark(row) }), "all are marked")
	}
	actions := []Action{filter}
	if l.Mark != nil {
		actions = []Action{
			mark, filter,
			action("mark-range", "mark a range", "v", marks(l.markRange)), all,
			action("invert-marks", "invert marks", "*", each(func(row int) bool { return !*l.Mark(row) })),
		}
	}
	if l.anchor > 0 {
		actions = append([]Action{action("no-range", "drop the range", "esc", func() tea.Cmd { l.anchor = 0; return nil })}, actions...)
	} else if l.filter.Value() != "" {
		actions = append([]Action{action("no-filter", "clear the filter", "esc", func() tea.Cmd { l.leave(true); return nil })}, actions...)
	}
	return append(actions, moves...)
}

// markRange begins a range, or marks the rows between its start and the cursor.
func (l *MarkList) markRange() {
	if l.anchor == 0 {
		l.anchor = l.at + 1
		return
	}
	for _, row := range l.rows {
		if l.inRange(row) {
			*l.Mark(row) = true
		}
	}
	l.anchor = 0
}

func (l *MarkList) inRange(row int) bool {
	return l.anchor > 0 && min(l.anchor-1, l.at) <= row && row <= max(l.anchor-1, l.at)
}

// View draws the filter, if any, and the visible rows, exactly filling size. It calls
// row for each with the sign of its mark.
func (l *MarkList) View(size image.Point, th *theme.Theme, row func(row int, mark theme.Sign, width int, selected bool) string) string {
	top := ""
	if l.top() > 0 {
		size.Y--
		f := l.filter
		f.Label, f.Placeholder = "/", "filter"
		top = f.View(size.X, th)
	}
	return JoinV(top, l.list.View(size, func(i, width int, selected bool) string {
		mark := theme.SignNone
		if n := l.rows[i]; l.Mark != nil && (*l.Mark(n) || l.inRange(n)) {
			mark = theme.SignMarked
		}
		return row(l.rows[i], mark, width, selected)
	}))
}
