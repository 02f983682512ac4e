package details

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// copyMenu offers what can be copied of the file.
func (m *Model) copyMenu() tea.Cmd {
	f := &m.current().file
	var rows []kit.MenuRow
	add := func(key, label, text string) {
		if text != "" {
			rows = append(rows, kit.MenuRow{Key: key, Label: label, Note: text, Do: func() tea.Cmd {
				return page.Send(page.Copy{What: label, Text: text})
			}})
		}
	}
	if m.area == onRecord && len(m.rows) > 0 {
		r := m.rows[m.record.Cursor()]
		add("f", "this field: "+r.label, r.value)
	}
	add("u", "URL", f.URL)
	add("i", "id", f.FileID)
	add("p", "path", f.FilePath)
	add("m", "Markdown", markdown(f))
	add("t", "tags", api.JoinTags(f.Tags.Or(nil)))
	add("x", "region", f.CustomCoordinates.Or(""))
	add("r", "record as JSON", string(f.Raw))
	return m.Open(kit.NewMenu("Copy", rows...))
}

// markdown is a link to the file, shown where it is an image.
func markdown(f *api.File) string {
	if f.URL == "" {
		return ""
	}
	label := strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "\n", " ").Replace(f.Name)
	link := "[" + label + "](<" + strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "%0A").Replace(f.URL) + ">)"
	if f.IsImage() {
		return "!" + link
	}
	return link
}
