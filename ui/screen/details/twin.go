package details

import (
	"mediadesk/api"
	"mediadesk/api/session"
)

// Commands make the changes that are drafted; without one they show the record.
func (m *Model) Commands() [][]string {
	var commands [][]string
	for _, e := range m.entries {
		change, err := e.change()
		if err != nil {
			return nil // what is typed cannot be read yet
		}
		if !change.IsEmpty() {
			commands = append(commands, session.DetailsArgs([]string{e.file.FileID}, change))
		}
	}
	if e := m.current(); e != nil && commands == nil {
		commands = [][]string{session.DetailsArgs([]string{e.file.FileID}, api.Details{})}
	}
	return commands
}
