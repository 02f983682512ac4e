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

// already tells which sources are already stored in their folder.
type already struct {
	sources []*source
	folders []string   // folder of each source
	jobs    []*api.Job // job of each source; nil: not stored
	err     error
	listed  []*api.File // file of each source; nil: the library was not asked
	listErr error
}

// wantAlready compares the next few sources with the stored files. Small batches make it easy to cancel.
func (m *Model) wantAlready() tea.Cmd {
	i := m.focused()
	if m.finding != nil || m.away || m.sending || m.unfound != nil || i != nil && i.field == fieldFolder {
		return nil // a folder is being typed
	}
	msg := already{}
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
	session, list := m.o.Session, m.unlisted == nil
	return func() tea.Msg {
		if msg.jobs, msg.err = session.AlreadyStored(ctx, uploads); msg.err == nil && list {
			ctx, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			msg.listed, msg.listErr = session.Listed(ctx, uploads)
		}
		return page.Do(func() { m.gotAlready(msg) })
	}
}

// stopFinding cancels the comparison. It restarts when the form is shown.
func (m *Model) stopFinding() {
	if m.finding != nil {
		m.finding()
	}
}

func (m *Model) gotAlready(msg already) {
	m.stopFinding()
	m.finding = nil
	if msg.err != nil {
		if !errors.Is(msg.err, context.Canceled) {
			m.unfound = msg.err
		}
		return
	}
	if msg.listErr != nil && !errors.Is(msg.listErr, context.Canceled) {
		m.unlisted = msg.listErr
	}
	for n, s := range msg.sources {
		s.known.asked, s.known.stored, s.known.listed, s.checked = msg.folders[n], msg.jobs[n], nil, nil
		if msg.listErr == nil && msg.listed != nil {
			s.known.listed = msg.listed[n]
		}
	}
	m.changed()
}

// alreadyStored returns the job that stored the source's content in its folder, or nil.
func (s *source) alreadyStored() *api.Job {
	if s.known.asked != s.folder() {
		return nil
	}
	return s.known.stored
}

// namesake returns the library file with the source's name in its folder, or nil.
func (s *source) namesake() *api.File {
	f := s.known.listed
	if s.known.asked != s.folder() || f == nil || f.Name != api.StoredName(s.entry.FileName) && api.WithoutSuffix(f.Name) != api.StoredName(s.entry.FileName) {
		return nil
	}
	return f
}

// alike reports whether the library has a file with the name and size of the source. The content may differ.
func (s *source) alike() bool {
	f := s.namesake()
	return f != nil && s.known.looked && f.Size.Or(-1) == s.known.identity.Size
}

// noSkip returns why there is nothing to skip or restore.
func (m *Model) noSkip() string {
	switch {
	case len(m.sum().stored) > 0 || len(m.skipped) > 0:
		return ""
	case m.finding != nil:
		return "the files are being compared with what is stored"
	}
	return "none of the files is stored already"
}

// skipLabel returns the current label of the skip action.
func (m *Model) skipLabel() string {
	if len(m.sum().stored) == 0 && len(m.skipped) > 0 {
		return "bring skipped files back"
	}
	return "skip what is stored already"
}

// skip removes stored files from the form, or restores them.
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

// describeStored describes the earlier upload of the source.
func (s *source) describeStored() string {
	job := s.known.stored
	if job == nil {
		f := s.known.listed
		return "A file with this name and size is stored as " + f.FilePath + " since " + text.Date(f.Created())
	}
	place := job.Upload.Path()
	if job.File != nil && job.File.FilePath != "" {
		place = job.File.FilePath
	}
	return "Stored already as " + place + " since " + text.Date(job.Updated)
}

// describeAlready tells how many files are already stored, and how many of them match by name and size only.
func (m *Model) describeAlready(t *total) string {
	n, only := len(t.stored), ""
	verb := "are"
	if n == 1 {
		verb = "is"
	}
	switch t.alike {
	case 0:
	case n:
		only = " (by name and size)"
	default:
		only = " (" + text.Count(t.alike) + " by name and size only)"
	}
	if len(m.sources) == 1 {
		return "This file is already stored" + only
	}
	return text.Count(n) + " of " + text.Count(len(m.sources)) + " " + verb + " already stored" + only
}

// writeManifest writes all files and options as a manifest for mediadesk upload --manifest.
func (m *Model) writeManifest() tea.Cmd {
	var entries []session.ManifestEntry
	for _, s := range m.sources {
		entries = append(entries, session.ManifestOf(&s.entry))
	}
	s := m.o.Session
	return func() tea.Msg {
		name, err := s.WriteManifest(entries, time.Now())
		if err != nil {
			return page.Problem(err)
		}
		return page.Toast{Level: page.Good, Text: "Written: " + text.Safe(name), Detail: "Send it with: mediadesk upload --manifest " + name}
	}
}
