package picker

import "mediadesk/api/session"

// Commands send what is in the tray, or the file under the cursor.
func (m *Model) Commands() [][]string {
	args := []string{"upload"}
	for _, i := range m.tray.items {
		args = append(args, session.SourceArg(i.source))
	}
	if len(args) == 1 {
		if e, ok := m.current(); ok {
			args = append(args, m.path(e))
		}
	}
	return [][]string{args}
}
