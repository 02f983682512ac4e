package library

import (
	"image"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// View draws the library.
func (m *Model) View(size image.Point, th *theme.Theme) string {
	return m.Draw(size, th, m.now(), func() string { return m.draw(size, th) })
}

// layout divides the screen.
type layout struct {
	foot  int             // lines below the list
	head  bool            // the path is a line above the list instead of a box
	box   image.Point     // may be empty
	facts image.Point     // size of the preview; may be empty
	below bool            // the preview is below the box
	names bool            // the columns have names
	body  image.Rectangle // rows or tiles
}

// leastBox is the height from which the list has a box, leastBelow that for a preview below it.
const leastBox, leastBelow = 12, 18

// measured is a theme for measuring; sizes are the same in all themes.
var measured = &theme.Theme{}

func (m *Model) layout(size image.Point) layout {
	var l layout
	if size.Y >= 4 {
		l.foot = len(m.foot(size.X, measured))
	}
	room := size.Y - l.foot
	if kit.ModeOfWidth(size.X) == kit.Narrow || room < leastBox {
		l.body = image.Rect(0, 0, size.X, max(0, room))
		if l.head = room > 1; l.head {
			l.body.Min.Y++
		}
	} else {
		l.box = image.Pt(size.X, room)
		switch {
		case !m.facts:
		case kit.ModeOfWidth(size.X) == kit.Wide:
			l.facts = image.Pt(max(34, size.X/3, size.X-120), room) // the list keeps its columns
			l.box.X -= l.facts.X
		case room >= leastBelow:
			l.facts, l.below = image.Pt(size.X, room*2/5), true
			l.box.Y -= l.facts.Y
		}
		at := kit.BoxOrigin(l.box)
		l.body = image.Rectangle{Min: at, Max: at.Add(kit.BoxInner(l.box))}
	}
	if l.names = !m.sheet.On && !m.query.open && len(m.rows) > 0 && l.body.Dy() > 3 && l.body.Dx() >= leastHead; l.names {
		l.body.Min.Y++
	}
	return l
}

func (m *Model) draw(size image.Point, th *theme.Theme) string {
	l := m.layout(size)
	body := m.body(l, th)
	if l.box == (image.Point{}) {
		if l.head {
			body = kit.JoinV(m.head(size.X, th), body)
		}
	} else {
		body = kit.BoxFooter(m.title(l.box.X-6), m.position(), body, l.box, !m.Capturing(), th)
	}
	switch {
	case l.below:
		body = kit.JoinV(body, m.viewFacts(l.facts, th))
	case l.facts != (image.Point{}):
		body = kit.JoinH(body, m.viewFacts(l.facts, th))
	}
	foot := m.foot(size.X, th)[:l.foot]
	return text.Fit(kit.JoinV(append([]string{body}, foot...)...), size.X, size.Y)
}

// leastHead is the width from which columns have headings.
const leastHead = 56

// head returns the first line without a box: folder and position.
func (m *Model) head(width int, th *theme.Theme) string {
	position := m.position()
	room := width - text.Width(position) - 2
	if room < 8 {
		return th.Title.Render(text.PadRight(m.title(width), width))
	}
	return th.Title.Render(text.PadRight(m.title(room), room)) + "  " + th.Muted.Render(position)
}

// title returns the search or the path of the folder.
func (m *Model) title(width int) string {
	if m.query.open {
		return text.Truncate("Search words", width)
	}
	if s := m.shown.search; !s.isNone() && m.opening == "" {
		return text.TruncateMiddle(text.Safe("found: "+s.text), width)
	}
	parts := append([]string{"library"}, strings.FieldsFunc(m.folder(), func(r rune) bool { return r == '/' })...)
	return text.TruncateMiddle(text.Safe(strings.Join(parts, " / ")), width)
}

// position returns the cursor position in the listing.
func (m *Model) position() string {
	if m.query.open {
		return ""
	}
	words := m.list.Position()
	if m.list.Len() == 0 && m.shown.err != nil {
		words = "not available"
	}
	if m.shown.first > 0 && m.list.Len() > 0 {
		words = text.Count(m.shown.first+m.list.Cursor()+1) + " of " + text.Count(m.shown.first+m.list.Len())
	}
	if !m.shown.done && m.list.Len() > 0 {
		words += " and more"
	}
	if m.filtered() {
		words += " found"
		if !m.shown.done && m.shown.scanned > m.list.Len() {
			words += " in the first " + text.Count(m.shown.scanned)
		}
	}
	switch {
	case m.busy && m.list.Len() == 0:
		words = "loading"
	case m.busy:
		words += ", loading"
	}
	if n := len(m.marks.files); n > 0 {
		words += ", " + text.Count(n) + " marked"
	}
	return words
}

// body draws the rows, or explains why there are none.
func (m *Model) body(l layout, th *theme.Theme) string {
	size := l.body.Size()
	switch {
	case size.X < 1 || size.Y < 1:
		return ""
	case m.query.open:
		return m.viewQueryHelp(size.X, size.Y, th)
	case len(m.rows) == 0:
		return text.Fit(m.empty(size, th), size.X, size.Y)
	case m.sheet.On:
		return m.sheet.View(size, th)
	}
	columns := columnsFor(m.rows)
	widths := columns.Widths(size.X - 2)
	from, to := -1, -1
	if m.marks.ranged {
		if a, b, ok := m.span(); ok {
			from, to = a, b
		}
	}
	body := m.list.View(size, func(i, width int, selected bool) string {
		return m.row(m.rows[i], columns, widths, width, selected, i >= from && i <= to, th)
	})
	if !l.names {
		return body
	}
	return kit.JoinV("  "+th.Muted.Render(columns.Row(widths, "Name", "Size", "Kind", "Tags", "State")), body)
}

// Columns of a row, in order.
const (
	columnName = iota
	columnSize
	columnKind
	columnTags
	columnMarks
)

// columnsFor returns the columns that are not empty in all rows.
func columnsFor(rows []api.File) kit.Columns {
	columns := kit.Columns{
		columnName:  {Width: 20, Flex: 3},
		columnSize:  {Width: 8, Right: true, Spare: 2},
		columnKind:  {Width: 10, Spare: 3},
		columnTags:  {Width: 12, Flex: 2, Spare: 4},
		columnMarks: {Width: 16, Spare: 1},
	}
	// The first rows show whether tags are used.
	first := rows[:min(len(rows), 2*pageSize)]
	if !slices.ContainsFunc(first, func(f api.File) bool { return len(f.Tags.Or(nil))+len(f.AITags.Or(nil)) > 0 }) {
		columns[columnTags] = kit.Column{}
	}
	return columns
}

// row draws a folder or file.
func (m *Model) row(f api.File, columns kit.Columns, widths []int, width int, selected, ranged bool, th *theme.Theme) string {
	sign, style, slash := theme.SignNone, th.Text, ""
	switch {
	case f.IsFolder():
		style, slash = th.Accent, "/"
	case m.marks.has(f), ranged && f.FileID != "":
		sign, style = theme.SignMarked, th.Marked
	}
	name := text.ShortName(f.Name, widths[columnName]-len(slash))
	size := ""
	if n, ok := f.Size.Get(); ok && !f.IsFolder() {
		size = text.Bytes(n)
	}
	states, worst := m.states(f)
	cells := []string{name + slash, size, text.Safe(kind(f)), text.Safe(tagList(f)), states}
	if selected {
		chosen := th.Selected
		if m.typing {
			chosen = th.SelectedDim
		}
		return chosen.Render(text.PadRight(th.Glyph(sign)+" "+columns.Row(widths, cells...), width))
	}
	cells = []string{
		found(f.Name, name, m.filter.Value(), th.Match, style) + style.Render(slash),
		th.Muted.Render(cells[columnSize]), th.Muted.Render(cells[columnKind]), th.Text.Render(cells[columnTags]),
		th.SignStyle(worst).Render(states),
	}
	return th.Sign(sign) + " " + columns.Row(widths, cells...)
}

// found draws a name with the match highlighted, unless shortened.
func found(name, shown, filter string, match, base lipgloss.Style) string {
	lower := strings.ToLower(name)
	if filter == "" || len(lower) != len(name) || text.Safe(name) != shown {
		return base.Render(shown)
	}
	var at []int
	for w := range strings.FieldsSeq(strings.ToLower(filter)) {
		if i := strings.Index(lower, w); i >= 0 {
			for j := range len(w) {
				at = append(at, i+j)
			}
		}
	}
	return text.Matched(name, at, match, base)
}

// kind describes the kind of a row.
func kind(f api.File) string {
	switch {
	case f.IsFolder():
		return "folder"
	case f.Mime != "":
		major, minor, _ := strings.Cut(f.Mime, "/")
		if major == "image" {
			return strings.ToUpper(strings.TrimSuffix(minor, "+xml"))
		}
		return f.Mime
	case f.IsImage():
		return "image"
	}
	return "file"
}

func tagList(f api.File) string {
	words := strings.Join(f.Tags.Or(nil), ", ")
	if n := len(f.AITags.Or(nil)); n > 0 {
		if words != "" {
			words += " "
		}
		words += "+" + text.Count(n) + " AI"
	}
	return words
}

// states describes the states of a file, with the sign of the most severe.
func (m *Model) states(f api.File) (string, theme.Sign) { return m.standing.states(&f) }

// empty explains why there are no rows, and what to do.
func (m *Model) empty(size image.Point, th *theme.Theme) string {
	words, style := "This folder is empty. Press 1 to choose files to upload.", th.Muted
	switch {
	case m.shown.at.IsZero(), m.folder() != m.shown.folder:
		words = "Loading the folder…"
	case m.shown.err != nil:
		words, style = page.Explain(m.shown.err)+" Press r to try again.", th.Bad
	case m.filtered() && m.busy:
		words = "Loading more…"
	case m.filtered() && !m.shown.done:
		words = "No match in the first " + text.Plural(m.shown.scanned, "row") + ". Move down to load more, or press esc to clear the filter."
	case !m.shown.search.isNone():
		words = "No matches. Press f to change the search, or esc to go back to the folder."
	case m.filter.Value() != "":
		words = "No matches in names or tags. Press esc to clear the filter."
	case m.shown.seen:
		words = "No uploads to this folder from this computer yet. Press 1 to choose files to upload."
	}
	return kit.OverlayCenter(text.Fit("", size.X, size.Y), kit.Paragraph(words, min(size.X, 60), style))
}

// foot returns the lines below the list: filter and notes.
func (m *Model) foot(width int, th *theme.Theme) []string {
	var lines []string
	switch {
	case m.query.open:
		lines = append(lines, " "+m.query.field.View(max(0, width-2), th))
		if m.query.wrong != nil {
			for _, line := range text.Wrap(text.Safe(page.Explain(m.query.wrong)), width-2) {
				lines = append(lines, " "+th.Bad.Render(line))
			}
		} else if offers := m.query.field.ViewOffers(width-2, th); offers != "" {
			lines = append(lines, " "+offers)
		}
	case m.typing:
		lines = append(lines, " "+m.filter.View(max(0, width-2), th))
	case m.filter.Value() != "":
		lines = append(lines, " "+th.Muted.Render("filter ")+th.Match.Render(text.Truncate(text.Safe(m.filter.Value()), width-9)))
	}
	note := func(sign theme.Sign, words string) {
		room := width - 3
		lines = append(lines, " "+th.Sign(sign)+" "+th.SignStyle(sign).Render(text.Truncate(text.Safe(words), room)))
	}
	if m.manage.Busy() != "" {
		note(theme.SignBusy, m.manage.Progress()+" esc stops.")
	}
	switch {
	case m.shown.err != nil && len(m.rows) > 0:
		note(theme.SignBad, "Not up to date: "+page.Explain(m.shown.err))
	case m.shown.seen && m.shown.err == nil:
		note(theme.SignInfo, "This service does not list files. Showing those known to this computer. ("+m.shown.refusal.Error()+")")
	case m.stale && m.shown.len() > maxAgain:
		note(theme.SignInfo, "The folder has changed. Press r to refresh.")
	case m.shown.only != nil && m.shown.len() >= maxFiltered && !m.shown.done:
		note(theme.SignInfo, "Too many matches in the first "+text.Plural(m.shown.scanned, "file")+". Type more, or search with f.")
	case m.marks.ranged:
		note(theme.SignInfo, "Range: move the cursor, then press v to mark it or esc to cancel.")
	}
	return lines
}
