package picker

import (
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/page"
)

// sentMsg carries what this computer has stored and the source folders.
type sentMsg struct {
	stored  map[string]api.Identity // file identity when sent, by path
	folders []string
	err     error
}

// UseLibrary sets the function that reads the library's uploads, newest first; nil means none. Init calls it.
func (m *Model) UseLibrary(sent func() ([]api.Job, error)) {
	m.sentJobs = sent
	m.sentGen++
	m.readingSent = false
	m.stored, m.sentFolders = nil, nil
	m.Changed()
}

// readSent reads the uploads.
func (m *Model) readSent() tea.Cmd {
	read := m.sentJobs
	if read == nil || m.readingSent {
		return nil
	}
	m.readingSent = true
	gen := m.sentGen
	return func() tea.Msg {
		jobs, err := read()
		msg := sentMsg{stored: map[string]api.Identity{}, err: err}
		known := map[string]bool{}
		for _, j := range jobs {
			path := j.Upload.Source.Path
			if path == "" || j.State != api.Stored {
				continue
			}
			if _, is := msg.stored[path]; !is {
				msg.stored[path] = j.Identity
			}
			if folder := filepath.Dir(path); !known[folder] && len(msg.folders) < recentKept {
				known[folder] = true
				msg.folders = append(msg.folders, folder)
			}
		}
		return page.Then(func() tea.Cmd {
			if gen != m.sentGen {
				return nil
			}
			return m.gotSent(msg)
		})
	}
}

func (m *Model) gotSent(msg sentMsg) tea.Cmd {
	m.readingSent = false
	if msg.err != nil {
		return page.Send(problem(msg.err))
	}
	m.stored, m.sentFolders = msg.stored, msg.folders
	return nil
}

// storedNote tells whether this computer has already uploaded a file; "" if not.
func (m *Model) storedNote(path string, i info) string {
	was, is := m.stored[path]
	switch {
	case !is || !i.known:
		return ""
	case was.Size == i.size && was.Modified.Equal(i.modified):
		return "in library"
	}
	return "older sent"
}
