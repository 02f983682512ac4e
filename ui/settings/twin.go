package settings

// Command shows the profile under the cursor.
func (m *Model) Command() []string {
	if name := m.selected().Name; name != "" {
		return []string{"profile", "show", name}
	}
	return []string{"profile", "list"}
}
