package upload

import (
	"cmp"
	"errors"
	"image"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/api/entry"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// patternFields are the fields that patterns can fill, in order.
var patternFields = [...]struct{ field, label, hint string }{
	{"tags", "Tags to add", "such as {folder}, {name}"},
	{"folder", "Folder", "unchanged, or such as /{folder}/{exif:date:YYYY}"},
	{"name", "Name", "unchanged, or such as {name}-{n:03}"},
}

// patternView edits the patterns and previews the results in a table.
type patternView struct {
	kit.Popup
	m        *Model
	room     image.Point
	form     *edit.Form
	patterns [len(patternFields)]edit.Pattern
	table    kit.Lines
	rows     []patternRow
	stale    bool
	skipped  int // rows that cannot be filled in
	widest   int // of what is stored, in cells
}

var _ kit.Overlay = (*patternView)(nil)

// patternRow is a file with the results of the patterns.
type patternRow struct {
	source *source
	draft  edit.Draft // the results
	err    error      // why it stays as before
}

// newPatterns returns the patterns. A form text with pattern fields is the initial pattern.
func (m *Model) newPatterns() *patternView {
	first := func() []int { return []int{0} }
	v := &patternView{m: m, stale: true, form: &edit.Form{ID: "form", Group: "Patterns", Targets: first}}
	var rows []*edit.Row
	for n, f := range patternFields {
		if r := m.Form.Row(f.field); f.field != "tags" && edit.Pattern(r.Value()).HasFields() {
			v.patterns[n] = edit.Pattern(r.Value())
		}
		rows = append(rows, &edit.Row{
			ID: f.field, Label: f.label, Hint: func() string { return f.hint },
			Get:  func(int) string { return string(v.patterns[n]) },
			Set:  func(_ int, content string) { v.patterns[n], v.stale = edit.Pattern(content), true },
			Note: v.fields,
			Problem: func() string {
				if err := v.check(n, v.finished(n)); err != nil {
					return entry.InForm(err)
				}
				return ""
			},
		})
	}
	v.form.Live, v.form.Leave = true, func(by int) { v.form.End(by < 0) }
	v.form.SetRows(rows)
	v.form.End(false)
	return v
}

// finished returns a pattern without the field that is being typed at its end, which is not wrong yet.
func (v *patternView) finished(n int) edit.Pattern {
	p := v.patterns[n]
	if at := strings.LastIndex(string(p), "{"); v.form.On() == patternFields[n].field && at > strings.LastIndex(string(p), "}") {
		p = p[:at]
	}
	return p
}

// check says why a pattern cannot be used, or nil.
func (v *patternView) check(n int, p edit.Pattern) error {
	err := p.Check()
	if err == nil && patternFields[n].field == rule.FieldTags {
		err = rule.CheckTags(rule.SplitTags(string(p)))
	}
	return err
}

// fields lists the fields that the first file has and what they are for it; a URL has few.
func (v *patternView) fields() string {
	of := v.m.Targets()
	first := of[max(0, slices.IndexFunc(of, func(s *source) bool { return s.Source.Path != "" }))]
	return text.If(v.room.Y >= 14, patternFile(first, 1).Examples())
}

// Capturing reports true: letters are text.
func (v *patternView) Capturing() bool { return true }

func (v *patternView) Type(msg tea.Msg) (tea.Cmd, bool) { return nil, v.form.Type(msg) }

// Actions returns the actions that apply the patterns, switch between them and scroll the table.
func (v *patternView) Actions() []kit.Action {
	unusable := func() string {
		bad := v.skipped == len(v.rows)
		for n, p := range v.patterns {
			bad = bad || v.check(n, p) != nil
		}
		return text.If(bad, "the pattern cannot be used: the lines below it say why")
	}
	return kit.Shadow(slices.Concat([]kit.Action{
		{ID: "form.use-patterns", Keys: kit.Bind("fill in", "", "enter"), Group: v.form.Group, Footer: true, Main: true, Disabled: unusable, Do: v.apply},
	}, v.form.Actions(), kit.ListActions(func() kit.Scroller { return &v.table }, nil), []kit.Action{
		{ID: "form.close", Keys: kit.Bind("back", "", "esc", "ctrl+t"), Group: v.form.Group, Footer: true, Do: v.Close},
	}))
}

func (v *patternView) Resize(room image.Point) { v.room = room }

// Mouse scrolls the table with the wheel.
func (v *patternView) Mouse(msg tea.MouseMsg) tea.Cmd {
	v.table.Wheel(msg)
	return nil
}

// refresh updates the table, which depends on facts about the files.
func (v *patternView) refresh() {
	v.compute()
	form, table := v.layout(v.room)
	v.form.Resize(form)
	v.table.SetHeight(table.Y)
}

// layout returns the sizes of the patterns and of the rows. Three lines are for the frame and the heads, and
// two blank ones more in a high room.
func (v *patternView) layout(size image.Point) (form, table image.Point) {
	inner := kit.BoxInner(size)
	form = image.Pt(inner.X, min(v.form.Height(inner.X, 0), inner.Y))
	return form, image.Pt(inner.X, max(0, min(len(v.rows), size.Y-form.Y-text.Either(size.Y < 26, 3, 5))))
}

func (v *patternView) compute() {
	if !v.stale {
		return
	}
	v.rows, v.skipped, v.widest, v.stale = v.rows[:0], 0, 0, false
	for n, s := range v.m.Targets() {
		row := patternRow{source: s, draft: s.Draft}
		row.err = v.fillIn(&row.draft, patternFile(s, n+1))
		_, folder := rule.CleanFolder(row.draft.Folder.Or(""))
		if row.err = cmp.Or(row.err, folder, rule.CheckName(row.draft.FileName), rule.CheckTags(row.draft.Tags.Or(nil))); row.err != nil {
			v.skipped++
			row.draft = s.Draft
			// The row changes once the file has been inspected.
			v.stale = v.stale || errors.Is(row.err, edit.ErrUnread)
		}
		after := &source{Draft: row.draft}
		v.widest = max(v.widest, text.Width(after.folder()+after.storedName()))
		v.rows = append(v.rows, row)
	}
	v.table.SetLen(len(v.rows))
}

// patternFile returns the source as a file for patterns.
func patternFile(s *source, number int) edit.PatternFile {
	f := edit.PatternFile{
		Name: s.Source.Name(), Number: number, Modified: s.known.identity.Modified,
		Taken: s.known.facts.Taken,
	}
	if s.Source.Path != "" {
		folder := filepath.Base(filepath.Dir(s.Source.Path))
		f.Folder, f.Unread = strings.Trim(folder, string(filepath.Separator)+"."), !s.known.inspected
	}
	return f
}

// fillIn writes the results of the valid patterns into a file's values.
func (v *patternView) fillIn(d *edit.Draft, f edit.PatternFile) error {
	cleaned := [...]func(string) string{strings.NewReplacer(",", " ", "%", " ").Replace, edit.FolderText, nil}
	for n := range v.patterns {
		p := v.finished(n)
		if p == "" || v.check(n, p) != nil {
			continue
		}
		content, err := p.Fill(f, cleaned[n])
		if cleaned[n] == nil {
			content, err = p.FillName(f)
		}
		if err != nil {
			return err
		}
		field := entry.FieldByKey(patternFields[n].field)
		if field.Kind == entry.KindList {
			d.SetList(field, edit.Replayed(d.List(field), nil, rule.SplitTags(content)))
		} else {
			d.SetText(field, content)
		}
	}
	return nil
}

// apply applies the table. It leaves out rows that cannot be filled in and reports their number.
func (v *patternView) apply() tea.Cmd {
	v.stale = true
	v.compute()
	for _, r := range v.rows {
		for _, f := range patternFields {
			r.source.Copy(entry.FieldByKey(f.field), &r.draft)
		}
	}
	v.m.Touch(v.m.Targets()...)
	if v.Close(); v.skipped == 0 {
		return nil
	}
	first := v.rows[slices.IndexFunc(v.rows, func(r patternRow) bool { return r.err != nil })]
	return page.Send(page.Toast{
		Level:  page.Warn,
		Text:   text.Plural(v.skipped, "file") + " stayed as before: " + text.Safe(first.source.Source.Name()) + " has " + first.err.Error() + ".",
		Detail: "Fill them in by hand, or use another field of a pattern: " + edit.PatternFields + ".",
	})
}

// View draws the patterns and the table.
func (v *patternView) View(size image.Point, th *theme.Theme) string {
	form, table := v.layout(size)
	size.Y = min(size.Y, max(form.Y+table.Y+text.Either(size.Y < 26, 3, 5), v.m.Layout(size).Form.Dy())) // it covers the form
	spare := size.Y - form.Y - table.Y - 3
	form.Y += text.Either(spare > 2, 1, 0) // a blank line after the note
	column := min(32, max(8, table.X/3))
	stored := table.X - column - 3 // with the tags, which have a quarter of it or more
	stored = min(max(stored/2, v.widest+2), stored*3/4)
	line := func(n int) string { return th.Border.Render(strings.Repeat(th.Shape.Top, max(1, n-2))) + " " }
	head := func(name string, width int) string { return th.Label.Render(name) + " " + line(width-text.Width(name)) }
	heads := line(3) + head("File", column+1) + head("Stored as", stored) + head("Tags", table.X-column-stored-3)
	rows := v.table.View(table, func(i, width int, selected bool) string {
		return v.row(&v.rows[i], column, stored, width, selected && len(v.rows) > table.Y, th)
	})
	foot := text.If(len(v.rows) > table.Y, v.table.Position())
	if v.skipped > 0 {
		foot = strings.Trim(text.Plural(v.skipped, "file")+" cannot be filled in · "+foot, " ·")
	}
	what := text.If(size.X >= kit.StackedWidth, "tags, folder and name ")
	return kit.BoxFooter("Fill "+what+"by pattern: "+text.Plural(len(v.rows), "file"), foot,
		kit.JoinV(text.If(spare > 1, " "), v.form.View(form, true, th), text.If(spare > 0, " "), heads, rows),
		size, true, th)
}

func (v *patternView) row(r *patternRow, column, stored, width int, selected bool, th *theme.Theme) string {
	sign := text.Either(r.err != nil, theme.SignWarn, theme.SignNone)
	row := th.Sign(sign) + " " + text.PadRight(text.ShortName(r.source.Source.Name(), column), column) + " "
	cell := func(of func(*source) string, width int) { // what the patterns change stands out
		words := of(&source{Draft: r.draft})
		style := text.Either(words == of(r.source), text.Either(words == "none", th.Muted, th.Text), th.Accent)
		row += style.Render(text.PadRight(text.Truncate(text.Safe(words), width-2), width))
	}
	if r.err != nil {
		row += th.Warn.Render(text.Truncate(text.Safe("stays as before: "+r.err.Error()), max(0, width-column-3)))
	} else {
		cell(func(s *source) string { return s.folder() + s.storedName() }, stored)
		cell(func(s *source) string { return cmp.Or(strings.Join(s.Tags.Or(nil), ", "), "none") }, width-column-3-stored)
	}
	return text.Either(selected, th.SelectedDim.Render(text.PadRight(ansi.Strip(row), width)), row)
}
