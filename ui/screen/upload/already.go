package upload

import (
	"context"
	"errors"
	"maps"
	"slices"
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
	folders []string   // that was asked about, of the same length
	jobs    []*api.Job // of the same length; nil: not stored before
	err     error
}

// manifestMsg tells where a manifest was written.
type manifestMsg struct {
	name string
	err  error
}

// wantAlready compares the next sources with what was stored, once their files are
// known: some at a time, so that it can end early.
func (m *Model) wantAlready() tea.Cmd {
	i := m.focused()
	if m.finding != nil || m.away || m.sending || m.unfound != nil || i != nil && i.field == fieldFolder {
		return nil // a folder is still being typed
	}
	msg := alreadyMsg{}
	var uploads []api.Upload
	for _, s := range m.sources {
		if folder := s.folder(); s.known.looked && s.known.err == nil && s.known.asked != folder {
			msg.sources, msg.folders, uploads = append(msg.sources, s), append(msg.folders, folder), append(uploads, s.upload())
			if len(uploads) == max(handful, len(m.sources)/handful) {
				break
			}
		}
	}
	if len(uploads) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(m.o.Context)
	m.finding = cancel
	find := m.o.Session.AlreadyStored
	return func() tea.Msg {
		msg.jobs, msg.err = find(ctx, uploads)
		return msg
	}
}

// stopFinding ends the comparison; it begins again when the form is shown.
func (m *Model) stopFinding() {
	if m.finding != nil {
		m.finding()
	}
}

func (m *Model) gotAlready(msg alreadyMsg) {
	m.stopFinding()
	m.finding = nil
	if msg.err != nil {
		if !errors.Is(msg.err, context.Canceled) {
			m.unfound = msg.err
		}
		return
	}
	for n, s := range msg.sources {
		s.known.asked, s.known.stored, s.checked = msg.folders[n], msg.jobs[n], nil
	}
	m.changed()
}

// alreadyStored is the job that stored the content of a source in its folder before;
// nil where none is known.
func (s *source) alreadyStored() *api.Job {
	if s.known.asked != s.folder() {
		return nil
	}
	return s.known.stored
}

// noSkip says why nothing can be skipped or brought back.
func (m *Model) noSkip() string {
	switch {
	case len(m.sum().stored) > 0 || len(m.skipped) > 0:
		return ""
	case m.finding != nil:
		return "the files are being compared with what is stored"
	}
	return "none of the files is stored already"
}

// skipLabel says what the key of skipping does now.
func (m *Model) skipLabel() string {
	if len(m.sum().stored) == 0 && len(m.skipped) > 0 {
		return "bring skipped files back"
	}
	return "skip what is stored already"
}

// skip takes what is stored already out of the form, or brings it back.
func (m *Model) skip() tea.Cmd {
	m.leave()
	stored := m.sum().stored
	words := ""
	if len(stored) > 0 {
		m.skipped = append(m.skipped, slices.Collect(maps.Keys(stored))...)
		m.setSources(slices.DeleteFunc(m.sources, func(s *source) bool { return stored[s] }))
		words = "Skipped " + text.Plural(len(stored), "file") + ". Press ctrl+v to bring them back."
	} else {
		m.setSources(append(m.sources, m.skipped...))
		words, m.skipped = "Brought "+text.Plural(len(m.skipped), "file")+" back.", nil
	}
	return page.Send(page.Toast{Level: page.Info, Text: words})
}

// describeStored say as what a file was stored before.
func describeStored(job *api.Job) string {
	place := job.Upload.Path()
	if job.File != nil && job.File.FilePath != "" {
		place = job.File.FilePath
	}
	return "Stored already as " + place + " since " + job.Updated.Local().Format("2 Jan 2006 15:04")
}

// describeAlready say how many of the files are stored already.
func (m *Model) describeAlready(n int) string {
	verb := "are"
	if n == 1 {
		verb = "is"
	}
	return text.Count(n) + " of " + text.Count(len(m.sources)) + " " + verb + " already stored"
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
