package edit

import (
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/ui/page"
)

// Signer creates temporary public URLs of private files.
type Signer interface {
	Signed(f api.File, valid time.Duration) (string, error)
}

// signedFor is how long a signed URL is valid.
const signedFor = 24 * time.Hour

// Address returns the URL of a file, signed if it is private.
func Address(f api.File, s Signer) (string, error) {
	if f.IsPrivateFile.Or(false) && f.URL != "" {
		return s.Signed(f, signedFor)
	}
	return f.URL, nil
}

// Copies adds the copyable values of files, one per file.
func Copies(to *page.Copies, files []api.File, s Signer) {
	for _, row := range []struct {
		key, label string
		of         func(f *api.File) string
	}{
		{"u", "URL", func(f *api.File) string { return f.URL }},
		{"i", "ID", func(f *api.File) string { return f.FileID }},
		{"p", "path", func(f *api.File) string { return f.FilePath }},
		{"m", "Markdown", (*api.File).Markdown},
		{"t", "tags", func(f *api.File) string { return api.JoinTags(f.Tags.Or(nil)) }},
		{"x", "region", func(f *api.File) string { return f.CustomCoordinates.Or("") }},
		{"s", "signed URL, valid for a day", func(f *api.File) string {
			if address, err := s.Signed(*f, signedFor); err == nil && f.URL != "" {
				return address
			}
			return ""
		}},
		{"r", "record as JSON", func(f *api.File) string { return string(f.Raw) }},
	} {
		var lines []string
		for i := range files {
			if line := row.of(&files[i]); line != "" {
				lines = append(lines, line)
			}
		}
		to.Add(row.key, row.label, strings.Join(lines, "\n"))
	}
}
