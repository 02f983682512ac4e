package details

import (
	"context"
	"errors"
	"fmt"
	"image"
	"net/http"
	"path"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
)

// patience limits the time for reading records.
const patience = 20 * time.Second

type (
	// freshMsg has reread records.
	freshMsg struct {
		list []session.Edited
		at   time.Time
	}
	// knownMsg has suggestions for tags and folders.
	knownMsg struct{ tags, folders []string }
	// seenMsg has the times at which records were last seen, by file.
	seenMsg map[string]time.Time
	// fieldsMsg has the custom metadata fields of the library.
	fieldsMsg []api.MetadataField
	// probedMsg tells whether the service manages files.
	probedMsg struct{ err error }
)

// read rereads the records of files.
func (m *Model) read(entries []*entry) tea.Cmd {
	for _, e := range entries {
		e.asked = true
	}
	ids := idsOf(entries)
	ctx, s, now := m.o.Context, m.o.Session, m.now
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, time.Duration(len(ids))*patience)
		defer cancel()
		return freshMsg{s.ReadAll(ctx, ids, nil), now()}
	}
}

func (m *Model) refresh() tea.Cmd { return m.read(m.targets()) }

// gotFresh shows reread records and returns their entries.
func (m *Model) gotFresh(list []session.Edited, at time.Time) (entries []*entry) {
	for _, fresh := range list {
		e := m.entryOf(fresh.FileID)
		if e == nil {
			continue
		}
		entries = append(entries, e)
		if e.readErr = fresh.Err; fresh.Err == nil {
			e.meanwhile = append(e.meanwhile, e.rebase(*fresh.File, at)...)
			if !e.changed() {
				e.problem = nil // the service has the changes that could not be saved
			}
		}
	}
	m.load()
	return entries
}

// gone reports whether the file no longer exists. Only the local library is sure: a hosted service
// gives the same answer if it does not let us read.
func (m *Model) gone(e *entry) bool {
	var answer *api.ServiceError
	return m.o.Profile.Local && errors.As(e.readErr, &answer) && answer.Status == http.StatusNotFound
}

func (m *Model) readKnown() tea.Cmd {
	ctx, s := m.o.Context, m.o.Session
	return func() tea.Msg {
		tags, err := s.Tags(ctx)
		if err != nil {
			return page.Failed(err)
		}
		folders, err := s.Folders(ctx)
		if err != nil {
			return page.Failed(err)
		}
		return knownMsg{tags, folders}
	}
}

func (m *Model) readSeen() tea.Cmd {
	var ids []string
	for _, e := range m.entries {
		ids = append(ids, e.file.FileID)
	}
	ctx, s := m.o.Context, m.o.Session
	return func() tea.Msg {
		at := make(seenMsg, len(ids))
		for _, id := range ids {
			when, err := s.SeenAt(ctx, id)
			if err != nil {
				return page.Failed(err)
			}
			at[id] = when
		}
		return at
	}
}

func (m *Model) gotSeen(msg seenMsg) {
	for _, e := range m.entries {
		if e.at.IsZero() {
			e.at = msg[e.file.FileID]
		}
	}
}

// readFields reads the metadata fields, if the service lists them.
func (m *Model) readFields() tea.Cmd {
	ctx, s := m.o.Context, m.o.Session
	folder := ""
	for i, e := range m.entries {
		at := path.Dir(e.file.FilePath)
		if i > 0 && at != folder || e.file.FilePath == "" {
			folder = "" // fields of the library
			break
		}
		folder = at
	}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		fields, err := s.MetadataFields(ctx, folder)
		if err != nil {
			return nil // they are optional
		}
		return fieldsMsg(fields)
	}
}

// probe checks once whether the service manages files, by listing versions. If not, the actions are
// disabled.
func (m *Model) probe() tea.Cmd {
	if m.able.asked {
		return nil
	}
	m.able.asked = true
	ctx, s, id := m.o.Context, m.o.Session, m.current().file.FileID
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		_, err := s.Versions(ctx, id)
		return probedMsg{err}
	}
}

func (m *Model) probed(msg probedMsg) {
	m.able.manages = m.able.manages || msg.err == nil
	m.able.asked = msg.err == nil || api.Unavailable(msg.err) // otherwise the connection failed, and the next file tries again
}

// subject returns the picture of the current file.
func (m *Model) subject() edit.Subject {
	e := m.current()
	if e == nil || !e.canHaveRegion() {
		return edit.Subject{}
	}
	return m.subjectOf(e)
}

func (m *Model) subjectOf(e *entry) edit.Subject {
	f := e.file
	version := ""
	if f.VersionInfo != nil {
		version = f.VersionInfo.ID // each version has its own picture
	}
	s := edit.Subject{
		Name: fmt.Sprintf("%s %s %d", f.FileID, version, f.Size.Or(-1)),
		Path: func(ctx context.Context) (string, error) { return m.o.Session.Picture(ctx, f) },
	}
	if w, h, ok := f.PixelSize(); ok {
		s.Size = image.Pt(w, h)
	}
	return s
}
