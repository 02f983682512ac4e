package library

import (
	"image"
	"path"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

func (m *Model) View(size image.Point, th *theme.Theme) string { return m.list.View(size, th) }

func (m *Model) title(width int) string {
	switch s := m.shown.search; {
	case m.query.open && (s.isNone() || m.query.wrong != nil || m.list.Len() == 0 && s.text != strings.TrimSpace(m.query.field.Value())):
		return text.Truncate("Search names, tags and text", width)
	case !s.isNone() && (m.opening.folder == "" || !m.opening.search.isNone()):
		found := text.If(m.shown.done, text.Count(m.list.Len())+" ") + "found"
		if m.shown.done && m.list.Len() == 0 {
			found = "Nothing found" + text.If(m.query.open, ". You can search for")
		}
		return text.TruncateMiddle(text.Safe(found), width)
	}
	parts := strings.FieldsFunc("Library/"+m.folder(), func(r rune) bool { return r == '/' })
	return text.TruncateMiddle(text.Safe(strings.Join(parts, " / ")), width)
}

func (m *Model) position() string {
	if m.query.open {
		return ""
	}
	words := text.Either(m.list.Len() == 0 && m.shown.err != nil, "not available", m.list.Position())
	if r := sortRows[m.order.by]; m.order != sortRows[0].order {
		words = "by " + r.label + text.If(m.order != r.order, ", reversed") + " · " + words
	}
	if !m.shown.done && m.list.Len() > 0 {
		words += " and more"
	}
	switch {
	case m.busy && m.list.Len() == 0:
		words = "loading"
	case m.opening.folder != "":
		words += ", loading"
	}
	if n := len(m.list.Marks()); n > 0 {
		words += ", " + text.Count(n) + " marked" + text.If(!slices.ContainsFunc(m.shown.files, m.list.Has), " elsewhere")
	}
	return words
}

// columns returns the columns, the same for all contents. Results of a search have their folder in place
// of the size.
func (m *Model) columns(int) kit.Columns {
	columns := kit.Columns{
		{Name: "Name", Width: 20, Flex: 3},
		{Name: "Size", Width: 10, Right: true, Spare: 2},
		{Name: "Changed", Width: 11, Right: true, Spare: 3},
		{Name: "Tags", Width: 12, Flex: 2, Spare: 1},
	}
	if !m.shown.search.isNone() {
		columns[1] = kit.Column{Name: "Folder", Width: 12, Flex: 2, Spare: 2}
	}
	return columns
}

// partly is the sign of a folder with marked files.
func (m *Model) partly(f api.File) theme.Sign {
	inside := func(of api.File) bool { return strings.HasPrefix(of.FilePath, folderPath(m.shown.folder, f)) }
	return text.Either(f.IsFolder() && slices.ContainsFunc(m.list.Marks(), inside), theme.SignPartly, theme.SignNone)
}

func (m *Model) cells(f api.File, widths []int, th *theme.Theme) []kit.Cell {
	style, slash, second := th.Text, "", ""
	if f.IsFolder() {
		style, slash = th.Accent, "/"
		if has, known := m.counts.Load(folderPath(m.shown.folder, f)); known {
			second, _, _ = strings.Cut(has.(string), " · ")
		}
	} else if n, ok := f.Size.Get(); ok {
		second = text.Bytes(n)
	}
	searching, words, named := !m.shown.search.isNone(), m.list.Filter(), m.list.Filter()
	if searching {
		if second = path.Dir(f.FilePath); text.Width(second) > widths[1] { // its end says more
			second = "…/" + path.Base(second)
		}
	}
	for term := range strings.FieldsSeq(strings.ReplaceAll(m.shown.search.text, `"`, "")) {
		tags, is := strings.CutPrefix(term, "tag:")
		words += " " + strings.ReplaceAll(tags, ",", " ")
		named += text.If(!is, " "+term)
	}
	list, sought := m.tags(f), strings.Fields(words) // what was searched for comes first
	slices.SortStableFunc(list, func(a, b string) int {
		rank := func(tag string) int {
			return text.Either(slices.ContainsFunc(sought, func(word string) bool { return text.HasAll([]string{word}, tag) }), 0, 1)
		}
		return rank(a) - rank(b)
	})
	states, worst := m.states(f)
	room := widths[3] - text.Either(states != "", text.Width(states)+3, 0)
	name, tags := text.ShortName(f.Name, widths[0]-len(slash)), text.List(strings.Split(text.Safe(strings.Join(list, ", ")), ", "), room)
	shown := found(tags, tags, words, th.Match, text.Either(searching, th.Text, th.Muted))
	if states != "" {
		shown += text.If(tags != "", th.Muted.Render(" · ")) + text.Either(worst == theme.SignNone, th.Muted, th.SignStyle(worst)).Render(states)
	}
	return []kit.Cell{
		{Text: found(f.Name, name, named, th.Match, style) + style.Render(slash), Styled: searching},
		{Text: second, Style: th.Muted},
		{Text: text.If(f.UpdatedAt != "", text.Age(rule.Updated(&f), m.o.Now())), Style: th.Muted},
		{Text: shown, Styled: searching},
	}
}

func found(name, shown, filter string, match, base lipgloss.Style) string {
	lower := strings.ToLower(name)
	if len(lower) != len(name) || text.Safe(name) != shown {
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

// tags lists the tags of a file that not all files have, then what extensions found.
func (m *Model) tags(f api.File) []string {
	found := rule.Mapped(f.AITags.Or(nil), func(t api.AITag) string { return t.Name })
	return edit.Replayed(edit.Replayed(nil, m.common, f.Tags.Or(nil)), m.common, found)
}

// note shows the tags of all files.
func (m *Model) note(th *theme.Theme) string {
	return text.If(len(m.common) > 0 && !m.query.open && m.shown.search.isNone(), th.Muted.Render("all tagged: "+text.Safe(strings.Join(m.common, ", "))))
}

// commonTags returns the tags that all files have, at least two of them.
func commonTags(files []api.File) []string {
	if len(files) < 2 {
		return nil
	}
	common := slices.Clone(files[0].Tags.Or(nil))
	for _, f := range files {
		tags := f.Tags.Or(nil)
		common = slices.DeleteFunc(common, func(tag string) bool { return !slices.Contains(tags, tag) })
	}
	return common
}

func (m *Model) empty() string {
	switch {
	case m.shown.at.IsZero(), m.folder() != m.shown.folder:
		return "Loading the folder…"
	case m.shown.err != nil:
		return page.Explain(m.shown.err) + " Press r to try again."
	case m.filtered() && m.busy:
		return "Loading more…"
	case m.filtered() && !m.shown.done:
		return "No match in the first " + text.Plural(m.shown.len(), "row") + ". Press f to search the whole library, or esc to clear the filter."
	case m.query.open:
		return text.If(m.query.wrong == nil, "Nothing matches. Words find the beginnings of names, tags and texts; an empty line shows what else you can search for.")
	case !m.shown.search.isNone():
		return "No name, tag or text matches “" + m.shown.search.text + "”. Press f to change the search, or esc to go back to the folder."
	case m.filtered():
		return "No matches in names or tags. Press esc to clear the filter."
	case m.shown.seen:
		return "No uploads to this folder from this computer yet. Press " + page.Picker.Key + " to choose files to upload."
	}
	return "This folder is empty. Press " + page.Picker.Key + " to choose files to upload."
}

func (m *Model) above(size image.Point, th *theme.Theme) []string {
	var lines []string
	width := size.X
	if line := m.query.field; m.query.open || !m.shown.search.isNone() {
		if !m.query.open {
			line = kit.Field{Label: line.Label}
			line.SetValue(m.shown.search.text)
		}
		lines = append(lines, " "+line.View(max(0, width-2), th))
		if m.query.open && m.query.wrong != nil {
			for _, line := range text.Wrap(th.Glyph(theme.SignBad)+" "+text.Safe(page.Explain(m.query.wrong)), width-2) {
				lines = append(lines, " "+th.Bad.Render(line))
			}
		} else if offers := line.ViewOffers(width-2, th); offers != "" {
			lines = append(lines, " "+offers)
		} else if size.Y > 24 { // the place of completions
			lines = append(lines, "")
		}
	}
	note := func(sign theme.Sign, words string) {
		words = text.Truncate(text.Safe(words), width-3)
		lines = append(lines, " "+th.Sign(sign)+" "+th.SignStyle(sign).Render(words))
	}
	if m.manage.Busy() != "" {
		note(theme.SignBusy, m.manage.Progress()+" esc stops.")
	}
	switch {
	case m.shown.err != nil && m.list.Len() > 0:
		note(theme.SignBad, "Not up to date: "+page.Explain(m.shown.err))
	case m.shown.seen && m.shown.err == nil:
		note(theme.SignInfo, "This service does not list files. Showing those known to this computer. ("+m.shown.refusal.Error()+")")
	case m.stale && m.shown.len() > maxAgain:
		note(theme.SignInfo, "The folder has changed. Press r to refresh.")
	}
	return lines
}

// states describes the states of a file, with the sign of the most severe.
func (m *Model) states(f api.File) (string, theme.Sign) {
	var words []string
	sign := theme.SignNone
	pending, failed := false, false
	for _, status := range f.ExtensionStatus {
		pending, failed = pending || status == api.StatusPending, failed || status == api.StatusFailed
	}
	if !f.CustomCoordinates.IsZero() && !f.CustomCoordinates.IsNull() {
		words = append(words, "region")
	}
	if f.IsPrivateFile.Or(false) {
		words = append(words, "private")
	}
	if pending {
		words, sign = append([]string{"pending"}, words...), theme.SignBusy
	}
	if failed {
		words, sign = append([]string{"failed"}, words...), theme.SignBad
	}
	return strings.Join(words, " "), sign
}

func (m *Model) matches(f api.File, words []string) bool {
	texts := append([]string{f.Name}, f.Tags.Or(nil)...)
	for _, t := range f.AITags.Or(nil) {
		texts = append(texts, t.Name)
	}
	return text.HasAll(words, texts...)
}

func (m *Model) filtered() bool { return m.list.Filter() != "" }
