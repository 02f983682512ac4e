package library

import "mediadesk/api/session"

// Commands list what is shown: the folder, or what the search finds; with files
// marked they fetch those.
func (m *Model) Commands() [][]string {
	switch {
	case len(m.marks.files) > 0:
		var ids []string
		for _, f := range m.marks.files {
			ids = append(ids, f.FileID)
		}
		return [][]string{session.Command("download", ids, "--to="+m.o.Downloads)}
	case !m.shown.search.isNone():
		return [][]string{{"list", "--search=" + m.shown.search.query()}}
	case m.shown.folder == "":
		return [][]string{{"list", "/"}}
	}
	return [][]string{session.Command("list", []string{m.shown.folder})}
}
