package upload

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
)

// editJobs puts jobs that were not stored back into the form with their options and errors, and marks only them.
func (m *Model) editJobs(jobs []api.Job) tea.Cmd {
	if m.sending || len(jobs) == 0 {
		return nil
	}
	m.leave()
	m.Overlays().CloseAll()
	m.draw = nil
	for _, s := range m.sources {
		s.marked = false
	}
	for i := range jobs {
		job := &jobs[i]
		at := slices.IndexFunc(m.sources, func(s *source) bool { return s.entry.Source == job.Upload.Source })
		if at < 0 {
			m.sources = append(m.sources, &source{})
			at = len(m.sources) - 1
		}
		s := m.sources[at]
		s.options, s.marked, s.checked, s.known = options{entry: api.EntryOf(job, m.o.Profile.Receiver != "")}, true, nil, known{}
		s.failed = nil
		if job.Failure != nil {
			s.failed = job.Failure
		}
		m.list.SetLen(len(m.sources))
		m.list.SetCursor(at)
	}
	m.note()
	m.load()
	m.setFocus(focus{stop: stopItem, field: firstField})
	return m.inspectSources()
}
