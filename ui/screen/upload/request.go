package upload

import (
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// requestView shows an upload as it would go out.
type requestView struct {
	overlay
	request api.Request
	err     error
	name    string
	notes   []string
	pane    kit.Pane
}

var _ kit.Overlay = (*requestView)(nil)

// showRequest opens the request of the current source.
func (m *Model) showRequest() tea.Cmd {
	s := m.current()
	m.leave()
	v := m.verdict(s)
	u := v.upload
	r := &requestView{overlay: overlay{m: m}, name: s.src.Name()}
	naming := s.values.naming()
	api.ApplyNaming(&u, naming)
	if naming == api.NameHere {
		r.notes = append(r.notes, "The suffix in the name is made anew when it is sent.")
	}
	if ownWebhook(&u, &s.values, m.o.Profile) {
		r.notes = append(r.notes, "webhookUrl is added when it is sent: an address of ours, for this upload alone.")
	}
	for _, c := range v.checks {
		if c.level == stop {
			r.notes = append(r.notes, "The service would refuse it: "+c.text)
		}
	}
	r.request, r.err = m.o.Session.DescribeUpload(&u)
	m.cover(r)
	return nil
}

// Actions copy the request, write all as a manifest, and scroll.
func (r *requestView) Actions() []kit.Action {
	const group = "Request"
	return append([]kit.Action{
		{ID: "form.copy-curl", Keys: kit.Bind("copy as curl", "", "y"), Group: group, Footer: true, Disabled: r.noRequest, Do: func() tea.Cmd {
			return page.Send(page.Copy{What: "curl line", Text: r.request.Curl()})
		}},
		{ID: "form.write-manifest", Keys: kit.Bind("write all files as a manifest", "", "w"), Group: group, Footer: true, Do: r.m.writeManifest},
		r.back(group, "esc", "ctrl+r"),
	}, kit.ListActions(func() kit.Scroller { return &r.pane }, nil)...)
}

func (r *requestView) noRequest() string {
	if r.err != nil {
		return "there is no request"
	}
	return ""
}

// Mouse scrolls by the wheel.
func (r *requestView) Mouse(msg tea.MouseMsg) tea.Cmd {
	r.pane.Wheel(msg)
	return nil
}

func (r *requestView) refresh() {
	r.pane.SetSize(len(r.lines(kit.PaneWidth(r.room), measured)), r.room)
}

// View draws the request.
func (r *requestView) View(room image.Point, th *theme.Theme) string {
	return r.pane.View("The request for "+text.Safe(r.name), r.lines(kit.PaneWidth(room), th), room, true, th)
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
