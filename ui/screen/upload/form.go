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

// formRow is a line of the form and the focus position for a click on it.
type formRow struct {
	text  string
	focus focus
	on    bool // part of the focused field
}

// Limits of the picture below a region: its height in rows and its least width.
const (
	leastDrawing = 4
	mostDrawing  = 16
	leastWidth   = 8
)

// viewForm draws the sections: unfolded if they fit, otherwise as one line with a summary.
func (m *Model) viewForm(l layout, th *theme.Theme) string {
	if l.form.Empty() {
		return ""
	}
	size := l.formRect().Size()
	rows := m.formRows(size, th)
	from := window(rows, size.Y)
	var lines []string
	for _, r := range rows[from:min(len(rows), from+size.Y)] {
		lines = append(lines, text.Fit(r.text, size.X, 1))
	}
	below := len(rows) - from - size.Y
	if !l.boxes {
		kit.MarkCut(lines, from > 0, below > 0, th)
		return text.Fit(strings.Join(lines, "\n"), size.X, size.Y)
	}
	more := ""
	if below > 0 {
		more = text.Plural(below, "more line")
	}
	return kit.BoxFooter(m.formTitle(), more, strings.Join(lines, "\n"), l.form.Size(), m.focus.stop == stopItem, th)
}

// formTitle tells which files a change applies to.
func (m *Model) formTitle() string {
	targets := m.targets()
	if len(targets) == 1 {
		return "Upload " + text.Safe(targets[0].entry.Source.Name())
	}
	return "Upload " + text.Plural(len(targets), "file") + ": a change goes to all of them"
}

// window returns the first row to show so that the focused rows are visible.
func window(rows []formRow, height int) int {
	first := slices.IndexFunc(rows, func(r formRow) bool { return r.on })
	if first < 0 || len(rows) <= height {
		return 0
	}
	last := first
	for last+1 < len(rows) && rows[last+1].on {
		last++
	}
	// Keep two rows before it for the heading.
	from := max(0, min(first-2, len(rows)-height))
	if last >= from+height {
		from = min(first, last-height+1)
	}
	return from
}

// formRows unfolds the focused section, then the common ones while they fit.
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
	for s := range sectionExtensions { // the other sections are rarely used
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

// Left margins: fields are indented below headings, and the cursor with a blank precedes each field.
const (
	indent = 2
	margin = indent + 2
)

// leastNote is the least width for a note below the value of its field. A narrower one begins below the label.
const leastNote = 28

// labelColumn returns the width of the label column in a form, with its margin and a blank.
func labelColumn(width int) int { return min(labelWidth, max(0, (width-margin)/2-1)) + margin + 1 }

// heading returns the heading line of a section. A folded section shows its values.
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

// headingName returns a section's name and style. It adds a sign if the section blocks sending.
func (m *Model) headingName(s section, style lipgloss.Style, th *theme.Theme) (string, lipgloss.Style) {
	for f := range m.sum().stops {
		if m.item(f).section != s {
			continue
		}
		return sectionNames[s] + " " + th.Glyph(theme.SignBad), th.Bad.Bold(true)
	}
	return sectionNames[s], style
}

// oneField reports whether a section is a single field of the same name and needs no heading.
func oneField(s section) bool { return s == sectionTags || s == sectionRegion }

// sectionRows returns the lines of an unfolded section.
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
		for _, line := range wrapStyled("These apply to exact names only. A unique name overwrites nothing.", width-margin, th.Muted) {
			rows = append(rows, formRow{text: strings.Repeat(" ", margin) + line, focus: f})
		}
	}
	return rows
}

func (m *Model) anyExact() bool {
	return slices.ContainsFunc(m.targets(), func(s *source) bool { return s.naming() == api.NameExact })
}

// itemRows returns the lines of a field: the field, then its errors, or its help while it has the focus.
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
		// It takes the place of a heading and has its name.
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
	left := column
	if width-column < leastNote {
		left = margin
	}
	under := func(lines []string) {
		for _, line := range lines {
			rows = append(rows, formRow{text: strings.Repeat(" ", left) + line, focus: here, on: on})
		}
	}
	room := width - left
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

// noteOf returns the help of the focused item.
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

// tagNote counts the tags of the target with the most text.
func (m *Model) tagNote() string {
	targets := m.targets()
	longest := slices.MaxFunc(targets, func(a, b *source) int { return a.tagLength() - b.tagLength() })
	of := ""
	switch {
	case len(targets) == 1:
	case m.item(fieldTags).mixed:
		of = " in " + text.ShortName(longest.entry.Source.Name(), widestCounted) + ", the longest"
	default:
		of = " in each of " + text.Plural(len(targets), "file")
	}
	return fmt.Sprintf("%d/%d characters%s, commas included; no %%.", longest.tagLength(), api.MaxTagLength, of)
}

// widestCounted is the maximum width of a file's name in the note of the tags.
const widestCounted = 12

func (s *source) tagLength() int { return api.TagLength(s.entry.Tags.Or(nil)) }

// metadataNote shows the parsed metadata.
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

// drawingRows returns the lines of the picture with its region. They are blank for measuring, because drawing for
// another theme would render the picture again.
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

// mixedLabel tells that the targets differ in a field.
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
