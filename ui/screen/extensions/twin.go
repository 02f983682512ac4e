package extensions

// Commands watches the file of the run under the cursor, or all that is pending.
func (m *Model) Commands() [][]string {
	if r, ok := m.current(); ok {
		return [][]string{{"watch", r.FileID}}
	}
	return [][]string{{"watch"}}
}
