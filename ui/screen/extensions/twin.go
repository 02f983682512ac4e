package extensions

import "mediadesk/api/session"

// Commands watches the file of the run under the cursor, or all that is pending.
func (m *Model) Commands() [][]string {
	if r, ok := m.current(); ok {
		return [][]string{session.Command("watch", []string{r.FileID})}
	}
	return [][]string{{"watch"}}
}
