package upload

import (
	"errors"
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/text/unicode/norm"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// patternFields are the fields that patterns can fill, in order.
var patternFields = [...]field{fieldName, fieldFolder, fieldTags}

// patternView edits the patterns and previews the results in a table.
type patternView struct {
	overlay
	fields  [len(patternFields)]*kit.Field
	on      int
	list    kit.List
	rows    []patternRow
	wrong   [len(patternFields)]error
	stale   bool
	skipped int // rows that cannot be filled in
}

var _ kit.Overlay = (*patternView)(nil)

// patternRow is a file with the results of the patterns.
type patternRow struct {
	source *source
	options
	err    error
	shares bool // another file has the same place
}

// openPatterns opens the patterns. A form text with pattern fields is the initial pattern.
func (m *Model) openPatterns() tea.Cmd {
	v := &patternView{overlay: overlay{m: m}, stale: true}
	hints := [...]string{"keep the names: try {name}-{n:03}.{ext}", "keep the folders: try /{parent}/{exif:date:YYYY}", "add none: try {parent},{exif:date:YYYY}"}
	labels := [...]string{"Name", "Folder", "Add tags"}
	for n, f := range patternFields {
		v.fields[n] = &kit.Field{Label: labels[n], LabelWidth: 9, Placeholder: hints[n]}
		if i := m.item(f); i.text != nil && !i.mixed && hasFields(i.value()) {
			v.fields[n].SetValue(i.value())
		}
	}
	v.focus(0)
	m.cover(v)
	return nil
}

func (v *patternView) focus(on int) {
	v.fields[v.on].Blur()
	v.on = (on + len(v.fields)) % len(v.fields)
	v.fields[v.on].Focus()
}

// Capturing reports true: letters are text.
func (v *patternView) Capturing() bool { return true }

// Type edits the focused pattern.
func (v *patternView) Type(msg tea.Msg) (tea.Cmd, bool) {
	used := v.fields[v.on].Update(msg)
	v.stale = v.stale || used
	return nil, used
}

// Actions returns the actions that apply the patterns, switch between them and scroll the table.
func (v *patternView) Actions() []kit.Action {
	const group = "Patterns"
	step := func(by int) func() tea.Cmd { return func() tea.Cmd { v.focus(v.on + by); return nil } }
	return append([]kit.Action{
		{ID: "form.use-patterns", Keys: kit.Bind("use for the marked files", "", "enter"), Group: group, Footer: true, Disabled: v.none, Do: v.apply},
		{ID: "form.next-pattern", Keys: kit.Bind("next pattern", "", "tab"), Group: group, Footer: true, Do: step(1)},
		v.back(group, "esc", "ctrl+t"),
		{ID: "form.previous-pattern", Keys: kit.Bind("previous pattern", "", "shift+tab"), Group: group, Do: step(-1)},
	}, kit.ListActions(func() kit.Scroller { return &v.list }, nil)...)
}

func (v *patternView) none() string {
	for _, f := range v.fields {
		if f.Value() != "" {
			return ""
		}
	}
	return "no pattern is typed yet"
}

// Mouse scrolls the table with the wheel.
func (v *patternView) Mouse(msg tea.MouseMsg) tea.Cmd {
	v.list.Wheel(msg)
	return nil
}

// refresh updates the table, which depends on facts about the files.
func (v *patternView) refresh() {
	v.compute()
	inner := kit.BoxInner(v.room)
	v.list.SetHeight(inner.Y - len(v.head(inner, measured)))
}

// patterns parses the input; an empty pattern is nil.
func (v *patternView) patterns() (out [len(patternFields)]*pattern, ok bool) {
	ok = true
	for n, f := range v.fields {
		v.wrong[n] = nil
		if f.Value() == "" {
			continue
		}
		p, err := parsePattern(f.Value())
		if err != nil {
			v.wrong[n], ok = err, false
			continue
		}
		out[n] = &p
	}
	return out, ok
}

// compute fills the table.
func (v *patternView) compute() {
	if !v.stale {
		return
	}
	patterns, _ := v.patterns()
	v.rows = v.rows[:0]
	v.skipped, v.stale = 0, false
	for n, s := range v.m.targets() {
		row := patternRow{source: s, options: s.options}
		row.err = fillIn(v.m.items, &row.options, patterns, subjectOf(s, n+1))
		if row.err != nil {
			v.skipped++
			row.options = s.options
			// The row changes once the file has been inspected.
			v.stale = v.stale || errors.Is(row.err, errNotLooked)
		}
		v.rows = append(v.rows, row)
	}
	v.list.SetLen(len(v.rows))
	v.flag()
}

// flag marks rows that share a place with another file of the form.
func (v *patternView) flag() {
	at := map[string]int{}
	changed := map[*source]bool{}
	for i := range v.rows {
		changed[v.rows[i].source] = true
		if key, ok := locationKey(&v.rows[i].options); ok {
			at[key]++
		}
	}
	for _, s := range v.m.sources {
		if key, ok := locationKey(&s.options); ok && !changed[s] {
			at[key]++
		}
	}
	for i := range v.rows {
		key, ok := locationKey(&v.rows[i].options)
		v.rows[i].shares = ok && at[key] > 1
	}
}

// locationKey returns the place by which the library compares files. It returns false for a unique name, which cannot
// collide.
func locationKey(o *options) (string, bool) {
	if o.naming() != api.NameExact {
		return "", false
	}
	return norm.NFC.String(o.storedPath()), true
}

// fillIn writes the results of the patterns into a file's values.
func fillIn(items []*item, o *options, patterns [len(patternFields)]*pattern, s subject) error {
	for n, p := range patterns {
		if p == nil {
			continue
		}
		clean := map[field]func(string) string{fieldFolder: folderName, fieldTags: tagName}[patternFields[n]]
		text, err := p.fill(s, clean)
		if err != nil {
			return err
		}
		if patternFields[n] == fieldTags {
			tags := slices.Clone(o.entry.Tags.Or(nil))
			for _, tag := range api.SplitTags(text) {
				if !slices.Contains(tags, tag) {
					tags = append(tags, tag)
				}
			}
			text = api.JoinTags(tags)
		}
		o.set(items, itemOf(items, patternFields[n]), text)
	}
	return nil
}

// apply applies the table. It leaves out rows that cannot be filled in and reports their number.
func (v *patternView) apply() tea.Cmd {
	m := v.m
	if _, ok := v.patterns(); !ok {
		return page.Send(page.Toast{Level: page.Warn, Text: "The pattern cannot be read: see what it says."})
	}
	v.stale = true
	v.compute()
	for i := range v.rows {
		for _, f := range patternFields {
			m.set(v.rows[i].source, f, v.rows[i].text(m.item(f)))
		}
	}
	v.Close()
	m.load()
	m.setFocus(m.focus)
	if v.skipped > 0 {
		first := v.rows[slices.IndexFunc(v.rows, func(r patternRow) bool { return r.err != nil })]
		return page.Send(page.Toast{
			Level:  page.Warn,
			Text:   text.Plural(v.skipped, "file") + " stayed as before: " + text.Safe(first.source.entry.Source.Name()) + " has " + first.err.Error() + ".",
			Detail: "Fill them in by hand, or use another field of a pattern: " + patternHelp + ".",
		})
	}
	return nil
}

// head returns the lines above the table.
func (v *patternView) head(inner image.Point, th *theme.Theme) []string {
	var head []string
	for n, f := range v.fields {
		head = append(head, f.View(inner.X, th))
		if v.wrong[n] != nil {
			head = append(head, wrapStyled(th.Glyph(theme.SignBad)+" "+v.wrong[n].Error(), inner.X, th.Bad)...)
		}
	}
	help := wrapStyled("Fields: "+patternHelp+", dates also as {date:YYYY/MM}", inner.X, th.Muted)
	if inner.Y < 12 {
		help = help[:min(1, len(help))]
	}
	head = append(head, help...)
	column := min(32, max(8, inner.X/3))
	head = append(head, th.Label.Render(text.PadRight("  "+text.PadRight("File", column)+" Stored as", inner.X)))
	return head[:max(0, min(len(head), inner.Y))]
}

// View draws the patterns and the table.
func (v *patternView) View(size image.Point, th *theme.Theme) string {
	inner := kit.BoxInner(size)
	head := v.head(inner, th)
	body := v.list.View(image.Pt(inner.X, inner.Y-len(head)), func(i, width int, selected bool) string {
		return v.row(&v.rows[i], width, selected, th)
	})
	all := strings.Join(head, "\n")
	if body != "" {
		all = kit.JoinV(all, body)
	}
	shared := 0
	for _, r := range v.rows {
		if r.shares {
			shared++
		}
	}
	foot := v.list.Position()
	if shared > 0 {
		foot = text.Plural(shared, "file") + " share a place · " + foot
	}
	if v.skipped > 0 {
		foot = text.Plural(v.skipped, "file") + " cannot be filled in · " + foot
	}
	return kit.BoxFooter("Name, folder and tags by patterns: "+text.Plural(len(v.rows), "file"), foot, all, size, true, th)
}

// row draws a file's name and its results.
func (v *patternView) row(r *patternRow, width int, selected bool, th *theme.Theme) string {
	column := min(32, max(8, width/3))
	sign, words := theme.SignNone, r.storedPath()
	if r.naming() != api.NameExact {
		var b strings.Builder
		for _, l := range storedLetters(r.entry.FileName, r.naming()) {
			b.WriteRune(l.r)
		}
		words = r.folder() + b.String()
	}
	if v.fields[2].Value() != "" {
		words += "  tags " + strings.Join(firstTags(r.entry.Tags.Or(nil)), ", ")
	}
	_, folderErr := api.CleanFolder(r.entry.Folder.Or(""))
	switch {
	case r.err != nil:
		sign, words = theme.SignWarn, "stays as before: "+r.err.Error()
	case api.CheckName(r.entry.FileName) != nil:
		sign, words = theme.SignBad, "would have no name"
	case folderErr != nil:
		sign, words = theme.SignBad, folderErr.Error()
	case r.shares:
		sign, words = theme.SignWarn, words+"  the same place as another file"
	}
	name := text.PadRight(text.ShortName(r.source.entry.Source.Name(), column), column)
	words = text.Truncate(text.Safe(words), max(0, width-column-3))
	if selected {
		return th.SelectedDim.Render(text.PadRight(th.Glyph(sign)+" "+name+" "+words, width))
	}
	style := th.Strong
	if sign != theme.SignNone {
		style = th.SignStyle(sign)
	}
	return th.Sign(sign) + " " + th.Text.Render(name) + " " + style.Render(words)
}
