package details

import (
	"context"
	"errors"
	"fmt"
	"image"
	"net/http"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
)

// timeout limits the time for reading records.
const timeout = 20 * time.Second

func (m *Model) read(entries []*prepared) tea.Cmd {
	for _, e := range entries {
		e.requested = true
	}
	ids, s := ids(entries), m.o.Session
	return page.Within(m.o.Context, time.Duration(len(ids))*timeout, func(ctx context.Context) tea.Msg {
		list := s.ReadAll(ctx, ids, nil)
		return page.Do(func() { m.gotFresh(list) })
	})
}

// gotFresh shows reread records and returns their entries.
func (m *Model) gotFresh(list []session.Edited) (entries []*prepared) {
	for _, fresh := range list {
		e := m.entryOf(fresh.FileID)
		if e == nil {
			continue
		}
		entries = append(entries, e)
		if e.readErr = fresh.Err; fresh.Err == nil {
			e.meanwhile = append(e.meanwhile, e.rebase(*fresh.File)...)
			if !e.changed() {
				e.problem = nil // the service has the changes that could not be saved
			}
		}
	}
	m.Load()
	return entries
}

// gone reports whether the file no longer exists. Only the local library is sure: a hosted service
// gives the same answer if it does not let us read.
func (m *Model) gone(e *prepared) bool {
	var answer *api.ServiceError
	return m.o.Profile.Local && errors.As(e.readErr, &answer) && answer.Status == http.StatusNotFound
}

// probe checks once whether the service manages files, by listing versions. If not, the actions are
// disabled.
func (m *Model) probe() tea.Cmd {
	if m.probed {
		return nil
	}
	m.probed = true
	s, id := m.o.Session, m.current().file.FileID
	return page.Within(m.o.Context, timeout, func(ctx context.Context) tea.Msg {
		_, err := s.Versions(ctx, id)
		return page.Do(func() {
			m.manages = m.manages || err == nil
			// otherwise the connection failed, and the next file tries again
			m.probed = err == nil || api.Unavailable(err)
		})
	})
}

func (m *Model) subject(e *prepared) edit.Subject {
	if !e.canHaveRegion() {
		return edit.Subject{}
	}
	f, version := e.file, ""
	if f.VersionInfo != nil {
		version = f.VersionInfo.ID // each version has its own picture
	}
	w, h, _ := rule.PixelSize(&f)
	return edit.Subject{
		Name: fmt.Sprintf("%s %s %d", f.FileID, version, f.Size.Or(-1)), Size: image.Pt(w, h), File: f,
		Path: func(ctx context.Context) (string, error) { return m.o.Session.Picture(ctx, f) },
	}
}

func ids(of []*prepared) []string {
	list := make([]string, len(of))
	for i, e := range of {
		list[i] = e.file.FileID
	}
	return list
}
