package upload

import "mediadesk/api/session"

// Commands send the sources as the form has them: one command for those that
// differ in nothing else.
func (m *Model) Commands() [][]string {
	commands := make([][]string, len(m.sources))
	for i, s := range m.sources {
		commands[i] = session.UploadArgs(&s.entry, m.o.Profile)
	}
	return session.Together(commands)
}
