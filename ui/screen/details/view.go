package details

import (
	"image"
	"path"
	"strings"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

func (m *Model) View(size image.Point, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	if len(m.Items) == 0 {
		return text.Fit(kit.Paragraph("No file is open. Press esc to go back.", size.X, th.Muted), size.X, size.Y)
	}
	title := "Edit " + m.current().file.Name + " in " + path.Dir(m.current().file.FilePath)
	if n := len(m.Targets()); n > 1 {
		title = "Edit " + text.Plural(n, "file")
	}
	return text.Fit(m.Editor.View(size, title, "", th), size.X, size.Y)
}

// shownFacts are the facts that need no label.
func (m *Model) shownFacts(e *prepared) []string {
	f, version := &e.file, ""
	if f.VersionInfo != nil {
		version = strings.ToLower(f.VersionInfo.Name)
	}
	return edit.FactsOf(f, edit.Uploaded(f, m.now()), version, text.If(f.IsPrivateFile.Or(false), "private"))
}

func (m *Model) tile(e *prepared) edit.Tile {
	t := edit.Tile{Name: e.file.Name, Words: kindLabel(&e.file)}
	if e.file.IsImage() {
		t.Picture = edit.ThumbOf(e.file, m.o.Session.Thumb)
	}
	return t
}

// Status returns running work, failures and unsaved changes.
func (m *Model) Status(size image.Point, th *theme.Theme) []string {
	if len(m.Items) == 0 {
		return nil
	}
	e := m.current()
	switch {
	case m.manage.Busy() != "":
		return withSign(theme.SignBusy, m.manage.Progress()+" esc stops.", size.X, 1, th)
	case e.problem != nil:
		words := m.because("Not saved", e, e.problem)
		return withSign(theme.SignBad, words, size.X, min(max(1, size.Y/4), 3), th)
	case m.gone(e):
		return withSign(theme.SignBad, m.named(e, "")+"This file no longer exists. This is its last known state.", size.X, 2, th)
	}
	if d, err := e.change(); err != nil || !d.IsEmpty() {
		words := m.named(e, "Not saved: "+strings.Join(edit.Describe(e.Saved.Values(), e.Changes()), "; "))
		if err != nil {
			words = m.because("Cannot be saved yet", e, err)
		}
		if list := m.changedEntries(); len(list) > 1 && err == nil {
			changes := summary(list)
			if words = "Not saved: " + strings.Join(changes, "; "); len(changes) > 2 {
				words = "Not saved: changes in " + text.Plural(len(list), "file")
			}
		}
		return withSign(theme.SignChanged, words, size.X, 1, th)
	}
	switch n := len(m.changedEntries()); {
	case e.readErr != nil && api.Unavailable(e.readErr):
		return withSign(theme.SignNone, m.named(e, "Last known state: this service does not return records."), size.X, 1, th)
	case e.readErr != nil:
		return withSign(theme.SignWarn, m.named(e, "Last known state. Reading it again failed: ")+page.Explain(e.readErr), size.X, 2, th)
	case n > 0:
		return withSign(theme.SignNone, "Unsaved changes in "+text.Plural(n, "other file")+".", size.X, 1, th)
	}
	return nil
}

// because says why something is so of a file, unless the row of the region does.
func (m *Model) because(words string, e *prepared, err error) string {
	if r := m.Form.Row(rowRegion); r != nil && r.Problem != nil && r.Problem() != "" {
		return words + "."
	}
	return m.named(e, words+": "+page.Explain(err))
}

func (m *Model) named(e *prepared, words string) string {
	if len(m.Items) < 2 {
		return words
	}
	return text.ShortName(edit.Label(&e.file), 28) + ": " + words
}

// withSign returns at most most lines of a text with a sign. The text is made safe.
func withSign(sign theme.Sign, words string, width, most int, th *theme.Theme) []string {
	lines := text.Wrap(text.Safe(words), max(1, width-4))
	if len(lines) > most {
		rest := strings.Join(lines[most-1:], " ")
		lines = append(lines[:most-1], text.Truncate(rest, max(1, width-4)))
	}
	style := text.Either(sign == theme.SignNone, th.Muted, th.SignStyle(sign))
	for i, line := range lines {
		lead := " " + text.If(sign != theme.SignNone, text.Either(i == 0, th.Sign(sign)+" ", "  "))
		lines[i] = lead + style.Render(line)
	}
	return lines
}
