package ui

import (
	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
	"mediadesk/ui/page"
)

// twin is what the screen in front does, as a command; nil where it has none
// now.
func (m *Model) twin() []string {
	s, ok := m.screens[m.front].(page.Twin)
	if !ok || m.desk == nil {
		return nil
	}
	args := s.Command()
	if len(args) == 0 || args[0] == "profile" {
		return args
	}
	if config.CheckProfileName(m.desk.Profile.Name) != nil { // addresses of the command line
		return append(args, m.o.Addresses...)
	}
	return append(args, "--profile="+m.desk.Profile.Name)
}

// whyNoTwin says why there is no command to copy; empty: there is one.
func (m *Model) whyNoTwin() string {
	if m.twin() == nil {
		return "there is nothing here to do by a command"
	}
	return ""
}

// copyTwin copies the command twin of the screen in front.
func (m *Model) copyTwin() tea.Cmd {
	args := m.twin()
	if args == nil {
		return page.Send(page.Toast{Level: page.Info, Text: "Nothing was copied: " + m.whyNoTwin() + "."})
	}
	return page.Send(page.Copy{What: "command", Text: page.CommandLine(args)})
}
