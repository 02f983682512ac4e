package upload

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// showRequest shows the upload of the current source as it would go out.
func (m *Model) showRequest() tea.Cmd {
	m.leave()
	s := m.current()
	u := s.upload()
	api.ApplyNaming(&u, s.naming())
	request, err := m.o.Session.DescribeUpload(&u)
	m.cover(newRequest(m, s, request, err))
	return nil
}

func newRequest(m *Model, s *source, request api.Request, err error) *textView {
	const group = "Request"
	notes := m.requestNotes(s)
	v := &textView{overlay: overlay{m: m}, title: "The request for " + text.Safe(s.entry.Source.Name())}
	v.lines = func(width int, th *theme.Theme) []string {
		if err != nil {
			return wrapStyled(err.Error(), width, th.Bad)
		}
		return requestLines(request, notes, width, th)
	}
	v.actions = []kit.Action{
		{ID: "form.copy-curl", Keys: kit.Bind("copy as curl", "", "y"), Group: group, Footer: true, Disabled: func() string {
			if err != nil {
				return "there is no request"
			}
			return ""
		}, Do: func() tea.Cmd { return page.Send(page.Copy{What: "curl line", Text: request.Curl()}) }},
		{ID: "form.write-manifest", Keys: kit.Bind("write all files as a manifest", "", "w"), Group: group, Footer: true, Do: m.writeManifest},
		v.back(group, "esc", "ctrl+r"),
	}
	return v
}

// requestNotes say in what the request that is sent will differ, and why it would
// be refused.
func (m *Model) requestNotes(s *source) []string {
	var notes []string
	if s.naming() == api.NameHere {
		notes = append(notes, "The suffix in the name is new each time; sending makes another one.")
	}
	if s.entry.Webhook(m.o.Profile.Receiver) {
		notes = append(notes, "Sending adds webhookUrl: an address of our receiver, for this upload alone.")
	}
	for _, c := range m.verdict(s).checks {
		if c.level == stop {
			notes = append(notes, "The service would refuse it: "+c.text)
		}
	}
	return notes
}

// requestLines are a request in words, no wider than width.
func requestLines(request api.Request, notes []string, width int, th *theme.Theme) []string {
	out := wrapStyled(request.Method+" "+request.Address, width, th.Strong)
	out = append(out, wrapStyled("The key goes into the Authorization header and is not shown.", width, th.Muted)...)
	out = append(out, "")
	const column = 24
	parts := slices.Clone(request.Parts)
	if request.File != "" {
		parts = append(parts, api.Part{Name: "file", Value: "the content of " + request.File})
	}
	label := min(column, max(1, width/3))
	for _, p := range parts {
		for i, line := range wrapSafe(p.Value, width-label-1) {
			head := ""
			if i == 0 {
				head = p.Name
			}
			out = append(out, th.Accent.Render(text.PadRight(head, label))+" "+th.Text.Render(line))
		}
	}
	if len(notes) > 0 {
		out = append(out, "")
	}
	for _, note := range notes {
		out = append(out, wrapStyled(note, width, th.Muted)...)
	}
	out = append(out, "", th.Muted.Render(text.Truncate("As a command line, the key in $"+api.KeyVariable+":", width)))
	return append(out, wrapStyled(request.Curl(), width, th.Text)...)
}

// wrapSafe makes text from outside safe and breaks it into lines.
func wrapSafe(words string, width int) []string {
	var out []string
	for line := range strings.SplitSeq(words, "\n") {
		wrapped := text.Wrap(text.Safe(line), width)
		if len(wrapped) == 0 {
			wrapped = []string{""}
		}
		out = append(out, wrapped...)
	}
	return out
}
