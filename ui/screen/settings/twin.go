package settings

// Commands shows the profile under the cursor.
func (m *Model) Commands() [][]string {
	if name := m.selected().Name; name != "" {
		return [][]string{{"profile", "show", name}}
	}
	return [][]string{{"profile", "list"}}
}
