package onboarding

import (
	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
)

// named has the profile that could not be opened.
type named struct {
	profile config.Profile
	unnamed bool
}

// Init looks up which profile could not be opened.
func (m *Model) Init() tea.Cmd {
	if m.o.Problem == nil {
		return nil
	}
	paths, name := m.o.Paths, m.profile.Name
	return func() tea.Msg {
		c, err := config.Load(paths)
		if err != nil {
			// The screen already shows this problem or a worse one.
			return nil
		}
		if name == "" {
			if p, err := c.Find(c.Profile); err == nil {
				return named{profile: p}
			}
			return nil
		}
		p, known := c.Profiles[name]
		p.Name = name
		return named{profile: p, unnamed: !known}
	}
}
