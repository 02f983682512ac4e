package details

import (
	"fmt"
	"image"
	"strings"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// View draws the screen.
func (m *Model) View(size image.Point, th *theme.Theme) string {
	return m.Draw(size, th, m.now(), func() string { return m.draw(size, th) })
}

// layout divides the screen. Parts without a rectangle are hidden.
type layout struct {
	parts   map[area]image.Rectangle
	inner   map[area]image.Rectangle // of parts, without their borders
	foot    int                      // lines below the parts
	boxes   bool                     // parts have borders
	both    bool                     // the part of the region has numbers and picture
	notes   int                      // lines under the numbers
	picture image.Rectangle          // for the picture and its crop
}

// Least heights of layouts with several parts.
const (
	leastWide    = 14
	leastStacked = 15
)

// measured is a theme for measuring; sizes are the same in all themes.
var measured = &theme.Theme{}

func (m *Model) layout(size image.Point) layout {
	l := layout{parts: map[area]image.Rectangle{}, inner: map[area]image.Rectangle{}, boxes: true}
	if m.current() == nil {
		return l
	}
	l.foot = len(m.status(size, measured))
	size.Y -= l.foot
	switch mode := kit.ModeOfWidth(size.X); {
	case mode == kit.Wide && size.Y >= leastWide && m.noRegion() == "":
		m.wide(&l, size)
	case mode >= kit.Stacked && size.Y >= leastStacked && m.area != onPicture:
		m.stacked(&l, size)
	default:
		l.boxes = mode != kit.Narrow && size.Y >= leastStacked
		l.both = m.shownArea() == onRegion
		l.parts[m.shownArea()] = image.Rectangle{Max: size}
	}
	for at, r := range l.parts {
		inner := image.Rectangle{Min: kit.BoxOrigin(r.Size()), Max: kit.BoxOrigin(r.Size()).Add(kit.BoxInner(r.Size()))}.Add(r.Min)
		if !l.boxes {
			inner = r
			if r.Dy() > 1 {
				inner.Min.Y++ // under the first line
			}
		}
		l.inner[at] = inner
	}
	if region := l.inner[onRegion]; !region.Empty() && m.noRegion() == "" {
		if region.Dy() > 1 {
			l.notes = len(m.regionNotes(region.Size(), measured))
		}
		if region.Min.Y += 1 + l.notes; l.both && region.Dy() >= 2 {
			l.picture = region
		}
	}
	return l
}

// shownArea returns the focused part; the picture belongs to the numbers.
func (m *Model) shownArea() area {
	if m.area == onPicture {
		return onRegion
	}
	return m.area
}

// wide places the record left and the editors right.
func (m *Model) wide(l *layout, size image.Point) {
	x := 0
	if len(m.entries) > 1 {
		x = min(max(22, size.X/6), 30)
		l.parts[onFiles] = image.Rect(0, 0, x, size.Y)
	}
	side := x + max(40, (size.X-x)*2/5)
	l.parts[onRecord] = image.Rect(x, 0, side, size.Y)
	y := 0
	put := func(at area, height int) {
		height = min(height, size.Y-y)
		l.parts[at] = image.Rect(side, y, size.X, y+height)
		y += height
	}
	put(onTags, m.tagsHeight(size.X-side))
	if n := len(m.found); n > 0 {
		most := 6
		if m.area == onAI {
			most = size.Y / 2
		}
		put(onAI, min(n+2, most))
	}
	put(onRegion, size.Y-y)
	l.both = true
}

// stacked places parts below each other; the focused one is largest.
func (m *Model) stacked(l *layout, size image.Point) {
	heights := map[area]int{onTags: m.tagsHeight(size.X)}
	if n := len(m.found); n > 0 {
		heights[onAI] = 3
		if m.area == onAI {
			heights[onAI] = min(n+2, size.Y/2)
		}
	}
	if m.noRegion() == "" {
		heights[onRegion] = 3
		if m.area == onRegion {
			heights[onRegion] = size.Y / 2
			l.both = true
		}
	}
	rest := size.Y
	for _, h := range heights {
		rest -= h
	}
	x := 0
	if len(m.entries) > 1 {
		x = max(22, size.X/4)
		l.parts[onFiles] = image.Rect(0, 0, x, rest)
	}
	l.parts[onRecord] = image.Rect(x, 0, size.X, rest)
	y := rest
	for _, at := range []area{onTags, onAI, onRegion} {
		if h := heights[at]; h > 0 {
			l.parts[at] = image.Rect(0, y, size.X, y+h)
			y += h
		}
	}
}

// tagsHeight is the height of the box of tags.
func (m *Model) tagsHeight(width int) int {
	return min(max(3, m.tags.Rows(width-2, measured)+2), 6)
}

func (m *Model) draw(size image.Point, th *theme.Theme) string {
	if m.current() == nil {
		return text.Fit(kit.Paragraph("No file is open. Press esc to go back.", size.X, th.Muted), size.X, size.Y)
	}
	l := m.layout(size)
	body := ""
	if room := size.Y - l.foot; !l.boxes && room > 1 {
		body = m.head(size.X, th) + "\n"
	}
	blocks := make(map[area]string, len(l.parts))
	for at := range l.parts {
		blocks[at] = m.part(at, l, th)
	}
	body += m.tiled(l, blocks)
	return text.Fit(kit.JoinV(append([]string{body}, m.status(size, th)...)...), size.X, size.Y)
}

// tiled joins the drawn parts.
func (m *Model) tiled(l layout, blocks map[area]string) string {
	right := kit.JoinV(blocks[onTags], blocks[onAI], blocks[onRegion])
	left := kit.JoinH(blocks[onFiles], blocks[onRecord])
	if left != "" && right != "" && l.parts[onTags].Min.X == 0 {
		return kit.JoinV(left, right)
	}
	return kit.JoinH(left, right)
}

// partTitles are the titles of the parts.
var partTitles = map[area]string{
	onRecord: "Record", onTags: "Tags", onAI: "AI tags", onRegion: "Region", onFiles: "Files",
}

// head returns the first line of layouts without boxes: the files and the part.
func (m *Model) head(width int, th *theme.Theme) string {
	part := m.shownArea()
	lead, tail := edit.Label(&m.current().file), " · "+partTitles[part]
	if n := len(m.entries); n > 1 {
		if of := m.about(part); len(of) > 1 {
			lead = edit.FilesLabel(filesOf(of))
		} else {
			tail += fmt.Sprintf(" · file %d of %d", m.files.Cursor()+1, n)
		}
	}
	title := text.ShortName(lead, max(6, width-text.Width(tail)))
	return th.Title.Render(text.PadRight(title+tail, width))
}

// part draws one part in its rectangle.
func (m *Model) part(at area, l layout, th *theme.Theme) string {
	r, size := l.parts[at], l.inner[at].Size()
	e := m.current()
	body, title, foot := "", m.title(at), ""
	switch at {
	case onFiles:
		body, foot = m.files.View(size, th, m.fileRow(th)), m.files.Position()
	case onRecord:
		body, foot = m.viewRecord(size, th), m.record.Position()
		title = text.ShortName(edit.Label(&e.file), max(1, r.Dx()-6))
	case onTags:
		body = m.tags.View(size, th)
		title += draftState(m.targets(), func(e *entry) api.Field[[]string] { return e.draft.Tags })
		foot = m.tagsFoot()
	case onAI:
		body, foot = m.viewAI(size, th), "t adds one as a tag"
	case onRegion:
		body = m.viewRegion(size, l, th)
		title += draftState(m.withRegion(), func(e *entry) api.Field[string] { return e.draft.CustomCoordinates })
		if m.area == onPicture {
			foot = m.region.Handle()
		} else if len(m.withRegion()) > 1 && !l.picture.Empty() {
			foot = "picture: " + text.ShortName(edit.Label(&e.file), 28)
		}
	}
	if !l.boxes {
		return text.Fit(body, size.X, size.Y)
	}
	return kit.BoxFooter(title, foot, body, r.Size(), at == m.shownArea(), th)
}

// tagsFoot counts the characters of the tags, for several files the maximum.
func (m *Model) tagsFoot() string {
	worst, n := m.worstTags()
	foot := fmt.Sprintf("%d of %d characters", n, api.MaxTagLength)
	if len(m.targets()) > 1 {
		foot = "at most " + foot + ": " + text.ShortName(edit.Label(&worst.file), 20)
	}
	return foot
}

// draftState describes the drafts of a field for its title.
func draftState[T any](of []*entry, draft func(*entry) api.Field[T]) string {
	changed, removed := 0, 0
	for _, e := range of {
		switch d := draft(e); {
		case d.IsNull():
			removed++
		case d.IsSet():
			changed++
		}
	}
	switch {
	case removed > 0 && removed == len(of):
		return ": will be removed, not saved"
	case changed+removed == 0:
		return ""
	case len(of) > 1:
		return ": " + text.Count(changed+removed) + " changed, not saved"
	}
	return ": changed, not saved"
}

// fileRow draws a file in the list: mark, state, name.
func (m *Model) fileRow(th *theme.Theme) func(row int, mark theme.Sign, width int, selected bool) string {
	return func(row int, mark theme.Sign, width int, selected bool) string {
		e := m.entries[row]
		sign, style := theme.SignNone, th.Text
		switch {
		case e.problem != nil:
			sign, style = theme.SignBad, th.Bad
		case e.changed():
			sign = theme.SignChanged
		}
		label := text.ShortName(edit.Label(&e.file), max(1, width-3))
		if selected {
			style := th.SelectedDim
			if m.area == onFiles {
				style = th.Selected
			}
			return style.Render(text.PadRight(th.Glyph(mark)+th.Glyph(sign)+" "+label, width))
		}
		return th.Sign(mark) + th.Sign(sign) + " " + style.Render(label)
	}
}

func (m *Model) viewRecord(size image.Point, th *theme.Theme) string {
	labelWidth := min(max(8, size.X/3), 20)
	return m.record.View(size, func(i, width int, selected bool) string {
		r := m.rows[i]
		shown := r.text(m.now())
		room := max(1, width-labelWidth-2)
		group := ""
		// If there is no space for both, the value comes first.
		if w := text.Width(r.group) + 2; r.group != "" && room-w >= text.Width(text.Safe(shown)) {
			group = "  " + r.group
			room -= w
		}
		label := text.PadRight(text.TruncateMiddle(text.Safe(r.label), labelWidth), labelWidth)
		value := text.TruncateMiddle(text.Safe(shown), room)
		switch {
		case r.label == "Name" || r.label == "Path":
			value = text.ShortName(shown, room)
		case !r.when.IsZero():
			value = text.Truncate(shown, room)
		}
		if selected && m.area == onRecord {
			return th.Selected.Render(text.PadRight(" "+label+" "+value+group, width))
		}
		style := th.Text
		if r.value == notSet || r.value == notKnown {
			style = th.Muted
		}
		return " " + th.Label.Render(label) + " " + style.Render(value) + th.Muted.Render(group)
	})
}

func (m *Model) viewAI(size image.Point, th *theme.Theme) string {
	all := len(m.targets())
	columns := kit.Columns{{Width: 10, Flex: 2}, {Width: 6, Right: true}, {Width: 10, Flex: 2, Spare: 2}, {Width: 13, Spare: 1}}
	if all > 1 {
		columns[1].Width = len(text.Count(all))*2 + len(" of ")
	}
	widths := columns.Widths(size.X - 2)
	return m.ai.View(size, func(i, width int, selected bool) string {
		t := m.found[i]
		word, sign := "", theme.SignNone
		if t.taken == t.files {
			word, sign = "already a tag", theme.SignGood
		}
		cells := []string{text.Safe(t.Name), fmt.Sprintf("%.0f %%", t.Confidence), text.Safe(t.Source), word}
		if all > 1 {
			cells[1] = ofMany(t.files, all)
		}
		if selected && m.area == onAI {
			return th.Selected.Render(text.PadRight(th.Glyph(sign)+" "+columns.Row(widths, cells...), width))
		}
		cells[0], cells[1], cells[2] = th.Text.Render(cells[0]), th.Text.Render(cells[1]), th.Muted.Render(cells[2])
		cells[3] = th.SignStyle(sign).Render(word)
		return th.Sign(sign) + " " + columns.Row(widths, cells...)
	})
}

// viewRegion draws the numbers, notes and, if there is space, picture and crop.
func (m *Model) viewRegion(size image.Point, l layout, th *theme.Theme) string {
	if reason := m.noRegion(); reason != "" {
		return kit.Paragraph(text.Sentence(reason), size.X, th.Muted)
	}
	lines := []string{" " + m.numbers.View(max(0, size.X-2), th)}
	if l.notes > 0 {
		lines = append(lines, m.regionNotes(size, th)...)
	}
	if !l.picture.Empty() {
		lines = append(lines, m.region.View(l.picture.Size(), th))
	}
	return strings.Join(lines, "\n")
}

// regionNotes returns the lines below the numbers: what is wrong, or how they count.
func (m *Model) regionNotes(size image.Point, th *theme.Theme) []string {
	sign, words := m.region.Note()
	for _, e := range m.withRegion() {
		if err := e.checkRegion(); err != nil {
			sign, words = theme.SignBad, m.named(e, page.Explain(err))
			break
		}
	}
	if words == "" {
		return nil
	}
	return withSign(sign, words, size.X, min(max(1, size.Y/3), 2), th)
}

// status returns the last lines: running work, failures, unsaved changes, and the age of the
// record.
func (m *Model) status(size image.Point, th *theme.Theme) []string {
	if size.Y < 5 {
		return nil
	}
	e := m.current()
	switch {
	case m.manage.Busy() != "":
		return withSign(theme.SignBusy, m.manage.Progress()+" esc stops.", size.X, 1, th)
	case e.problem != nil:
		return withSign(theme.SignBad, m.named(e, "Not saved: "+page.Explain(e.problem)), size.X, min(max(1, size.Y/4), 3), th)
	case m.gone(e):
		return withSign(theme.SignBad, m.named(e, "")+"This file no longer exists. This is its last known state.", size.X, 2, th)
	}
	if d, err := e.change(); err != nil || !d.IsEmpty() {
		words := "Not saved: " + strings.Join(describe(&e.file, d), "; ")
		if err != nil {
			words = "Not saved, and cannot be saved yet: " + page.Explain(err)
		}
		words = m.named(e, words)
		if n := m.others(); n > 0 {
			words = text.Plural(n+1, "file") + " changed. " + words
		}
		return withSign(theme.SignChanged, words, size.X, 1, th)
	}
	words := m.named(e, text.Capital(m.seen(e)))
	switch {
	case e.readErr != nil && api.Unavailable(e.readErr):
		words += ". This service does not return records."
	case e.readErr != nil:
		return withSign(theme.SignWarn, words+". Reading it again failed: "+page.Explain(e.readErr), size.X, 2, th)
	}
	if n := m.others(); n > 0 {
		words += ". Unsaved changes in " + text.Plural(n, "other file") + "."
	}
	return withSign(theme.SignNone, words, size.X, 1, th)
}

// named prefixes a text with the file name if there are several files.
func (m *Model) named(e *entry, words string) string {
	if len(m.entries) < 2 {
		return words
	}
	return text.ShortName(edit.Label(&e.file), 28) + ": " + words
}

// others counts other files with unsaved changes.
func (m *Model) others() int {
	n := 0
	for _, e := range m.entries {
		if e != m.current() && e.changed() {
			n++
		}
	}
	return n
}

// withSign returns at most most lines of a text with a sign. The text is made safe.
func withSign(sign theme.Sign, words string, width, most int, th *theme.Theme) []string {
	lines := text.Wrap(text.Safe(words), max(1, width-4))
	if len(lines) > most {
		rest := strings.Join(lines[most-1:], " ")
		lines = append(lines[:most-1], text.Truncate(rest, max(1, width-4)))
	}
	style := th.SignStyle(sign)
	if sign == theme.SignNone {
		style = th.Muted
	}
	for i, line := range lines {
		lead := "   "
		if i == 0 {
			lead = " " + th.Sign(sign) + " "
		}
		lines[i] = lead + style.Render(line)
	}
	return lines
}
