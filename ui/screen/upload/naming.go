package upload

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/page"
)

// namingKept tells whether the answer to askNaming is in the settings.
type namingKept struct{ err error }

// firstMinute is how old a file of the local library is before its name is a reason to
// ask: somebody who tries the program sends the same file twice.
const firstMinute = time.Minute

// conflict is the first source whose name a file in its folder has, where the user was
// never asked how files are named; nil where there is nothing to ask.
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

// askNaming asks how files are named, and keeps the answer for the profile.
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

// name takes the answer to askNaming, keeps it, and goes on with sending. Exact names are
// looked up first, so they go back to the form.
func (m *Model) name(naming api.Naming) tea.Cmd {
	m.o.Profile.Naming, m.o.Profile.AskNaming = naming, false
	keep := m.o.Session.KeepNaming
	kept := func() tea.Msg { return namingKept{keep(naming)} }
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
