package upload

import (
	"fmt"
	"image"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// formRow is one line of the form and where a click on it puts the focus.
type formRow struct {
	text  string
	focus focus
	on    bool // it belongs to the field with the focus
}

// The rows that the picture under a region may take, and its least width.
const (
	leastDrawing = 4
	mostDrawing  = 16
	leastWidth   = 8
)

// viewForm draws the sections: those that find room unfolded, the others as
// one line with what they say.
func (m *Model) viewForm(l layout, th *theme.Theme) string {
	if l.form.Empty() {
		return ""
	}
	size := l.formRect().Size()
	rows := m.formRows(size, th)
	from := window(rows, size.Y)
	var b strings.Builder
	for _, r := range rows[from:min(len(rows), from+size.Y)] {
		b.WriteString(text.Fit(r.text, size.X, 1))
		b.WriteByte('\n')
	}
	body := strings.TrimSuffix(b.String(), "\n")
	if !l.boxes {
		return text.Fit(body, size.X, size.Y)
	}
	return kit.Box(m.formTitle(), body, l.form.Size(), m.focus.stop == stopItem, th)
}

// formTitle says what a change applies to.
func (m *Model) formTitle() string {
	targets := m.targets()
	if len(targets) == 1 {
		return "Upload " + text.Safe(targets[0].entry.Source.Name())
	}
	return "Upload " + text.Plural(len(targets), "file") + ": a change goes to all of them"
}

// window is the first row to show so that the focused ones are seen.
func window(rows []formRow, height int) int {
	first := slices.IndexFunc(rows, func(r formRow) bool { return r.on })
	if first < 0 || len(rows) <= height {
		return 0
	}
	last := first
	for last+1 < len(rows) && rows[last+1].on {
		last++
	}
	// Two rows of what comes before, for the heading.
	from := max(0, min(first-2, len(rows)-height))
	if last >= from+height {
		from = min(first, last-height+1)
	}
	return from
}

// formRows unfolds the section with the focus, then those that are used often as long
// as all fit.
func (m *Model) formRows(size image.Point, th *theme.Theme) []formRow {
	var folded, unfolded [sectionCount][]formRow
	var open [sectionCount]bool
	total := 0
	for s := range sectionCount {
		folded[s] = []formRow{m.heading(s, false, size.X, th)}
		total++
	}
	unfold := func(s section, must bool) {
		if unfolded[s] == nil {
			unfolded[s] = m.sectionRows(s, size.X, th)
		}
		more := len(unfolded[s]) - 1
		if !open[s] && (must || total+more <= size.Y) {
			open[s] = true
			total += more
		}
	}
	unfold(m.open, true)
	if m.open == sectionRegion {
		drawing := m.drawingRows(size, size.Y-total, th)
		unfolded[sectionRegion] = append(unfolded[sectionRegion], drawing...)
		total += len(drawing)
	}
	for s := range sectionExtensions { // the others are used rarely
		unfold(s, false)
	}
	gaps := total+int(sectionCount)-1 <= size.Y
	var rows []formRow
	for s := range sectionCount {
		if s > 0 && gaps {
			rows = append(rows, formRow{focus: rows[len(rows)-1].focus})
		}
		if open[s] {
			rows = append(rows, unfolded[s]...)
		} else {
			rows = append(rows, folded[s]...)
		}
	}
	return rows
}

// What stands before the parts of a section: the cursor and a blank, behind the
// indent that sets them off from headings.
const (
	indent = 2
	margin = indent + 2
)

// labelColumn is how wide the labels are in a form of that width, with the
// margin before and the blank behind them.
func labelColumn(width int) int { return min(labelWidth, max(0, (width-margin)/2-1)) + margin + 1 }

// heading is the line that names a section; folded, it says what is in it.
func (m *Model) heading(s section, open bool, width int, th *theme.Theme) formRow {
	first := m.items[slices.IndexFunc(m.items, func(i *item) bool { return i.section == s })]
	row := formRow{focus: focus{stop: stopItem, field: first.field}}
	style := th.Strong
	if open {
		style = th.Title
	}
	name, style := m.headingName(s, style, th)
	if open {
		row.text = strings.Repeat(" ", indent) + style.Render(name)
		return row
	}
	column := labelColumn(width)
	row.text = strings.Repeat(" ", indent) + style.Render(text.PadRight(name, column-indent-1)) + " " +
		th.Muted.Render(text.Truncate(text.Safe(m.summary(s)), max(0, width-column)))
	return row
}

// headingName is the name of a section, with a sign where something in it stops
// the sending, and the style for it.
func (m *Model) headingName(s section, style lipgloss.Style, th *theme.Theme) (string, lipgloss.Style) {
	for f := range m.sum().stops {
		if m.item(f).section != s {
			continue
		}
		return sectionNames[s] + " " + th.Glyph(theme.SignBad), th.Bad.Bold(true)
	}
	return sectionNames[s], style
}

// oneField tells which sections are one field that bears their name, and so
// have no heading.
func oneField(s section) bool { return s == sectionTags || s == sectionRegion }

// sectionRows are the lines of an unfolded section.
func (m *Model) sectionRows(s section, width int, th *theme.Theme) []formRow {
	var rows []formRow
	if !oneField(s) {
		rows = append(rows, m.heading(s, true, width, th))
	}
	for _, i := range m.items {
		if i.section == s && m.shown(i) {
			rows = append(rows, m.itemRows(i, width, th)...)
		}
	}
	if s == sectionExists && !m.anyExact() {
		f := rows[len(rows)-1].focus
		for _, line := range wrapStyled("These count for exact names: at a unique name nothing is overwritten.", width-margin, th.Muted) {
			rows = append(rows, formRow{text: strings.Repeat(" ", margin) + line, focus: f})
		}
	}
	return rows
}

func (m *Model) anyExact() bool {
	return slices.ContainsFunc(m.targets(), func(s *source) bool { return s.naming() == api.NameExact })
}

// itemRows are the lines of one field: itself, and below it what is wrong with
// it, or what helps while it has the focus.
func (m *Model) itemRows(i *item, width int, th *theme.Theme) []formRow {
	here := focus{stop: stopItem, field: i.field}
	on := m.focus == here
	column := labelColumn(width)
	inner, first, rest := width-margin, strings.Repeat(" ", margin), strings.Repeat(" ", margin)
	cursor := " "
	if on {
		cursor = th.Sign(theme.SignCursor)
		first = strings.Repeat(" ", indent) + cursor + " "
	}
	if oneField(i.section) {
		// It stands where headings stand, and bears its name as they do.
		name, style := m.headingName(i.section, th.Title, th)
		inner, rest = width-column, strings.Repeat(" ", column)
		first = cursor + " " + style.Render(text.PadRight(name, column-indent-1)) + " "
	}
	var rows []formRow
	for n, line := range strings.Split(i.view(inner, m.mixedLabel(i), th), "\n") {
		if n == 0 {
			line = first + line
		} else {
			line = rest + line
		}
		rows = append(rows, formRow{text: line, focus: here, on: on})
	}
	under := func(lines []string) {
		for _, line := range lines {
			rows = append(rows, formRow{text: strings.Repeat(" ", column) + line, focus: here, on: on})
		}
	}
	room := width - column
	if i.text != nil && len(i.text.Offers()) > 0 {
		under([]string{i.text.ViewOffers(room, th)})
		return rows
	}
	if l, stops := m.sum().stops[i.field]; stops {
		under(wrapStyled(th.Glyph(theme.SignBad)+" "+l.text, room, th.Bad))
		return rows
	}
	if on && i.field == fieldMetadata {
		under(m.metadataNote(room, th))
		return rows
	}
	if note := m.noteOf(i); on && note != "" {
		under(wrapStyled(note, room, th.Muted))
	}
	return rows
}

// noteOf is what helps while an item has the focus.
func (m *Model) noteOf(i *item) string {
	switch {
	case i.field == fieldName && len(m.targets()) > 1:
		return "ctrl+t names many by a pattern."
	case i.field == fieldTags:
		return m.tagNote()
	case i.known != nil:
		names := extensionNames(m.subject().entry.Extensions.Or(nil))
		if at := slices.Index(names, i.known.name); at >= 0 && len(names) > 1 {
			return fmt.Sprintf("%s Runs as number %d of %d: < earlier, > later.", i.note, at+1, len(names))
		}
	}
	return i.note
}

// tagNote counts the tags that are edited: those of the file that has most.
func (m *Model) tagNote() string {
	targets := m.targets()
	longest := slices.MaxFunc(targets, func(a, b *source) int { return a.tagLength() - b.tagLength() })
	note := fmt.Sprintf("%d/%d characters with the commas between them; no %%.", longest.tagLength(), api.MaxTagLength)
	switch {
	case len(targets) == 1:
		return note
	case m.item(fieldTags).mixed:
		return note + fmt.Sprintf(" Counted: %s, the longest of %s.", text.Safe(longest.entry.Source.Name()), text.Plural(len(targets), "file"))
	}
	return note + " In each of " + text.Plural(len(targets), "file") + "."
}

func (s *source) tagLength() int { return api.TagLength(s.entry.Tags.Or(nil)) }

// metadataNote shows how the rows were read.
func (m *Model) metadataNote(room int, th *theme.Theme) []string {
	members := m.subject().entry.CustomMetadata.Or(nil)
	if len(members) == 0 || m.item(fieldMetadata).mixed {
		return wrapStyled(m.item(fieldMetadata).note, room, th.Muted)
	}
	keys := make([]string, 0, len(members))
	for k := range members {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var parts []string
	for _, k := range keys {
		parts = append(parts, k+" = "+string(members[k]))
	}
	words := text.Truncate(text.Safe("Read as: "+strings.Join(parts, ", ")), 2*room)
	return wrapStyled(words, room, th.Muted)
}

// drawingRows are the lines of the picture with its region, blank where they are
// measured only: drawing for another theme would render the picture again.
func (m *Model) drawingRows(size image.Point, room int, th *theme.Theme) []formRow {
	room = min(room, mostDrawing)
	width := min(size.X-2*margin, 4*room)
	yes, _ := m.subject().known.isPicture()
	if room < leastDrawing || width < leastWidth || !yes || m.drawing() {
		return nil
	}
	lines := make([]string, room)
	if th != measured {
		lines = strings.Split(m.region.View(image.Pt(width, room), th), "\n")
	}
	var rows []formRow
	for _, line := range lines {
		rows = append(rows, formRow{text: strings.Repeat(" ", margin) + line, focus: focus{stop: stopItem, field: fieldRegion}})
	}
	return rows
}

// mixedLabel says that the targets differ in a field.
func (m *Model) mixedLabel(i *item) string {
	if !i.mixed {
		return ""
	}
	seen := map[string]bool{}
	for _, s := range m.targets() {
		seen[s.text(i)] = true
	}
	text := fmt.Sprintf("mixed (%d): ", len(seen))
	switch {
	case i.chips != nil:
		return text + "what you add goes to all"
	case i.typing():
		return text + "typing sets all"
	}
	return text + "space sets all"
}
