package upload

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// requestView shows an upload as it would go out.
type requestView struct {
	request api.Request
	err     error
	name    string
	notes   []string
	scroll  int
	height  int
}

func (r *requestView) whyNot() string {
	if r.err != nil {
		return "There is no request."
	}
	return ""
}

// whyNotRequest says why the request cannot be shown; empty: it can.
func (m *Model) whyNotRequest() string {
	switch {
	case len(m.sources) == 0:
		return "The form is empty: pick files first."
	}
	return ""
}

// showRequest opens the request of the current source.
func (m *Model) showRequest() tea.Cmd {
	if why := m.whyNotRequest(); why != "" {
		return page.Send(page.Toast{Level: page.Warn, Text: why})
	}
	s := m.current()
	v := m.check(s)
	u := v.upload
	r := &requestView{name: s.src.Name()}
	naming := s.values.naming()
	api.ApplyNaming(&u, naming)
	if naming == api.NameHere {
		r.notes = append(r.notes, "The suffix in the name is made anew when it is sent.")
	}
	if ownWebhook(&u, &s.values, m.opt.Profile) {
		r.notes = append(r.notes, "webhookUrl is added when it is sent: an address of ours, for this upload alone.")
	}
	for _, l := range v.lights {
		if l.level == stop {
			r.notes = append(r.notes, "The service would refuse it: "+l.text)
		}
	}
	r.request, r.err = m.opt.Session.DescribeUpload(&u)
	m.request = r
	return nil
}

func (m *Model) pressRequest(msg tea.KeyPressMsg) tea.Cmd {
	r := m.request
	switch {
	case key.Matches(msg, keyClose):
		m.request = nil
	case key.Matches(msg, keyManifest):
		return m.writeManifest()
	case key.Matches(msg, keyCurl):
		if r.err == nil {
			return page.Send(page.Copy{What: "curl line", Text: r.request.Curl()})
		}
	case key.Matches(msg, keyScroll):
		by := map[string]int{"down": 1, "j": 1, "up": -1, "k": -1, "pgdown": max(1, r.height-1), "pgup": -max(1, r.height-1)}
		r.scroll += by[msg.String()]
	}
	return nil
}

// lines are the request in words, no wider than width.
func (r *requestView) lines(width int, th *theme.Theme) []string {
	if r.err != nil {
		return wrapStyled(r.err.Error(), width, th.Bad)
	}
	var out []string
	out = append(out, wrapStyled(r.request.Method+" "+r.request.Address, width, th.Strong)...)
	out = append(out, wrapStyled("The key goes into the Authorization header and is not shown.", width, th.Muted)...)
	out = append(out, "")
	const column = 24
	part := func(name, value string) {
		label := min(column, max(1, width/3))
		for i, line := range wrapSafe(value, width-label-1) {
			head := ""
			if i == 0 {
				head = name
			}
			out = append(out, th.Accent.Render(text.PadRight(head, label))+" "+th.Text.Render(line))
		}
	}
	for _, p := range r.request.Parts {
		part(p.Name, p.Value)
	}
	if r.request.File != "" {
		part("file", "the content of "+r.request.File)
	}
	if len(r.notes) > 0 {
		out = append(out, "")
	}
	for _, note := range r.notes {
		out = append(out, wrapStyled(note, width, th.Muted)...)
	}
	out = append(out, "", th.Muted.Render(text.Truncate("As a command line, the key in $"+api.KeyVariable+":", width)))
	return append(out, wrapStyled(r.request.Curl(), width, th.Text)...)
}

// view draws the request, exactly filling width by height.
func (r *requestView) view(width, height int, th *theme.Theme) string {
	lines := r.lines(width, th)
	r.height = height
	r.scroll = max(0, min(r.scroll, len(lines)-height))
	return text.Fit(strings.Join(lines[min(r.scroll, len(lines)):], "\n"), width, height)
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
