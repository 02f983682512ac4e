package cli

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/api"
	"mediadesk/ui/text"
)

// copyForms are the formats for copying addresses.
var copyForms = map[string]func(*api.File) string{
	"url":      func(f *api.File) string { return f.URL },
	"markdown": (*api.File).Markdown,
	"html":     (*api.File).HTML,
}

// copy copies the addresses of stored files to the terminal's clipboard in a format of copyForms.
// An empty form does nothing.
func (o *uploadOutput) copy(form string) {
	if form == "" {
		return
	}
	var lines []string
	for _, f := range o.files {
		if line := copyForms[form](f); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		o.p.note(o.f, "Nothing was copied: no stored file has an address.")
		return
	}
	var to io.Writer
	switch {
	case o.p.TerminalErr:
		to = o.p.Stderr
	case o.p.TerminalOut:
		to = o.p.Stdout
	default:
		o.p.note(o.f, "Nothing was copied: --copy needs a terminal.")
		return
	}
	_, _ = io.WriteString(to, ansi.SetSystemClipboard(strings.Join(lines, "\n"))) // terminals do not confirm it
	o.p.note(o.f, "Copied %s to the clipboard.", text.Plural(len(lines), "link"))
}
