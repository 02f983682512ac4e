package uploads

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/page"
)

// openMenu lists what can be copied from a job.
func (m *Model) openMenu() tea.Cmd {
	r, _ := m.current()
	copies, job, s := copiesOf(r.Job), *r.Job, m.o.Session
	copies.AddCommand("c", "curl command", "the request, with the key as a variable", func() tea.Msg {
		text, err := s.Curl(job)
		if err != nil {
			return page.Problem(err)
		}
		return page.Copy{What: "curl command", Text: text}
	})
	m.Overlays().Open(copies.Menu())
	return nil
}

// copiesOf returns the values of a job that can be copied at once.
func copiesOf(job *api.Job) (copies page.Copies) {
	file := cmp.Or(job.File, &api.File{})
	copies.Add("u", "URL", file.URL)
	copies.Add("i", "file id", file.FileID)
	copies.Add("p", "path", target(job))
	copies.Add("m", "Markdown", file.Markdown())
	copies.Add("s", "source", job.Upload.Source.String())
	if f := job.Failure; f != nil {
		copies.Add("e", "error", strings.TrimSpace(failure(f)+"\n"+f.Help))
		copies.Add("r", "request id", f.RequestID)
	}
	return copies
}
