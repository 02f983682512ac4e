package onboarding

import (
	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/page"
)

// openingLocal is shown while the local library opens.
const openingLocal = "Opening the local library…"

// open asks the root to open a profile and shows words meanwhile.
func (m *Model) open(words string, use page.UseProfile) tea.Cmd {
	m.busy = words
	return page.Send(use)
}

// begin writes the first settings, with the local library in use.
func (m *Model) begin() tea.Cmd {
	m.busy = openingLocal
	paths := m.o.Paths
	return func() tea.Msg {
		c, err := config.Load(paths)
		if err == nil {
			_, err = c.Use(config.LocalProfile)
		}
		if err != nil {
			return page.Do(func() { m.busy, m.problem = "", err })
		}
		return page.UseProfile{Name: config.LocalProfile}
	}
}

// connect asks for a new account.
func (m *Model) connect() tea.Cmd { return m.ask(account.Options{Mode: account.Add, Use: true}) }

// ask opens the account dialog.
func (m *Model) ask(o account.Options) tea.Cmd {
	o.Context, o.Paths, o.Keys, o.Done = m.o.Context, m.o.Paths, m.o.Keys, m.connected
	flow := account.New(o)
	m.Overlays().Open(flow)
	return flow.Init()
}

// connected opens the account from the dialog.
func (m *Model) connected(r account.Result) tea.Cmd {
	name := r.Name
	if m.unnamed && name == m.profile.Name {
		name = "" // as requested on the command line
	}
	open := m.open("Opening the account "+r.Name+"…", page.UseProfile{Name: name, Key: r.Key})
	if r.Notice != "" {
		open = tea.Batch(open, page.Send(page.Toast{Level: page.Info, Text: r.Notice}))
	}
	return open
}
