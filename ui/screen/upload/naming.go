package upload

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/page"
)

// firstMinute is the least age of a local file that causes the naming question, because new users often send the same file
// twice.
const firstMinute = time.Minute

// conflict returns the first source whose name is taken, or nil. It is nil if the user has already chosen a naming.
func (m *Model) conflict() *source {
	if !m.o.Profile.AskNaming {
		return nil
	}
	for _, s := range m.sources {
		f := s.namesake()
		if f != nil && s.naming() == api.NameHere && (!m.o.Profile.Local || m.o.Now().Sub(f.Created()) >= firstMinute) {
			return s
		}
	}
	return nil
}

// askNaming asks how to name files.
func (m *Model) askNaming(s *source) tea.Cmd {
	return page.Send(page.Ask{
		Title: "How do you want to name files in " + m.o.Profile.Name + "?",
		Text: s.folder() + " has a file named " + s.entry.FileName + " already.\n" +
			"A unique suffix keeps both. With exact names mediadesk asks each time before it replaces a file.\n" +
			"The answer is kept for this account. You can change it in Settings.",
		Choices: []page.Choice{
			{Label: "Not yet", Key: "n"},
			{Label: "Add a unique suffix", Key: "u", Default: true, Do: func() tea.Cmd { return m.name(api.NameHere) }},
			{Label: "Exact names", Key: "e", Do: func() tea.Cmd { return m.name(api.NameExact) }},
		},
	})
}

// name saves the answer to askNaming and continues sending. Exact names return to the form, because they need a lookup.
func (m *Model) name(naming api.Naming) tea.Cmd {
	m.o.Profile.Naming, m.o.Profile.AskNaming = naming, false
	keep := m.o.Session.KeepNaming
	kept := func() tea.Msg {
		if err := keep(naming); err != nil {
			return page.Problem(err)
		}
		return nil
	}
	if naming == api.NameHere {
		return tea.Batch(kept, m.send())
	}
	for _, s := range m.sources {
		if s.naming() == api.NameHere {
			m.set(s, fieldNaming, string(naming))
		}
	}
	m.load()
	return tea.Batch(kept, page.Send(page.Toast{Level: page.Info, Text: "Files are sent under their exact names. Press ctrl+s to send."}))
}
