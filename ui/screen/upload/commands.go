package upload

import "mediadesk/api/session"

// Commands returns the commands that upload the sources. Sources with the same options share a command.
func (m *Model) Commands() [][]string {
	commands := make([][]string, len(m.sources))
	for i, s := range m.sources {
		commands[i] = session.UploadArgs(&s.entry, m.o.Profile)
	}
	return session.Together(commands)
}
