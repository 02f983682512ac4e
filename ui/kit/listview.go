package kit

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Resize sets the size of the screen.
func (l *List[T]) Resize(size image.Point) { l.size = size }

// PaneSize returns the size of the pane; empty if it is not shown.
func (l *List[T]) PaneSize() image.Point { return l.layout(l.size).pane.Size() }

// Inside returns the rectangle of the rows.
func (l *List[T]) Inside() image.Rectangle { return l.layout(l.size).list }

// Changed updates the layout. Call it in Update after each change.
func (l *List[T]) Changed() {
	at := l.layout(l.size)
	l.rows.SetHeight(at.list.Dy())
	if !at.pane.Empty() {
		_, lines := l.facts(at.pane.Size(), &theme.Theme{})
		l.pane.SetSize(len(lines), at.pane.Size())
	}
}

// listLayout holds the rectangles of the parts. A part with an empty rectangle is
// not drawn.
type listLayout struct {
	above, filter, title, box, head, list, line, pane image.Rectangle
}

// Sizes of the parts.
const (
	headFrom         = 12  // minimum lines of the screen for a frame and column names
	frameLines       = 3   // of the frame and the column names
	rowsOnlyHeadFrom = 7   // minimum lines with RowsOnly for column names
	lineFrom         = 6   // minimum lines for the description of the entry under the cursor
	paneLeast        = 26  // columns
	listMost         = 100 // columns of rows beside a pane
)

func (l *List[T]) layout(size image.Point) listLayout {
	var at listLayout
	rest := image.Rectangle{Max: image.Pt(max(0, size.X), max(0, size.Y))}
	top := func(lines int) image.Rectangle {
		r := rest
		r.Max.Y = min(rest.Max.Y, rest.Min.Y+lines)
		rest.Min.Y = r.Max.Y
		return r
	}
	if l.Above != nil {
		at.above = top(len(l.Above(size, &theme.Theme{})))
	}
	if l.Filtering() && (size.Y > 1 || !l.RowsOnly) {
		at.filter = top(1 + text.Either(l.SkipHeads && l.RowsOnly && size.Y > headFrom, 1, 0))
	}
	if l.RowsOnly {
		if size.Y >= rowsOnlyHeadFrom && l.named(size.X) {
			at.head = top(1)
		}
		at.list = rest
		return at
	}
	if rest.Dy() < headFrom && rest.Dy() > 1 && (l.Title != nil || l.Note != nil) {
		at.title = top(1)
	}
	if len(l.lines) == 0 && l.Filter() == "" {
		at.list = rest
		if rest.Dy() >= headFrom {
			at.box, at.list = rest, rest.Inset(1)
		}
		return at
	}
	framed := rest.Dy() >= headFrom
	switch mode := ModeOfWidth(size.X); {
	case l.NoPane || l.Instead != nil && l.Instead(size, &theme.Theme{}) != "":
	case mode == Wide, mode == Stacked && !l.tiled() && framed:
		at.pane = rest
		// Rows need no more than listMost; pictures can use the rest.
		at.pane.Min.X = rest.Max.X - max(paneLeast, size.X*3/7, text.Either(l.tiled(), 0, size.X-listMost))
		rest.Max.X = at.pane.Min.X
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
		if at.box.Dx() >= MinWidth && l.named(size.X) {
			at.head = top(1)
		}
	}
	at.list = rest
	return at
}

// View draws the list.
func (l *List[T]) View(size image.Point, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	at := l.layout(size)
	fit := func(r image.Rectangle, drawn string) string { return text.Fit(drawn, r.Dx(), r.Dy()) }
	var filter, line string
	if !at.filter.Empty() {
		total, found, style := count(l.all), "", *th
		if l.Total != nil {
			total = l.Total()
		}
		if l.filter.Value() != "" {
			found = " " + text.Count(count(l.groups)) + " of " + text.Count(total) + " "
		}
		w := text.Width(found)
		if size.X < 3*w {
			w, found = 0, ""
		}
		if filter = " "; l.RowsOnly && l.SkipHeads { // of a menu: the row under the cursor has the color of the focus
			style.Field = th.Text
			filter = " " + th.Sign(theme.SignCursor) + " "
		}
		filter += l.filter.View(size.X-w-text.Width(filter), &style) + th.Muted.Render(found)
	}
	head, rows := l.drawRows(at.list.Size(), th)
	body := JoinV(fit(at.head, th.Muted.Render(head)), fit(at.list, rows))
	title, footer := func(int) string { return text.Capital(l.ID) }, l.Position
	if l.Title != nil {
		title = l.Title
	}
	if l.Footer != nil {
		footer = l.Footer
	}
	if l.Note != nil {
		if note := l.Note(th); note != "" {
			name := title
			note = ansi.ResetStyle + th.Muted.Render(" · ") + note
			title = func(width int) string { return name(width) + note }
		}
	}
	if !at.title.Empty() {
		position := footer()
		room := max(8, size.X-text.Width(position)-2)
		first := th.Title.Render(text.PadRight(title(room), room)) + "  " + th.Muted.Render(position)
		body = JoinV(text.Fit(first, size.X, 1), body)
	}
	if !at.box.Empty() {
		body = l.scrolled(BoxFooter(title(at.box.Dx()-6), footer(), body, at.box.Size(), !l.dim(), th), th)
	}
	if !at.line.Empty() {
		var parts []string
		f := NewFacts(1<<10, th)
		if e, ok := l.Current(); ok {
			l.Describe(e, f)
		}
		for _, fact := range f.Lines() {
			parts = append(parts, strings.Join(strings.Fields(ansi.Strip(fact)), " "))
		}
		parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
		for i, part := range parts {
			if most := at.line.Dx(); text.Width(line) > most*2/3 && text.Width(line)+3+text.Width(part) > most {
				break // no beginning of a fact
			}
			line += text.Either(i > 0, " · ", " ") + part
		}
		line = th.Muted.Render(text.Truncate(line, at.line.Dx()))
	}
	body = JoinV(body, fit(at.line, line))
	if !at.pane.Empty() {
		title, lines := l.facts(at.pane.Size(), th)
		pane := l.pane.View(text.Safe(title), lines, at.pane.Size(), l.focus == onPane, th)
		body = text.Either(at.list.Empty(), JoinV, JoinH)(body, pane)
	}
	above := ""
	if !at.above.Empty() {
		above = fit(at.above, strings.Join(l.Above(size, th), "\n"))
	}
	return text.Fit(JoinV(above, fit(at.filter, filter), body), size.X, size.Y)
}

// scrolled draws on the right border of a box which of the rows are visible, unless all are.
func (l *List[T]) scrolled(box string, th *theme.Theme) string {
	lines, n, style := strings.Split(box, "\n"), l.Len(), text.Either(l.dim(), th.Muted, th.Accent)
	from, to := l.rows.Visible()
	if l.tiled() {
		from, to = l.Tiles().Visible()
	}
	instead := l.Instead != nil && l.Instead(l.size, th) != ""
	if h := len(lines) - 2; to-from < n && h > 0 && !instead {
		for y := from * h / n; y < max(from*h/n+1, to*h/n); y++ {
			lines[y+1] = ansi.Truncate(lines[y+1], text.Width(lines[y+1])-1, "") + style.Render("┃")
		}
	}
	return strings.Join(lines, "\n")
}

func (l *List[T]) facts(size image.Point, th *theme.Theme) (title string, lines []string) {
	e, ok := l.Current()
	if !ok {
		return "", nil
	}
	f := NewFacts(PaneWidth(size), th)
	title = l.Describe(e, f)
	return title, f.Lines()
}

// named reports whether rows are shown in columns with names.
func (l *List[T]) named(width int) bool {
	rows := len(l.lines) == 0 || l.HeadCells != nil || slices.ContainsFunc(l.lines, func(at listLine) bool { return at.row >= 0 })
	return rows && !l.tiled() && l.Columns != nil && strings.Join(l.Columns(width).names(), "") != ""
}

func (l *List[T]) dim() bool { return l.focus == onPane || l.NoCursor }

func (l *List[T]) tiled() bool { return l.Tiles != nil && l.Tiles() != nil }

// indent returns the width of the column for marks, which also indents rows below the
// heads of groups.
func (l *List[T]) indent() int {
	return text.Either(l.Marking || len(l.groups) > 0 && l.groups[0].Key != "", 2, 0)
}

func (l *List[T]) drawRows(size image.Point, th *theme.Theme) (head, rows string) {
	if l.Instead != nil {
		if drawn := l.Instead(size, th); drawn != "" {
			return "", drawn
		}
	}
	if len(l.lines) == 0 {
		if l.Empty == nil {
			return "", ""
		}
		words := Paragraph(l.Empty(), min(size.X, 60), th.Muted)
		left := "\n" + text.Blanks((size.X-Size(words).X)/2)
		above := max(0, (size.Y-Size(words).Y)/3)
		return "", strings.Repeat("\n", above) + strings.ReplaceAll("\n"+words, "\n", left)[1:]
	}
	if l.tiled() {
		return "", l.Tiles().View(size, th)
	}
	indent := l.indent()
	var cols Columns
	var widths []int
	switch {
	case l.Draw == nil:
		cols, widths = l.widths(size.X-indent-text.Either(size.X < StackedWidth, indent/2, indent), size.Y, th)
	case l.Columns != nil:
		cols = l.Columns(size.X)
		widths = cols.Widths(size.X)
	}
	chosen := text.Either(l.dim(), th.SelectedDim, th.Selected)
	from, to := l.span()
	rows = l.rows.View(size, func(i, width int, selected bool) string {
		e, _ := l.At(i)
		selected = selected && (!l.NoCursor || !l.RowsOnly)
		if e.head {
			_, to := l.rows.Visible()
			if l.lines[i].row < -1 || l.SkipHeads && i+1 == to && to < len(l.lines) {
				return "" // the heading of what is not shown
			}
			if l.HeadCells != nil {
				return cols.Draw(l.HeadCells(e.Key, th), widths, l.fold(e.Key), indent, width, selected, chosen, th)
			}
			return l.drawHead(e, width, selected, chosen, th)
		}
		mark := theme.SignNone
		if l.Marking && l.Has(e.Row) || from <= i && i <= to {
			mark = theme.SignMarked
		} else if l.Sign != nil {
			mark = l.Sign(e.Row)
		}
		if l.Draw != nil {
			return l.Draw(e.Row, mark, width, selected, th)
		}
		return cols.Draw(l.Cells(e.Row, widths, th), widths, mark, indent, width, selected, chosen, th)
	})
	return text.Blanks(indent) + cols.Row(widths, cols.names()...), rows
}

func (l *List[T]) widths(width, height int, th *theme.Theme) (Columns, []int) {
	cols := l.Columns(width)
	room := make([]int, len(cols))
	for i := range room {
		room[i] = 1 << 10
	}
	drawn := l.rows // drawing changes nothing
	drawn.SetHeight(height)
	var cells [][]Cell
	for i, to := drawn.Visible(); i < to; i++ {
		if e, _ := l.At(i); !e.head {
			cells = append(cells, l.Cells(e.Row, room, th))
		} else if l.HeadCells != nil {
			cells = append(cells, l.HeadCells(e.Key, th))
		}
	}
	return cols, cols.Fitted(width, cells)
}

// Draw draws a row with a mark before it and a blank after it, if indent leaves room. If the row is
// selected, the style chosen fills the width, and only marks and states keep their colors.
func (cs Columns) Draw(cells []Cell, widths []int, mark theme.Sign, indent, width int, selected bool,
	chosen lipgloss.Style, th *theme.Theme,
) string {
	texts := make([]string, len(cells))
	for n, c := range cells {
		if n < len(cs) && cs[n].Middle {
			c.Text = text.ShortName(c.Text, widths[n])
		}
		if n == 0 && mark == theme.SignMarked {
			c.Style = th.Marked.Bold(false)
		}
		if selected && !c.Styled {
			c.Text, c.Style = ansi.Strip(c.Text), th.OnCursor(c.Style)
		}
		texts[n] = c.Style.Render(c.Text)
	}
	row, sign := cs.Row(widths, texts...)+text.Blanks(indent/2), th.SignStyle(mark)
	if selected {
		sign = th.OnCursor(sign)
	}
	if indent > 0 {
		row = sign.Render(th.Glyph(mark)) + " " + row
	}
	if !selected {
		return row
	}
	begin, end, _ := strings.Cut(chosen.Render("x"), "x")
	return begin + strings.ReplaceAll(text.PadRight(row, width), ansi.ResetStyle, ansi.ResetStyle+begin) + end
}

func (l *List[T]) fold(group string) theme.Sign {
	return text.Either(l.isFolded(group), theme.SignFolded, theme.SignUnfolded)
}

func (l *List[T]) drawHead(e Entry[T], width int, selected bool, chosen lipgloss.Style,
	th *theme.Theme,
) string {
	fold := text.Either(l.SkipHeads, theme.SignNone, l.fold(e.Key))
	name, note := l.Head(e.Key, e.Rows, th)
	name = text.Safe(name)
	room := max(0, width-2)
	name = text.TruncateMiddle(name, max(room-text.Width(note)-1, room/2))
	note = text.Truncate(note, max(0, room-text.Width(name)-1))
	if selected {
		return chosen.Render(text.PadRight(th.Glyph(fold)+" "+name+" "+ansi.Strip(note), width))
	}
	return th.Sign(fold) + " " + th.Strong.Render(name) + " " + note
}

// Click moves the cursor to the clicked entry, or the focus to the pane. double reports a double
// click on either.
func (l *List[T]) Click(msg tea.MouseClickMsg) (double bool) {
	if msg.Button != tea.MouseLeft {
		return false
	}
	at, parts := image.Pt(msg.X, msg.Y), l.layout(l.size)
	if l.focus == onFilter && !at.In(parts.filter) {
		l.KeepFilter()
	}
	switch {
	case at.In(parts.filter):
		l.StartFilter()
	case at.In(parts.pane):
		l.focus = onPane
		return l.clicks.Double(msg)
	case at.In(parts.list):
		l.focus = onList
		return l.Hit(at) && l.clicks.Double(msg)
	}
	return false
}

// Hit moves the cursor to the row or tile at a cell, and reports whether there is one.
func (l *List[T]) Hit(at image.Point) bool {
	rows := l.layout(l.size).list
	at = at.Sub(rows.Min)
	i, ok := l.rows.At(at.Y)
	if l.tiled() {
		i, ok = l.Tiles().At(at)
	}
	if e, _ := l.At(i); ok && (!e.head || !l.SkipHeads) {
		l.rows.SetCursor(i)
		l.Landed()
		l.moved = true
		return true
	}
	return false
}

// Wheel scrolls the part under the mouse.
func (l *List[T]) Wheel(msg tea.MouseWheelMsg) {
	switch at, parts := image.Pt(msg.X, msg.Y), l.layout(l.size); {
	case at.In(parts.pane):
		l.pane.Wheel(msg)
	case at.In(parts.list):
		if l.tiled() {
			l.Tiles().Wheel(msg)
		} else {
			l.rows.Wheel(msg)
		}
		l.Landed()
	}
}

// Column is a column of a table.
type Column struct {
	// Name is the heading of the column.
	Name string
	// Width is the minimum width in cells.
	Width int
	// Flex is the share of the remaining width; 0 keeps the column at Width.
	Flex int
	// Right aligns the text to the right: for numbers.
	Right bool
	// Middle shortens a text from outside in its middle: for names.
	Middle bool
	// Spare is the order in which columns are dropped if there is no room, highest first.
	// Columns of 0 stay.
	Spare int

	most int // what its cells need; 0 if unknown
}

// Columns are the columns of a table, separated by two blanks.
type Columns []Column

// columnGap is the number of blanks between two columns, fixedFrom the width from which numbers
// keep their width, and widestName how wide the first column is made without need.
const columnGap, fixedFrom, widestName = 2, 50, 40

// Fitted is Widths for rows of these cells: no column is wider than its cells need, but numbers keep
// their width and the first column with Flex has up to half of the width, so that the
// columns of all screens begin at the same cells. What is left stays blank.
func (cs Columns) Fitted(width int, rows [][]Cell) []int {
	cs = slices.Clone(cs)
	for i := range cs {
		c := &cs[i]
		c.most = max(1, text.Width(c.Name))
		for _, cells := range rows {
			if i < len(cells) {
				c.most = max(c.most, text.Width(text.Safe(ansi.Strip(cells[i].Text))))
			}
		}
		if !c.Right || width < fixedFrom {
			c.Width = min(c.Width, c.most)
		}
	}
	return cs.Widths(width)
}

// Widths divides width cells among the columns, in their order. Columns without room
// have width 0 and are not drawn. The widths and the blanks between them never exceed
// width.
func (cs Columns) Widths(width int) []int {
	out := make([]int, len(cs))
	for i, c := range cs {
		if c.Width > 0 || c.Flex > 0 {
			out[i] = max(1, c.Width)
		}
	}
	need := func() (n int) {
		for _, w := range out {
			if w > 0 {
				n += w + columnGap
			}
		}
		return max(0, n-columnGap)
	}
	for need() > width {
		worst := -1
		for i, c := range cs {
			if out[i] > 0 && c.Spare > 0 && (worst < 0 || c.Spare >= cs[worst].Spare) {
				worst = i
			}
		}
		if worst < 0 {
			break
		}
		out[worst] = 0
	}
	// Each spare cell goes to the column that has got the fewest for its share. When all have what
	// they need, the first one gets half of the width.
	got := make([]int, len(cs))
	for left := width - need(); left > 0; left-- {
		first, next := -1, -1
		for i, c := range cs {
			if out[i] == 0 || c.Flex == 0 {
				continue
			}
			if first < 0 {
				first = i
			}
			if (c.most == 0 || out[i] < c.most) && (next < 0 || got[i]*cs[next].Flex < got[next]*c.Flex) {
				next = i
			}
		}
		if next < 0 && first >= 0 && out[first] < min(width/2, widestName) {
			next = first
		}
		if next < 0 {
			break
		}
		out[next]++
		got[next]++
	}
	room := width
	for i, w := range out { // too narrow even for the columns that stay
		if w > 0 {
			if out[i] = max(0, min(w, room)); out[i] > 0 {
				room -= out[i] + columnGap
			}
		}
	}
	return out
}

// Row aligns cells, which may contain styles, to widths from Widths. Cells that are too
// long end with …. Missing cells are blank.
func (cs Columns) Row(widths []int, cells ...string) string {
	row := make([]string, 0, len(widths))
	for i, w := range widths {
		if w < 1 {
			continue
		}
		cell := ""
		if i < len(cells) {
			cell = cells[i]
		}
		pad := text.Either(i < len(cs) && cs[i].Right, text.PadLeft, text.PadRight)
		row = append(row, pad(cell, w))
	}
	return strings.Join(row, text.Blanks(columnGap))
}

func (cs Columns) names() []string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = c.Name
	}
	return out
}
