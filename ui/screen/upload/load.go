package upload

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
)

const (
	// typingDelay is the time without typing before a place is looked up.
	typingDelay = 150 * time.Millisecond
	// inspectTimeout limits one lookup.
	inspectTimeout = 15 * time.Second
	// batch is the number of files per command. Small batches show the first results early.
	batch = 8
)

func (m *Model) inspectSources() tea.Cmd {
	var paths []string
	for _, s := range m.Items {
		if s.Source.Path != "" && !s.known.inspected && len(paths) < batch {
			paths = append(paths, s.Source.Path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return func() tea.Msg {
		of := map[string]known{}
		for _, path := range paths {
			of[path] = m.inspect(path)
		}
		return page.Then(func() tea.Cmd {
			for _, s := range m.Items {
				if k, ok := of[s.Source.Path]; ok {
					s.known, s.checked = k, nil
				}
			}
			m.total = nil
			return m.inspectSources()
		})
	}
}

// inspectChanged inspects the files again that have changed since they were inspected.
func (m *Model) inspectChanged() tea.Cmd {
	changed := map[string]api.Identity{}
	for _, s := range m.Items {
		if s.known.inspected {
			changed[s.Source.Path] = s.known.identity
		}
	}
	return func() tea.Msg {
		maps.DeleteFunc(changed, func(path string, was api.Identity) bool {
			now, err := api.Identify(path)
			return err == nil && now.Same(was)
		})
		return page.Then(func() tea.Cmd {
			for _, s := range m.Items {
				if _, ok := changed[s.Source.Path]; ok {
					s.known = known{}
				}
			}
			return m.inspectSources()
		})
	}
}

func (m *Model) inspect(path string) (k known) {
	ctx, cancel := context.WithTimeout(m.o.Context, inspectTimeout)
	defer cancel()
	if k.identity, k.err = api.Identify(path); k.err == nil {
		k.facts, k.err = m.o.Facts(ctx, path)
	}
	k.inspected = true
	return k
}

// readSuggestions reads tags, folders and the metadata fields of the library. They are optional:
// errors are ignored.
func (m *Model) readSuggestions() tea.Cmd {
	fieldsIn := ""
	for i, s := range m.Items {
		at := s.Folder.Or("/")
		if i > 0 && at != fieldsIn {
			fieldsIn = "" // those of the whole library
			break
		}
		fieldsIn = at
	}
	return tea.Batch(
		edit.Within(m.o.Context, m.o.Session.Tags, func(tags []string) { m.tags = tags }),
		edit.Within(m.o.Context, m.o.Session.Folders, m.addFolders),
		edit.Within(m.o.Context, func(ctx context.Context) ([]string, error) {
			return m.o.Session.FoldersIn(ctx, "/")
		}, m.addFolders),
		edit.Within(m.o.Context, func(ctx context.Context) ([]api.MetadataField, error) {
			fields, err := m.o.Session.MetadataFields(ctx, fieldsIn)
			return append([]api.MetadataField{}, fields...), err
		}, func(fields []api.MetadataField) {
			for _, s := range m.Items {
				s.checked = nil
			}
			m.total = nil
			m.SetLibrary(fields)
		}),
	)
}

func (m *Model) addFolders(folders []string) {
	m.folders = slices.Compact(slices.Sorted(slices.Values(slices.Concat(m.folders, folders))))
}

func (m *Model) completeFolder(typed string) []string {
	if strings.Trim(typed, "/ ") == "" {
		return nil
	}
	same := func(f string) bool { return strings.TrimSuffix(f, "/") == strings.TrimSuffix(typed, "/") }
	return slices.DeleteFunc(edit.Matches(typed, m.folders), same)
}

func (m *Model) follow() tea.Cmd { return tea.Batch(m.find(), m.saveDraft()) }

// find looks up the next few sources in the library, after a pause while their place is being
// typed.
func (m *Model) find() tea.Cmd {
	if m.cancelSearch != nil || m.hidden || m.sending || m.unfound != nil || len(m.unplaced()) == 0 {
		return nil
	}
	if on := m.Form.On(); m.On == edit.OnForm && (on == "folder" || on == "name") && m.touched {
		return m.due.Ask(page.After(typingDelay, page.Then(m.findNow)))
	}
	return m.findNow()
}

// unplaced returns the sources whose place is not known, in small batches that are easy to cancel.
func (m *Model) unplaced() (of []*source) {
	for _, s := range m.Items {
		readable := s.known.inspected && s.known.err == nil || s.Source.URL != ""
		_, wrong := rule.CleanFolder(s.Folder.Or(""))
		if readable && s.known.of != rule.PathOf(&s.Upload) && cmp.Or(wrong, rule.CheckName(s.FileName)) == nil {
			if of = append(of, s); len(of) == max(batch, len(m.Items)/batch) {
				break
			}
		}
	}
	return of
}

func (m *Model) findNow() tea.Cmd {
	of := m.unplaced()
	if m.cancelSearch != nil || len(of) == 0 {
		return nil
	}
	uploads := rule.Mapped(of, (*source).upload)
	ctx, cancel := context.WithCancel(m.o.Context)
	m.cancelSearch = cancel
	session := m.o.Session
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
		defer cancel()
		places, err := session.Places(ctx, uploads)
		return page.Do(func() {
			m.stopSearch()
			m.cancelSearch = nil
			if errors.Is(err, context.Canceled) {
				return
			}
			m.unfound = err
			for n, s := range of {
				if s.known.of, s.checked = rule.PathOf(&uploads[n]), nil; err == nil {
					s.known.place = places[n]
				}
			}
			m.total = nil
		})
	}
}

func (m *Model) stopSearch() {
	if m.cancelSearch != nil {
		m.cancelSearch()
	}
}

// forgetPlaces makes the form look up the library again.
func (m *Model) forgetPlaces() {
	for _, s := range m.Items {
		s.known.of, s.checked = "", nil
	}
	m.total = nil
}
