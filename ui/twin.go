package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// equivalents returns the commands that do what the front screen does, or nil.
func (m *Model) equivalents() [][]string {
	s, ok := m.host.InFront().(page.Commander)
	if !ok || m.session == nil {
		return nil
	}
	commands := s.Commands()
	for i, args := range commands {
		switch {
		case len(args) == 0 || args[0] == "profile":
		case config.CheckProfileName(m.session.Profile.Name) != nil: // addresses from the command line
			commands[i] = session.WithFlags(args, m.o.Addresses...)
		default:
			commands[i] = session.WithFlags(args, "--profile="+m.session.Profile.Name)
		}
	}
	return commands
}

// noCommand returns why there is no command to copy, or "".
func (m *Model) noCommand() string {
	return text.If(m.equivalents() == nil, "no equivalent command here")
}

// copyCommand copies the equivalent commands of the front screen, one per line.
func (m *Model) copyCommand() tea.Cmd {
	commands := m.equivalents()
	if commands == nil {
		return page.Send(page.Toast{Level: page.Info, Text: "Nothing was copied: " + m.noCommand() + "."})
	}
	lines := make([]string, len(commands))
	for i, args := range commands {
		lines[i] = session.CommandLine(args)
	}
	what := "command"
	if len(lines) > 1 {
		what = text.Count(len(lines)) + " commands"
	}
	return page.Send(page.Copy{What: what, Text: strings.Join(lines, "\n")})
}
