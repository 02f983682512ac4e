package settings

// Commands returns the command that shows the selected profile.
func (m *Model) Commands() [][]string {
	if name := m.selected().Name; name != "" {
		return [][]string{{"profile", "show", name}}
	}
	return [][]string{{"profile", "list"}}
}
