package upload

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// alreadyMsg tells which sources were stored before in the folder they go to.
type alreadyMsg struct {
	sources []*source
	jobs    []*api.Job // of the same length; nil: not stored before
	err     error
}

// manifestMsg tells where a manifest was written.
type manifestMsg struct {
	name string
	err  error
}

func (m *Model) noFind() string {
	if m.finding {
		return "it is being looked for"
	}
	return ""
}

// findAlready reads the files and compares them with what was stored: an action,
// not done by itself, because it reads all of them.
func (m *Model) findAlready() tea.Cmd {
	m.finding = true
	msg := alreadyMsg{}
	var uploads []api.Upload
	for _, s := range m.sources {
		msg.sources, uploads = append(msg.sources, s), append(uploads, s.upload())
	}
	ctx, s := m.o.Context, m.o.Session
	return func() tea.Msg {
		msg.jobs, msg.err = s.AlreadyStored(ctx, uploads)
		return msg
	}
}

// foundAlready shows it as a check of each file, and offers to send only the
// others.
func (m *Model) foundAlready(msg alreadyMsg) tea.Cmd {
	m.finding = false
	if msg.err != nil {
		return page.Send(page.Problem(msg.err))
	}
	without := map[*source]bool{}
	for i, s := range msg.sources {
		s.known.stored, s.checked = msg.jobs[i], nil
		if msg.jobs[i] != nil {
			without[s] = true
		}
	}
	m.changed()
	switch n := len(without); {
	case n == 0:
		return page.Send(page.Toast{Level: page.Good, Text: "None of them was stored in its folder before."})
	case n == len(m.sources):
		return page.Send(page.Toast{Level: page.Warn, Text: "All of them are stored already; see Checks."})
	}
	var others []*source
	for _, s := range m.sources {
		if !without[s] {
			others = append(others, s)
		}
	}
	return page.Send(page.Ask{
		Title: "Stored already: " + text.Count(len(without)) + " of " + text.Plural(len(m.sources), "file"),
		Text:  "Their content was stored in the same folder before; Checks says as what. The others can go without them.",
		Choices: []page.Choice{
			{Label: "Back to the form", Key: "b"},
			{Label: m.sendLabel(others), Key: "s", Default: true, Do: func() tea.Cmd { return m.hand(without) }},
		},
	})
}

// describeStored say as what a file was stored before.
func describeStored(job *api.Job) string {
	place := job.Upload.Path()
	if job.File != nil && job.File.FilePath != "" {
		place = job.File.FilePath
	}
	return "Stored already as " + place + " since " + job.Updated.Local().Format("2 Jan 2006 15:04")
}

// writeManifest writes all files with their options as a manifest, for
// mediadesk upload --manifest.
func (m *Model) writeManifest() tea.Cmd {
	var entries []session.ManifestEntry
	for _, s := range m.sources {
		entries = append(entries, session.ManifestOf(&s.entry))
	}
	s := m.o.Session
	return func() tea.Msg {
		name, err := s.WriteManifest(entries, time.Now())
		return manifestMsg{name, err}
	}
}

func (m *Model) wroteManifest(msg manifestMsg) tea.Cmd {
	if msg.err != nil {
		return page.Send(page.Problem(msg.err))
	}
	return page.Send(page.Toast{Level: page.Good, Text: "Written: " + text.Safe(msg.name), Detail: "Send it with: mediadesk upload --manifest " + msg.name})
}
