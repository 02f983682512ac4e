package details

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/edit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// editedMsg has the text from the editor.
type editedMsg struct{ edit.Edited }

// openEditor opens the user's editor with the IDs, tags and regions of all files, or with the text
// that had errors.
func (m *Model) openEditor() tea.Cmd {
	m.editing = true
	return edit.InEditor(m.o.Getenv, m.editorText(), func(e edit.Edited) tea.Msg { return editedMsg{e} })
}

func (m *Model) editorText() string {
	return cmp.Or(m.text, writeText(m.entries))
}

// edited drafts the changes in an edited text, or shows its errors.
func (m *Model) edited(msg editedMsg) tea.Cmd {
	if !m.editing {
		return nil // for another screen
	}
	m.editing = false
	if m.text != "" {
		msg.Before = "" // unchanged, it still has its errors
	}
	if cmd, ok := msg.Unchanged(); ok {
		return cmd
	}
	lines, wrong := readText(msg.Text, m.entries)
	if len(wrong) > 0 {
		m.text = msg.Text
		var words []string
		for _, w := range wrong {
			words = append(words, text.Capital(w.String()))
		}
		return page.Send(page.Ask{
			Title: text.Plural(len(wrong), "error") + " in the text; nothing was changed",
			Text:  strings.Join(words, "\n"),
			Choices: []page.Choice{
				{Label: "Edit again", Key: "e", Do: m.openEditor},
				{Label: "Discard the text", Key: "d", Danger: true, Do: func() tea.Cmd { m.text = ""; return nil }},
			},
		})
	}
	m.text = ""
	wanted := map[*entry]wantedLine{}
	for _, w := range lines {
		wanted[w.entry] = w
	}
	return m.changeAll("From the editor", func(e *entry) {
		if w, ok := wanted[e]; ok {
			w.apply()
		}
	})
}
