package edit

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Signer makes a URL at which anybody can fetch a private file for so long.
type Signer interface {
	Signed(f api.File, valid time.Duration) (string, error)
}

// signedFor is how long a signed URL is valid.
const signedFor = 24 * time.Hour

// Address is where a file can be fetched: a signed URL if it is private.
func Address(f api.File, s Signer) (string, error) {
	if f.IsPrivateFile.Or(false) && f.URL != "" {
		return s.Signed(f, signedFor)
	}
	return f.URL, nil
}

// CopyRow is a text of a file that can be copied; empty: it has none.
type CopyRow struct {
	Key, Label string
	Of         func(f api.File) string
}

// CopyMenu is a menu of what can be copied of files, one line for each. The rows of
// first stand before those of every file.
func CopyMenu(files []api.File, s Signer, first ...CopyRow) *kit.Menu {
	var rows []kit.MenuRow
	for _, c := range append(first,
		CopyRow{"u", "URL", func(f api.File) string { return f.URL }},
		CopyRow{"i", "ID", func(f api.File) string { return f.FileID }},
		CopyRow{"p", "path", func(f api.File) string { return f.FilePath }},
		CopyRow{"m", "Markdown", markdown},
		CopyRow{"t", "tags", func(f api.File) string { return api.JoinTags(f.Tags.Or(nil)) }},
		CopyRow{"x", "region", func(f api.File) string { return f.CustomCoordinates.Or("") }},
		CopyRow{"s", "signed URL, valid for a day", func(f api.File) string {
			if address, err := s.Signed(f, signedFor); err == nil && f.URL != "" {
				return address
			}
			return ""
		}},
		CopyRow{"r", "record as JSON", func(f api.File) string { return string(f.Raw) }},
	) {
		var lines []string
		for _, f := range files {
			if line := c.Of(f); line != "" {
				lines = append(lines, line)
			}
		}
		if len(lines) == 0 {
			continue
		}
		note := lines[0]
		if len(lines) > 1 {
			note = text.Plural(len(lines), "line")
		}
		copied := page.Copy{What: c.Label, Text: strings.Join(lines, "\n")}
		rows = append(rows, kit.MenuRow{Key: c.Key, Label: c.Label, Note: note, Do: func() tea.Cmd { return page.Send(copied) }})
	}
	title := "Copy"
	if len(files) > 1 {
		title += " from " + text.Plural(len(files), "file")
	}
	return kit.NewMenu(title, rows...)
}

// markdown is a link to the file, shown if it is an image.
func markdown(f api.File) string {
	if f.URL == "" {
		return ""
	}
	name := strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "\n", " ").Replace(f.Name)
	link := "[" + name + "](<" + strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "%0A").Replace(f.URL) + ">)"
	if f.IsImage() {
		return "!" + link
	}
	return link
}
