package upload

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// readDraft reads a draft: the manifest of an unsent form, empty if the form was.
func readDraft(text []byte) ([]api.Entry, error) {
	list, err := session.ReadManifest(text)
	var entries []api.Entry
	for _, one := range list {
		e, wrong := one.Entry("/", api.Entry{Naming: api.NameHere})
		if err == nil {
			err = wrong
		}
		e.Source.Label = ""
		entries = append(entries, e)
	}
	if err != nil {
		return nil, fmt.Errorf("the draft of the upload form cannot be read: %w", err)
	}
	return entries, nil
}

// DraftSources returns the sources of a saved form (see Options.Draft), for the tray. It returns an error if the
// text cannot be read.
func DraftSources(text []byte) ([]api.Source, error) {
	entries, err := readDraft(text)
	var out []api.Source
	for _, e := range entries {
		out = append(out, e.Source)
	}
	return out, err
}

// restore fills the form from a draft. Of a draft that cannot be read, nothing is restored.
func (m *Model) restore(text []byte) {
	entries, err := readDraft(text)
	if err != nil {
		return
	}
	m.sources, m.touched = nil, true
	for _, e := range entries {
		m.sources = append(m.sources, &source{options: options{entry: e}, marked: true})
	}
	m.list.Arrange()
}

// drafts writes drafts in order, even if commands run out of order.
type drafts struct {
	started int // only the event loop uses it
	mu      sync.Mutex
	done    int
}

// saving returns a function that saves the draft of some sources, as they are now, unless a later one is saved.
func (m *Model) saving(sources []*source) func(context.Context) error {
	m.unkept = false
	m.drafts.started++
	d, number, save := m.drafts, m.drafts.started, m.o.Session.SaveDraft
	entries := make([]api.Entry, len(sources))
	for i, s := range sources {
		entries[i] = s.entry
	}
	return func(ctx context.Context) error {
		list := make([]session.ManifestEntry, len(entries))
		for i := range entries {
			list[i] = session.ManifestOf(&entries[i])
		}
		var draft bytes.Buffer
		if len(list) > 0 {
			_ = session.WriteManifest(&draft, list) // a buffer takes all
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if number <= d.done {
			return nil
		}
		if err := save(ctx, draft.Bytes()); err != nil {
			return fmt.Errorf("the form could not be kept: %w", err)
		}
		d.done = number
		return nil
	}
}

// note records a change that must be saved.
func (m *Model) note() { m.touched, m.unkept = true, true }

// Keep returns a function that saves the form as it is now, for use when the program exits and runs no more commands.
// It returns nil if nothing needs saving.
func (m *Model) Keep() func(context.Context) error {
	if !m.touched {
		return nil
	}
	return m.saving(m.sources)
}

// wantKept saves the form if it changed. Only one save runs at a time; the next one saves later changes.
func (m *Model) wantKept() tea.Cmd {
	if !m.unkept || m.keeping {
		return nil
	}
	m.keeping = true
	keep := m.Keep()
	return func() tea.Msg {
		err := keep(m.o.Context)
		return page.Then(func() tea.Cmd {
			m.keeping = false
			m.touched = m.touched && (len(m.sources) > 0 || m.unkept)
			if err == nil || m.o.Context.Err() != nil || m.keepFailed {
				return nil
			}
			m.keepFailed = true // report it once, not after every key
			return page.Send(page.Problem(err))
		})
	}
}

// keepOthers returns a function that saves the form without the queued sources. It runs at once, so that a crash does
// not bring them back. The next save reports its error.
func (m *Model) keepOthers(others map[*source]bool) func() {
	if !m.touched {
		return func() {}
	}
	// A newer save must not bring the queued ones back; see queued.
	save := m.saving(slices.DeleteFunc(slices.Clone(m.sources), func(s *source) bool { return !others[s] }))
	return func() { _ = save(m.o.Context) }
}

// document returns the targets with every option, also those without a value.
func (m *Model) document() []session.ManifestEntry {
	var entries []session.ManifestEntry
	for _, s := range m.targets() {
		e := session.ManifestOf(&s.entry)
		e.Options = api.OptionsOf(&s.entry, api.UploadFields...)
		entries = append(entries, e)
	}
	return entries
}

// applyDocument sets the edited options.
func (m *Model) applyDocument(entries []session.ManifestEntry) tea.Cmd {
	n := 0
	left := slices.Clone(m.sources)
	for _, e := range entries {
		at := slices.IndexFunc(left, func(s *source) bool { return session.ManifestOf(&s.entry).Source == e.Source })
		if at < 0 {
			continue
		}
		s, next := left[at], left[at].entry
		left = slices.Delete(left, at, at+1)
		e.Options.Apply(&next)
		changed := false
		for _, f := range api.UploadFields {
			if f.Text(&next) != f.Text(&s.entry) {
				changed = true
				s.copyField(f, &options{entry: next})
			}
		}
		if changed {
			n++
			m.dirty(s)
		}
	}
	m.load()
	return page.Send(page.Toast{Level: page.Good, Text: "Changed the options of " + text.Plural(n, "file") + " in the editor."})
}

// writeManifest writes all files and options as a manifest for mediadesk upload --manifest.
func (m *Model) writeManifest() tea.Cmd {
	var entries []session.ManifestEntry
	for _, s := range m.sources {
		entries = append(entries, session.ManifestOf(&s.entry))
	}
	now := m.o.Now()
	return func() tea.Msg {
		name, err := m.o.Session.WriteManifest(entries, now)
		if err != nil {
			return page.Problem(err)
		}
		return page.Toast{Level: page.Good, Text: "Written: " + text.Safe(name), Detail: "Send it with: mediadesk upload --manifest " + name}
	}
}
