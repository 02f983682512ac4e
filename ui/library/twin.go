package library

// Command lists the folder that is shown.
func (m *Model) Command() []string {
	if m.shown.folder == "" {
		return []string{"list", "/"}
	}
	return []string{"list", m.shown.folder}
}
