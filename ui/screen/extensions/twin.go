package extensions

import "mediadesk/api/session"

// Commands returns the command that watches the current run's file, or all pending runs.
func (m *Model) Commands() [][]string {
	if r, ok := m.current(); ok {
		return [][]string{session.Command("watch", []string{r.FileID})}
	}
	return [][]string{{"watch"}}
}
