package onboarding

import (
	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
	"mediadesk/ui/page"
)

// Init looks up which profile could not be opened.
func (m *Model) Init() tea.Cmd {
	if m.o.Problem == nil {
		return nil
	}
	paths, name := m.o.Paths, m.profile.Name
	named := func(p config.Profile, unnamed bool) tea.Msg {
		return page.Do(func() {
			m.profile, m.unnamed = p, unnamed
			m.offer()
		})
	}
	return func() tea.Msg {
		c, err := config.Load(paths)
		if err != nil {
			// The screen already shows this problem or a worse one.
			return nil
		}
		if name == "" {
			if p, err := c.Find(c.Profile); err == nil {
				return named(p, false)
			}
			return nil
		}
		p, known := c.Profiles[name]
		p.Name = name
		return named(p, !known)
	}
}
