package upload

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// showRequest shows the upload request of the current source.
func (m *Model) showRequest() tea.Cmd {
	m.Form.Blur()
	s, _ := m.Current()
	u := s.upload()
	job.ApplyNaming(&u, s.Naming)
	request, err := m.o.Session.DescribeUpload(&u)
	return m.Open(newRequest(m, s, request, err))
}

func newRequest(m *Model, s *source, request api.Request, err error) *kit.Reader {
	const group = "Request"
	words := ""
	if err != nil {
		words = err.Error()
	} else {
		words = describeRequest(request, m.requestNotes(s))
	}
	r := kit.NewReader("The request for "+s.Source.Name(), words)
	r.Beside = []kit.Action{
		{ID: "form.copy-curl", Keys: kit.Bind("copy as curl", "", "y"), Group: group, Footer: true, Disabled: func() string {
			return text.If(err != nil, "there is no request")
		}, Do: func() tea.Cmd { return page.Send(page.Copy{What: "curl line", Text: request.Curl()}) }},
		{ID: "form.write-manifest", Keys: kit.Bind("write all files as a manifest", "", "w"), Group: group, Footer: true, Do: m.writeManifest},
	}
	return r
}

// requestNotes describes how the actual request will differ and why the service would refuse it.
func (m *Model) requestNotes(s *source) []string {
	var notes []string
	if s.Naming == job.NameHere {
		notes = append(notes, "The suffix in the name is new each time; sending makes another one.")
	}
	if s.Webhook(m.o.Profile.Receiver) {
		notes = append(notes, "Sending adds webhookUrl: an address of our receiver, for this upload alone.")
	}
	for _, c := range m.decision(s).checks {
		if c.stop {
			notes = append(notes, "The service would refuse it: "+c.text)
		}
	}
	return notes
}

// describeRequest describes a request.
func describeRequest(request api.Request, notes []string) string {
	parts := slices.Clone(request.Parts)
	if request.File != "" {
		parts = append(parts, api.Part{Name: "file", Value: "the content of " + request.File})
	}
	column := 0
	for _, p := range parts {
		column = max(column, text.Width(p.Name))
	}
	lines := []string{request.Method + " " + request.Address, "The key goes into the Authorization header and is not shown.", ""}
	for _, p := range parts {
		name := p.Name
		for line := range strings.SplitSeq(p.Value, "\n") {
			lines = append(lines, text.PadRight(name, column)+"  "+line)
			name = ""
		}
	}
	if len(notes) > 0 {
		lines = append(append(lines, ""), notes...)
	}
	return strings.Join(append(lines, "", "As a command line, the key in $"+api.KeyVariable+":", request.Curl()), "\n")
}

// Commands returns the commands that upload the sources. Sources with the same options share a
// command.
func (m *Model) Commands() [][]string {
	commands := make([][]string, len(m.Items))
	for i, s := range m.Items {
		commands[i] = session.UploadArgs(&s.Entry, m.o.Profile)
	}
	return session.Together(commands)
}
