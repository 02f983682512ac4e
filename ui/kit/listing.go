package kit

import (
	"image"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Rows provides the rows of a [Listing]. Row numbers may change, but the ID of a row
// stays the same.
type Rows interface {
	// ID identifies a row. It is never 0.
	ID(row int) int64
	// Len returns the number of rows without a filter.
	Len() int
	// Groups returns the rows that match a filter, in groups and in order.
	Groups(filter string) []Group
	// Head returns the name of a group and a styled note about it.
	Head(key string, th *theme.Theme) (name, note string)
	// Cells returns the cells of a row.
	Cells(row int, widths []int, th *theme.Theme) []Cell
	// Columns returns the columns of a list of that width.
	Columns(width int) Columns
	// Above returns the lines above the list, at least one.
	Above(size image.Point, th *theme.Theme) []string
	// Describe writes the details of an entry and returns a title.
	Describe(e Entry, f *Facts) (title string)
	// Brief returns the description of an entry below the list on a small screen.
	Brief(e Entry) string
	// Empty says why no row is shown.
	Empty() string
}

// Group is a group of rows. A group with an empty key has no head.
type Group struct {
	Key  string
	Rows []int
}

// Entry is one line of the list: a row, or the head of a group.
type Entry struct {
	Row  int    // -1 for the head of the group
	Key  string // of the group
	Rows []int  // of the group
}

// Head reports whether the entry is the head of a group.
func (e Entry) Head() bool { return e.Row < 0 }

// Cell is text in a style. The text may contain styles of its own, such as a bar.
type Cell struct {
	Text  string
	Style lipgloss.Style
}

// ListingOptions configures a listing. Rows and ID are required.
type ListingOptions struct {
	Rows Rows
	// ID is the first word of its action IDs, such as "uploads".
	ID string
	// Placeholder is the example in the empty filter.
	Placeholder string
	// Nothing is the reason for disabled actions without rows, NotFound if the filter
	// matches none, and OnHead with the cursor on the head of a group.
	Nothing, NotFound, OnHead string
	// Widen leaves a narrowed view and reports whether there was one. With try it only
	// reports. It may be nil.
	Widen func(try bool) bool
	// Marking enables marks on rows.
	Marking bool
	// PaneMost is the maximum width of the pane.
	PaneMost int
	// Now is the clock for double clicks.
	Now func() time.Time
}

// listingFocus is the part of a listing that has the focus.
type listingFocus uint8

const (
	onList listingFocus = iota
	onPane
	onFilter
)

// Listing is the body of a screen of rows: summary lines, a filter, a list of foldable
// groups, marks, and a pane with the details of the entry under the cursor. Use
// [NewListing].
type Listing struct {
	o      ListingOptions
	filter Field
	list   List
	pane   Pane
	focus  listingFocus
	open   bool // the pane is shown even where it does not fit beside the list
	moved  bool // the user chose an entry: the cursor stays on it
	clicks *Clicks
	size   image.Point
	memo   Memo[drawnFor, string]

	groups []Group
	lines  []listLine
	found  int      // rows in groups
	under  identity // of the entry under the cursor: row numbers change before Arrange
	folded map[string]bool
	marks  map[int64]bool
	anchor int64 // ID of the row where the open range begins, or 0
}

// listLine is a line of the list: the index of a group and of a row in it, -1 for its
// head.
type listLine struct{ group, row int32 }

// drawnFor holds the inputs of a drawn listing other than its state.
type drawnFor struct {
	size  image.Point
	theme *theme.Theme
}

// NewListing returns a listing. Call Arrange to fill it.
func NewListing(o ListingOptions) *Listing {
	return &Listing{
		o: o, filter: Field{Label: "Filter", Placeholder: o.Placeholder}, clicks: NewClicks(o.Now),
		folded: map[string]bool{}, marks: map[int64]bool{},
	}
}

// Arrange loads the rows again, whose numbers may have changed. The cursor stays on its
// entry if the user moved it, otherwise on the first row.
func (l *Listing) Arrange() {
	l.groups = l.o.Rows.Groups(l.filter.Value())
	l.found = 0
	for i := range l.groups {
		l.found += len(l.groups[i].Rows)
	}
	if len(l.marks) > 0 && l.filter.Value() == "" {
		l.forget()
	}
	l.unfold()
}

// forget removes the marks of rows that no longer exist.
func (l *Listing) forget() {
	left := make(map[int64]bool, len(l.marks))
	for _, row := range l.Chosen() {
		left[l.o.Rows.ID(row)] = true
	}
	l.marks = left
}

// identity identifies an entry by the ID of its row or the key of its group.
type identity struct {
	id  int64
	key string
}

// identify returns the identity of the entry under the cursor, or the zero value.
func (l *Listing) identify() identity {
	e, ok := l.Current()
	switch {
	case !ok:
		return identity{}
	case e.Head():
		return identity{key: e.Key}
	}
	return identity{id: l.o.Rows.ID(e.Row), key: e.Key}
}

// unfold builds the lines of the groups and restores the cursor.
func (l *Listing) unfold() {
	under := l.under
	l.lines = l.lines[:0]
	row, head := -1, -1
	for g := range l.groups {
		group := &l.groups[g]
		if group.Key != "" {
			if group.Key == under.key {
				head = len(l.lines)
			}
			l.lines = append(l.lines, listLine{int32(g), -1})
			if l.folded[group.Key] {
				continue
			}
		}
		for i, n := range group.Rows {
			if under.id != 0 && row < 0 && l.o.Rows.ID(n) == under.id {
				row = len(l.lines)
			}
			l.lines = append(l.lines, listLine{int32(g), int32(i)})
		}
	}
	l.list.SetLen(len(l.lines))
	switch {
	case !l.moved:
		l.toFirst()
	case row >= 0:
		l.list.SetCursor(row)
	case head >= 0 && (under.id == 0 || l.folded[under.key]):
		l.list.SetCursor(head)
	}
	if l.under = l.identify(); l.under != under {
		l.pane.Reset()
	}
}

// first returns the line of the first row, below the head of its group.
func (l *Listing) first() int {
	if len(l.lines) > 1 && l.lines[0].row < 0 && l.lines[1].row >= 0 {
		return 1
	}
	return 0
}

func (l *Listing) toFirst() {
	l.list.SetCursor(0) // show the head, too
	l.list.SetCursor(l.first())
}

// landed records that the user moved the cursor. On the first row, the cursor stays on
// the first row while rows come and go.
func (l *Listing) landed() {
	l.moved = l.list.Cursor() != l.first()
	l.under = l.identify()
	l.pane.Reset()
}

// Hold keeps the cursor on its entry when rows are added above it.
func (l *Listing) Hold() { l.moved = true }

// At returns entry i of the list.
func (l *Listing) At(i int) (Entry, bool) {
	if i < 0 || i >= len(l.lines) {
		return Entry{Row: -1}, false
	}
	line := l.lines[i]
	group := &l.groups[line.group]
	if line.row < 0 {
		return Entry{Row: -1, Key: group.Key, Rows: group.Rows}, true
	}
	return Entry{Row: group.Rows[line.row], Key: group.Key, Rows: group.Rows}, true
}

// Current returns the entry under the cursor.
func (l *Listing) Current() (Entry, bool) { return l.At(l.list.Cursor()) }

// Row returns the row under the cursor; ok is false on the head of a group.
func (l *Listing) Row() (row int, ok bool) {
	e, ok := l.Current()
	return e.Row, ok && !e.Head()
}

// Len returns the number of entries.
func (l *Listing) Len() int { return len(l.lines) }

// Go moves the cursor to the row with that ID, and reports whether it is shown.
func (l *Listing) Go(id int64) bool {
	for i := range l.lines {
		if e, _ := l.At(i); !e.Head() && l.o.Rows.ID(e.Row) == id {
			l.GoTo(i)
			return true
		}
	}
	return false
}

// GoTo moves the cursor to entry i, or to the nearest one.
func (l *Listing) GoTo(i int) {
	if e, ok := l.At(i - 1); ok && e.Head() {
		l.list.SetCursor(i - 1) // show the head, too
	}
	l.list.SetCursor(i)
	l.landed()
}

// Cursor returns the index of the entry under the cursor.
func (l *Listing) Cursor() int { return l.list.Cursor() }

// Fold folds or unfolds the group whose head is under the cursor, and reports
// whether the cursor is on one.
func (l *Listing) Fold() bool {
	e, ok := l.Current()
	if !ok || !e.Head() {
		return false
	}
	l.folded[e.Key] = !l.folded[e.Key]
	l.moved = true
	l.unfold()
	return true
}

// Folded reports whether the group with that key is folded.
func (l *Listing) Folded(key string) bool { return l.folded[key] }

// Filter returns the filter text, and whether the filter has the focus.
func (l *Listing) Filter() (pattern string, typing bool) {
	return l.filter.Value(), l.focus == onFilter
}

// OpenPane focuses the pane.
func (l *Listing) OpenPane() {
	l.open, l.focus = true, onPane
	l.pane.Reset()
}

// PaneShown reports whether the pane is shown.
func (l *Listing) PaneShown() bool { return !l.layout(l.size).pane.Empty() }

// PaneBelow reports whether the pane, if shown, is below the list.
func (l *Listing) PaneBelow() bool { return ModeOfWidth(l.size.X) == Stacked }

// ResetPane scrolls the pane to its first line.
func (l *Listing) ResetPane() { l.pane.Reset() }

// Resize sets the size of the screen.
func (l *Listing) Resize(size image.Point) { l.size = size }

// Changed updates the layout and forces a redraw. Call it in Update after each change.
func (l *Listing) Changed() {
	at := l.layout(l.size)
	l.list.SetHeight(at.list.Dy())
	if !at.pane.Empty() {
		_, lines := l.facts(at.pane.Size(), &theme.Theme{})
		l.pane.SetSize(len(lines), at.pane.Size())
	}
	l.memo.Forget()
}

// listingLayout holds the rectangles of the parts. A part with an empty rectangle is
// not drawn.
type listingLayout struct {
	above, filter, box, head, list, line, pane image.Rectangle
}

// Sizes of the parts.
const (
	headFrom   = 12 // minimum lines of the screen for a frame and column names
	frameLines = 3  // of the frame and the column names
	paneFrom   = 9  // minimum lines for a pane below all entries
	lineFrom   = 6  // minimum lines for the description of the entry under the cursor
	paneLeast  = 34 // columns
)

// layout divides the screen among the parts.
func (l *Listing) layout(size image.Point) listingLayout {
	var at listingLayout
	rest := image.Rectangle{Max: image.Pt(max(0, size.X), max(0, size.Y))}
	top := func(lines int) image.Rectangle {
		r := rest
		r.Max.Y = min(rest.Max.Y, rest.Min.Y+lines)
		rest.Min.Y = r.Max.Y
		return r
	}
	at.above = top(len(l.o.Rows.Above(size, &theme.Theme{})))
	if l.focus == onFilter || l.filter.Value() != "" {
		at.filter = top(1)
	}
	if len(l.lines) == 0 {
		at.list = rest
		if rest.Dy() >= headFrom {
			at.box, at.list = rest, rest.Inset(1)
		}
		return at
	}
	framed := rest.Dy() >= headFrom
	switch mode := ModeOfWidth(size.X); {
	case mode == Wide:
		at.pane = rest
		at.pane.Min.X = rest.Max.X - min(l.o.PaneMost, max(paneLeast, size.X*34/100))
		rest.Max.X = at.pane.Min.X
	case mode == Stacked && framed && (l.open || rest.Dy()-frameLines-len(l.lines) >= paneFrom):
		at.pane = rest
		at.pane.Min.Y += rest.Dy() * 2 / 5
		if !l.open {
			at.pane.Min.Y = max(at.pane.Min.Y, rest.Min.Y+frameLines+len(l.lines))
		}
		rest.Max.Y = at.pane.Min.Y
	case l.open:
		at.pane = rest
		return at
	case size.Y >= lineFrom:
		at.line = rest
		at.line.Min.Y = rest.Max.Y - 1
		rest.Max.Y = at.line.Min.Y
	}
	if framed && rest.Dy() > frameLines+2 {
		at.box, rest = rest, rest.Inset(1)
		if at.box.Dx() >= StackedWidth {
			at.head = top(1)
		}
	}
	at.list = rest
	return at
}

// View draws the listing.
func (l *Listing) View(size image.Point, th *theme.Theme) string {
	return l.memo.Draw(drawnFor{size, th}, func() string { return l.draw(size, th) })
}

func (l *Listing) draw(size image.Point, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	at := l.layout(size)
	part := func(r image.Rectangle, draw func(image.Point) string) string {
		if r.Empty() {
			return ""
		}
		return text.Fit(draw(r.Size()), r.Dx(), r.Dy())
	}
	above := JoinV(
		part(at.above, func(image.Point) string { return strings.Join(l.o.Rows.Above(size, th), "\n") }),
		part(at.filter, func(s image.Point) string { return l.drawFilter(s.X, th) }),
	)
	rows := JoinV(
		part(at.head, func(s image.Point) string {
			cols := l.o.Rows.Columns(s.X - l.indent())
			return text.Blanks(l.indent()) + th.Muted.Render(cols.Row(cols.Widths(s.X-l.indent()), cols.names()...))
		}),
		part(at.list, func(s image.Point) string { return l.drawRows(s, th) }),
	)
	if !at.box.Empty() {
		rows = BoxFooter(text.Capital(l.o.ID), l.list.Position(), rows, at.box.Size(), l.focus != onPane, th)
	}
	body := JoinV(
		rows,
		part(at.line, func(s image.Point) string {
			e, _ := l.Current()
			return th.Muted.Render(text.Truncate(text.Safe(l.o.Rows.Brief(e)), s.X))
		}),
	)
	if !at.pane.Empty() {
		title, lines := l.facts(at.pane.Size(), th)
		pane := l.pane.View(text.Safe(title), lines, at.pane.Size(), l.focus == onPane, th)
		if at.pane.Min.X > 0 {
			body = JoinH(body, pane)
		} else {
			body = JoinV(body, pane)
		}
	}
	return text.Fit(JoinV(above, body), size.X, size.Y)
}

func (l *Listing) facts(size image.Point, th *theme.Theme) (title string, lines []string) {
	e, ok := l.Current()
	if !ok {
		return "", nil
	}
	f := NewFacts(PaneWidth(size), th)
	title = l.o.Rows.Describe(e, f)
	return title, f.Lines()
}

func (l *Listing) drawFilter(width int, th *theme.Theme) string {
	found := " " + text.Count(l.found) + " of " + text.Count(l.o.Rows.Len())
	w := text.Width(found)
	if width < 3*w {
		return l.filter.View(width, th)
	}
	return l.filter.View(width-w, th) + th.Muted.Render(found)
}

// indent returns the width of the column for marks, which also indents rows below the
// heads of groups.
func (l *Listing) indent() int {
	if len(l.marks) > 0 || l.anchor != 0 || len(l.groups) > 0 && l.groups[0].Key != "" {
		return 2
	}
	return 0
}

func (l *Listing) drawRows(size image.Point, th *theme.Theme) string {
	if len(l.lines) == 0 {
		lines := text.Wrap(l.o.Rows.Empty(), min(size.X, 76))
		for i := range lines {
			lines[i] = th.Muted.Render(lines[i])
		}
		return strings.Repeat("\n", max(0, min(2, size.Y-len(lines)))) + strings.Join(lines, "\n")
	}
	indent := l.indent()
	cols := l.o.Rows.Columns(size.X - indent)
	widths := cols.Widths(size.X - indent)
	chosen := th.Selected
	if l.focus == onPane {
		chosen = th.SelectedDim
	}
	from, to := l.span()
	return l.list.View(size, func(i, width int, selected bool) string {
		e, _ := l.At(i)
		if e.Head() {
			return l.drawHead(e.Key, width, selected, chosen, th)
		}
		mark := theme.SignNone
		if len(l.marks) > 0 && l.marks[l.o.Rows.ID(e.Row)] || from <= i && i <= to {
			mark = theme.SignMarked
		}
		cells := l.o.Rows.Cells(e.Row, widths, th)
		texts := make([]string, len(cells))
		for n, c := range cells {
			if n < len(cols) && cols[n].Middle {
				c.Text = text.ShortName(c.Text, widths[n])
			}
			if texts[n] = c.Style.Render(c.Text); selected {
				texts[n] = ansi.Strip(c.Text)
			}
		}
		row := cols.Row(widths, texts...)
		if selected {
			row = chosen.Render(text.PadRight(th.Glyph(mark)+" ", indent) + row)
		} else if indent > 0 {
			row = th.Sign(mark) + " " + row
		}
		return row
	})
}

// drawHead draws the head of a group.
func (l *Listing) drawHead(key string, width int, selected bool, chosen lipgloss.Style, th *theme.Theme) string {
	fold := theme.SignUnfolded
	if l.folded[key] {
		fold = theme.SignFolded
	}
	name, note := l.o.Rows.Head(key, th)
	name = text.Safe(name)
	room := max(0, width-2)
	name = text.TruncateMiddle(name, max(room-text.Width(note)-1, room/2))
	note = text.Truncate(note, max(0, room-text.Width(name)-1))
	if selected {
		return chosen.Render(text.PadRight(th.Glyph(fold)+" "+name+" "+ansi.Strip(note), width))
	}
	return th.Sign(fold) + " " + th.Title.Render(name) + " " + note
}

// Click moves the cursor to the clicked entry. double reports a double click.
func (l *Listing) Click(msg tea.MouseClickMsg) (double bool) {
	if msg.Button != tea.MouseLeft {
		return false
	}
	at, parts := image.Pt(msg.X, msg.Y), l.layout(l.size)
	if l.focus == onFilter && !at.In(parts.filter) {
		l.keepFilter()
	}
	switch {
	case at.In(parts.filter):
		l.startFilter()
	case at.In(parts.pane):
		l.focus = onPane
	case at.In(parts.list):
		l.focus = onList
		if l.list.Click(at.Y-parts.list.Min.Y) && len(l.lines) > 0 {
			l.landed()
			l.moved = true
			return l.clicks.Double(msg)
		}
	}
	return false
}

// Wheel scrolls the part under the mouse.
func (l *Listing) Wheel(msg tea.MouseWheelMsg) {
	switch at, parts := image.Pt(msg.X, msg.Y), l.layout(l.size); {
	case at.In(parts.pane):
		l.pane.Wheel(msg)
	case at.In(parts.list):
		l.list.Wheel(msg)
		l.landed()
	}
}

// InPane reports whether the pane has the focus.
func (l *Listing) InPane() bool { return l.focus == onPane }
