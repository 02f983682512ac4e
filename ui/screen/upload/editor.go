package upload

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// editedMsg carries the option text from the editor.
type editedMsg struct {
	edit.Edited
	sources []*source
}

// openEditor opens the options of the targets, or the text with errors, in the editor.
func (m *Model) openEditor() tea.Cmd {
	m.adopt()
	sources, text := m.textOf, m.text
	if text == "" {
		sources = m.targets()
		text = writeOptions(sources)
	}
	return edit.InEditor(m.o.Getenv, text, func(e edit.Edited) tea.Msg { return editedMsg{e, sources} })
}

// edited applies the edited text or shows its errors.
func (m *Model) edited(msg editedMsg) tea.Cmd {
	if m.text != "" {
		msg.Before = "" // unchanged, it still has its errors
	}
	if cmd, ok := msg.Unchanged(); ok {
		return cmd
	}
	if strings.TrimSpace(msg.Text) == "" {
		return page.Send(page.Toast{Level: page.Info, Text: "The text was empty, so nothing was changed."})
	}
	texts, wrong, hard := readOptions(msg.Text, msg.sources)
	if len(wrong) > 0 {
		m.text, m.textOf = withErrors(msg.Text, wrong), msg.sources
		m.note()
		slices.SortStableFunc(wrong, func(a, b lineError) int { return a.line - b.line })
		return m.askText(wrong, msg.sources, texts, hard)
	}
	return m.acceptText(msg.sources, texts)
}

// acceptText applies edited texts to the sources that are still in the form.
func (m *Model) acceptText(sources []*source, all []optionTexts) tea.Cmd {
	m.text, m.textOf = "", nil
	m.note()
	n := 0
	for i, s := range sources {
		if slices.Contains(m.sources, s) && m.setTexts(s, all[i]) {
			n++
		}
	}
	m.load()
	m.setFocus(m.focus)
	return page.Send(page.Toast{Level: page.Good, Text: "Changed the options of " + text.Plural(n, "file") + " in the editor."})
}

// setTexts sets the upload fields whose text differs and reports whether there were any.
func (m *Model) setTexts(s *source, texts optionTexts) (changed bool) {
	for _, f := range api.UploadFields {
		text := texts[f]
		if text == editText(f, s) || f.Key == string(fieldNaming) && text == "" {
			continue
		}
		changed = true
		if f.Kind == api.KindMetadata || f.SetText(&s.entry, text) != nil {
			s.set(m.items, m.item(field(f.Key)), text)
		}
	}
	s.checked, s.failed = nil, nil
	return changed
}

// askText shows the errors of an edited text by line. If hard is true, the text cannot be accepted.
func (m *Model) askText(wrong []lineError, sources []*source, texts []optionTexts, hard bool) tea.Cmd {
	words := []string{"Nothing was changed yet. The text stays as it is until you correct it: the editor shows each error above its line.", ""}
	for _, e := range wrong {
		words = append(words, fmt.Sprintf("Line %d: %s", e.line, e.text))
	}
	choices := []page.Choice{
		{Label: "Back to the form", Key: "b"},
		{Label: "Edit again", Key: "e", Default: true, Do: m.openEditor},
	}
	if !hard {
		choices = append(choices, page.Choice{Label: "Use it as it is", Key: "t", Do: func() tea.Cmd { return m.acceptText(sources, texts) }})
	}
	return page.Send(page.Ask{
		Title: text.Plural(len(wrong), "error") + " in the edited text", Text: strings.Join(words, "\n"),
		Choices: append(choices, page.Choice{Label: "Discard the text", Key: "d", Danger: true, Do: func() tea.Cmd {
			m.text, m.textOf = "", nil
			m.note()
			return nil
		}}),
	})
}
