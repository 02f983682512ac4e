package library

// Commands list what is shown: the folder, or what the search finds; with files
// marked they fetch those.
func (m *Model) Commands() [][]string {
	switch {
	case len(m.marks.files) > 0:
		args := []string{"download"}
		for _, f := range m.marks.files {
			args = append(args, f.FileID)
		}
		return [][]string{append(args, "--to="+m.o.Downloads)}
	case !m.shown.search.isNone():
		return [][]string{{"list", "--search=" + m.shown.search.query()}}
	case m.shown.folder == "":
		return [][]string{{"list", "/"}}
	}
	return [][]string{{"list", m.shown.folder}}
}
