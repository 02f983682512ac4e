package picker

import (
	"image"
	"path/filepath"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// View draws the picker.
func (m *Model) View(size image.Point, th *theme.Theme) string {
	return m.Draw(size, th, m.now(), func() string { return m.draw(size, th) })
}

func (m *Model) draw(size image.Point, th *theme.Theme) string {
	l := m.layoutIn(size)
	left := m.drawList(l, th)
	if !l.preview.Empty() {
		pane := m.drawPreview(l, th)
		if l.preview.Min.X > 0 {
			left = kit.JoinH(left, pane)
		} else {
			left = kit.JoinV(left, pane)
		}
	}
	view := kit.JoinV(left, m.drawTray(l, th), m.drawSummary(l, th))
	if l.list.Empty() {
		view = kit.JoinV(m.drawTray(l, th), left, m.drawSummary(l, th))
	}
	return text.Fit(view, size.X, size.Y)
}

// head reports whether the list has a filter row and a column row.
func (m *Model) head(l layout) (filter, columns bool) {
	in := inner(l.list)
	filter = (m.focus == onFilter || m.filter.Value() != "") && in.Dy() >= 2
	return filter, in.Dy() >= 7 && !m.sheet.On
}

// rowsArea returns the rectangle of the list's rows.
func (m *Model) rowsArea(l layout) image.Rectangle {
	in := inner(l.list)
	filter, columns := m.head(l)
	if filter {
		in.Min.Y++
	}
	if columns {
		in.Min.Y++
	}
	return in
}

// listColumns returns the columns: sign, name, size, age, and the kind or the word for the sign.
func listColumns() kit.Columns {
	return kit.Columns{
		{Width: 1},
		{Width: 16, Flex: 1},
		{Width: 7, Right: true},
		{Width: 11, Right: true, Spare: 2},
		{Width: 10, Spare: 1},
	}
}

func (m *Model) drawList(l layout, th *theme.Theme) string {
	if l.list.Empty() {
		return ""
	}
	in := inner(l.list)
	columns := listColumns()
	widths := columns.Widths(in.Dx())
	var lines []string
	filter, names := m.head(l)
	if filter {
		lines = append(lines, m.drawFilter(in.Dx(), th))
	}
	if names {
		lines = append(lines, th.Muted.Render(columns.Row(widths, "", "Name", "Size", "Changed", "Kind")))
	}
	rows := m.rowsArea(l)
	if reason := m.emptyText(); reason != "" {
		lines = append(lines, styled(reason, rows.Dx(), th.Muted)...)
	} else if m.sheet.On {
		lines = append(lines, m.sheet.View(rows.Size(), th))
	} else {
		lines = append(lines, m.list.View(rows.Size(), m.rowDrawing(columns, widths, th).row))
	}
	focused := m.focus != onTray
	return kit.BoxFooter(m.title(l.list.Dx()-6), m.footer(), strings.Join(lines, "\n"), l.list.Size(), focused, th)
}

// title returns the path of the folder. It cuts the middle, because the last part matters most.
func (m *Model) title(width int) string {
	if m.shown.folder == "" {
		return "Reading…"
	}
	name := text.Safe(m.shown.folder)
	if home, err := m.home(); err == nil {
		if rest, ok := strings.CutPrefix(m.shown.folder, home); ok && home != "/" && (rest == "" || rest[0] == filepath.Separator) {
			name = text.Safe("~" + rest)
		}
	}
	return text.TruncateMiddle(name, width)
}

func (m *Model) footer() string {
	if m.shown.folder == "" || m.problem != nil {
		return ""
	}
	words := m.list.Position()
	if m.ranged {
		from, to := m.rangeRows()
		files, _ := m.files(from, to)
		words = "range of " + text.Plural(len(files), "file") + " · " + words
	}
	if m.shown.order != (order{}) {
		words += " · " + m.shown.order.String()
	}
	switch {
	case m.shown.hidden:
		words += " · with hidden"
	case m.shown.without > 0:
		words += " · " + text.Count(m.shown.without) + " hidden"
	}
	if !m.shown.done || m.opening != "" {
		words += " · reading…"
	} else if m.shown.order != m.order || m.shown.pattern != m.filter.Value() {
		words += " · sorting…"
	}
	return words
}

func (m *Model) drawFilter(width int, th *theme.Theme) string {
	found := text.Count(len(m.shown.rows)) + " of " + text.Count(len(m.shown.sorted))
	w := text.Width(found)
	if width < w+20 {
		return m.filter.View(width, th)
	}
	return m.filter.View(width-w-2, th) + "  " + th.Muted.Render(found)
}

// emptyText tells why the list is empty and what to do; "" if it is not.
func (m *Model) emptyText() string {
	switch {
	case m.problem != nil:
		return text.Safe(page.Explain(m.problem)) + " Press h for the parent folder, ~ for your home folder."
	case len(m.shown.rows) > 0:
		return ""
	case m.shown.folder == "", !m.shown.done:
		return "Reading the folder…"
	case m.shown.pattern != "":
		return "No name matches the filter. Press esc to clear it."
	case m.shown.without > 0:
		return "Only hidden files here: " + text.Count(m.shown.without) + ". Press . to show them, h for the parent folder."
	}
	return "This folder is empty. Press h for the parent folder, a to add a URL, or drop files on the terminal."
}

// styled wraps text into lines of one style.
func styled(words string, width int, style lipgloss.Style) []string {
	lines := text.Wrap(words, width)
	for i, line := range lines {
		lines[i] = style.Render(line)
	}
	return lines
}

// rowDrawing is what the rows of a frame share.
type rowDrawing struct {
	m        *Model
	th       *theme.Theme
	columns  kit.Columns
	widths   []int
	now      time.Time
	focused  bool
	from, to int // range of rows
}

func (m *Model) rowDrawing(columns kit.Columns, widths []int, th *theme.Theme) *rowDrawing {
	r := &rowDrawing{
		m: m, th: th, columns: columns, widths: widths, now: m.now(),
		focused: m.focus != onTray, to: -1,
	}
	if m.ranged {
		r.from, r.to = m.rangeRows()
	}
	return r
}

// row draws one row of the list.
func (r *rowDrawing) row(i, width int, selected bool) string {
	e, ok := r.m.entryAt(i)
	if !ok {
		return ""
	}
	look := r.m.infos[e.name]
	picked := r.m.tray.hasPath(r.m.path(e))
	some, share := r.m.share(r.m.path(e))
	if share != "" {
		share = r.th.Glyph(some) + " " + share
	}
	ranged := i >= r.from && i <= r.to && e.kind != kindFolder
	sign, note := r.mark(e, look, picked, ranged)

	base, faint := r.th.Text, r.th.Muted
	if e.kind == kindFolder {
		base = r.th.Accent
	}
	if picked || ranged || share != "" {
		base = r.th.Marked
	}
	match := r.th.Match
	if selected {
		base = r.th.SelectedDim
		if r.focused {
			base = r.th.Selected
		}
		faint = base
		match = match.Background(base.GetBackground()).Reverse(base.GetReverse()).Bold(true)
	}
	size, age := "", ""
	if look.known {
		if look.size >= 0 {
			size = text.Bytes(look.size)
		}
		if !look.modified.IsZero() {
			age = text.Age(look.modified, r.now)
		}
	}
	signStyle := r.th.SignStyle(sign)
	if selected {
		signStyle = base
	}
	word := faint.Render(e.label())
	if note != "" {
		word = signStyle.Render(note)
	}
	if share != "" {
		column := 4
		if r.widths[column] == 0 {
			column = 2
		}
		if text.Width(share) > r.widths[column] {
			share, _, _ = strings.Cut(share, "/")
		}
		if column == 2 {
			size = share
		} else {
			word = base.Render(share)
		}
	}
	cells := []string{
		signStyle.Render(r.th.Glyph(sign)), r.name(e, base, match), faint.Render(size), faint.Render(age),
		word,
	}
	if !selected {
		return r.columns.Row(r.widths, cells...)
	}
	var b strings.Builder
	for c, w := range r.widths {
		if w < 1 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(base.Render(" "))
		}
		b.WriteString(ground(text.Truncate(cells[c], w), w, r.columns[c].Right, base))
	}
	return ground(b.String(), width, false, base)
}

// ground pads a cell of the row under the cursor, so that the whole row has one background.
func ground(words string, width int, right bool, base lipgloss.Style) string {
	n := width - text.Width(words)
	if n < 1 {
		return words
	}
	blank := base.Render(strings.Repeat(" ", n))
	if right {
		return blank + words
	}
	return words + blank
}

// mark returns the sign of a row and its word.
func (r *rowDrawing) mark(e entry, look info, picked, ranged bool) (theme.Sign, string) {
	switch {
	case ranged:
		return theme.SignMarked, "in range"
	case picked:
		return theme.SignMarked, "picked"
	}
	if note := look.note(e); note != "" {
		return theme.SignWarn, note
	}
	if note := r.m.storedNote(r.m.path(e), look); note != "" {
		return theme.SignInfo, note
	}
	switch {
	case e.kind == kindFolder:
		return theme.SignFolder, ""
	case e.kind != kindFile:
		return theme.SignWarn, e.label()
	}
	return theme.SignNone, ""
}

// name draws a name with its matched letters. It cuts the middle of a long name to keep the end visible.
func (r *rowDrawing) name(e entry, base, match lipgloss.Style) string {
	width := r.widths[1]
	if r.m.shown.pattern == "" {
		return base.Render(text.ShortName(e.name, width))
	}
	safe := text.Safe(e.name)
	short := text.TruncateMiddle(safe, width)
	found := letters(e.name, r.m.shown.pattern)
	switch {
	case short == safe:
		return text.Matched(e.name, found, match, base)
	case safe != e.name:
		return base.Render(short) // offsets refer to the original name
	}
	return text.Matched(short, shorten(found, len(e.name), short), match, base)
}

// shorten maps offsets in a name of n bytes to the shortened name.
func shorten(found []int, n int, short string) []int {
	const gap = "…"
	head := strings.Index(short, gap)
	if head < 0 {
		return nil
	}
	tail := len(short) - head - len(gap)
	var out []int
	for _, at := range found {
		switch {
		case at < head:
			out = append(out, at)
		case at >= n-tail:
			out = append(out, at-n+len(short))
		}
	}
	return out
}
