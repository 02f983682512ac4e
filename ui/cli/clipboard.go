package cli

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/api"
	"mediadesk/ui/text"
)

// copyForms are the forms in which addresses of files are copied.
var copyForms = map[string]func(*api.File) string{
	"url":      func(f *api.File) string { return f.URL },
	"markdown": (*api.File).Markdown,
	"html":     (*api.File).HTML,
}

// copy puts the addresses of the files that are stored on the clipboard of the
// terminal, in a form of copyForms; an empty form: it does nothing.
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
		o.p.note(o.f, "Nothing was copied: nothing that was stored has an address.")
		return
	}
	var to io.Writer
	switch {
	case o.p.TerminalErr:
		to = o.p.Stderr
	case o.p.TerminalOut:
		to = o.p.Stdout
	default:
		o.p.note(o.f, "Nothing was copied: there is no terminal, whose clipboard --copy uses.")
		return
	}
	_, _ = io.WriteString(to, ansi.SetSystemClipboard(strings.Join(lines, "\n"))) // no terminal says whether it took it
	o.p.note(o.f, "Copied %s to the clipboard.", text.Plural(len(lines), "link"))
}
