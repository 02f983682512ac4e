package uploads

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// copied is one thing that can be copied: a text, or the request of a job,
// which is written when it is asked for.
type copied struct {
	key, what, text string
	job             *api.Job
}

// openMenu offers what can be copied of a job.
func (m *Model) openMenu() tea.Cmd {
	r, _ := m.current()
	copies := append(copiesOf(r.Job), copied{key: "c", what: "curl command", text: "the request, with the key as a variable", job: r.Job})
	rows := make([]kit.MenuRow, len(copies))
	for i, c := range copies {
		rows[i] = kit.MenuRow{Key: c.key, Label: c.what, Note: strings.ReplaceAll(c.text, "\n", " "), Do: func() tea.Cmd { return m.copy(c) }}
	}
	m.Overlays().Open(kit.NewMenu("Copy", rows...))
	return nil
}

// copiesOf is what can be copied of a job without work.
func copiesOf(job *api.Job) []copied {
	var out []copied
	add := func(key, what, text string) {
		if text != "" {
			out = append(out, copied{key: key, what: what, text: text})
		}
	}
	if f := job.File; f != nil {
		add("u", "URL", f.URL)
		add("i", "file id", f.FileID)
	}
	add("p", "path", place(job))
	if f := job.File; f != nil && f.URL != "" {
		add("m", "Markdown", markdown(f))
	}
	add("s", "source", job.Upload.Source.String())
	if f := job.Failure; f != nil {
		add("e", "error", strings.TrimSpace(failure(f)+"\n"+f.Help))
		add("r", "request id", f.RequestID)
	}
	return out
}

// markdown is a link to a file, or the picture itself.
func markdown(f *api.File) string {
	text := strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "\n", " ", "\r", " ").Replace(f.Name)
	address := strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E", "\n", "", "\r", "").Replace(f.URL)
	link := "[" + text + "](" + address + ")"
	if f.IsImage() {
		return "!" + link
	}
	return link
}

// copy copies what was taken from the menu.
func (m *Model) copy(c copied) tea.Cmd {
	if c.job == nil {
		return page.Send(page.Copy{What: c.what, Text: c.text})
	}
	s := m.o.Session
	return func() tea.Msg {
		text, err := s.Curl(*c.job)
		if err != nil {
			return page.Problem(err)
		}
		return page.Copy{What: c.what, Text: text}
	}
}
