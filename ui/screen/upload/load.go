package upload

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

const (
	// typingPause is the time without typing before a place is looked up.
	typingPause = 150 * time.Millisecond
	// inspectTimeout limits one lookup.
	inspectTimeout = 15 * time.Second
	// batch is the number of files per command. Small batches show the first results early.
	batch = 8
)

// inspectSources inspects the next few files.
func (m *Model) inspectSources() tea.Cmd {
	var paths []string
	for _, s := range m.Items {
		if s.Source.Path != "" && !s.known.looked && len(paths) < batch {
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

func (m *Model) inspect(path string) (k known) {
	ctx, cancel := context.WithTimeout(m.o.Context, inspectTimeout)
	defer cancel()
	if k.identity, k.err = api.Identify(path); k.err == nil {
		k.facts, k.err = m.o.Facts(ctx, path)
	}
	k.looked = true
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
		m.readTags(""),
		edit.Within(m.o.Context, m.o.Session.Folders, m.addFolders),
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

// readTags reads the tags of a folder once, of all folders if it is empty.
func (m *Model) readTags(folder string) tea.Cmd {
	if _, asked := m.tags[folder]; asked {
		return nil
	}
	m.tags[folder] = nil
	return edit.Within(m.o.Context, func(ctx context.Context) ([]string, error) { return m.o.Session.TagsIn(ctx, folder) },
		func(tags []string) { m.tags[folder] = tags })
}

func (m *Model) addFolders(folders []string) {
	m.folders = slices.Compact(slices.Sorted(slices.Values(slices.Concat(m.folders, folders))))
}

// completeFolder returns the folders that match the typed text.
func (m *Model) completeFolder(typed string) []string {
	if strings.Trim(typed, "/ ") == "" {
		return nil
	}
	return slices.DeleteFunc(edit.Matches(typed, m.folders), func(f string) bool { return strings.TrimSuffix(f, "/") == strings.TrimSuffix(typed, "/") })
}

// completeTags suggests the tags of the form's folder first, then all others, both by frequency.
func (m *Model) completeTags(typed string) []string {
	s, _ := m.Subject()
	return edit.Matches(typed, m.tags[s.folder()], m.tags[""])
}

// follow starts the lookups that the form needs.
func (m *Model) follow() tea.Cmd { return tea.Batch(m.suggest(), m.find(), m.saveDraft()) }

// suggest reads the suggestions of the field with the focus.
func (m *Model) suggest() tea.Cmd {
	s, ok := m.Subject()
	if !ok || m.On != edit.OnForm {
		return nil
	}
	switch m.Form.On() {
	case "tags":
		return m.readTags(s.folder())
	case "folder":
		typed := m.Form.Row("folder").Value()
		if !strings.HasSuffix(typed, "/") {
			typed = path.Dir(typed)
		}
		parent, err := rule.CleanFolder(strings.TrimPrefix(typed, "."))
		if err != nil || m.asked[parent] {
			return nil
		}
		m.asked[parent] = true
		return edit.Within(m.o.Context, func(ctx context.Context) ([]string, error) { return m.o.Session.FoldersIn(ctx, parent) },
			func(folders []string) {
				if m.addFolders(folders); len(folders) > 0 && m.On == edit.OnForm && m.Form.On() == "folder" && m.touched {
					m.Form.Refresh()
				}
			})
	}
	return nil
}

// find looks up the next few sources in the library, after a pause while their place is being
// typed.
func (m *Model) find() tea.Cmd {
	if m.cancelSearch != nil || m.away || m.sending || m.unfound != nil || len(m.unplaced()) == 0 {
		return nil
	}
	if m.On == edit.OnForm && (m.Form.On() == "folder" || m.Form.On() == "name") && m.touched {
		return m.due.Ask(tea.Tick(typingPause, func(time.Time) tea.Msg { return page.Then(m.findNow) }))
	}
	return m.findNow()
}

// unplaced returns the sources whose place is not known, in small batches that are easy to cancel.
func (m *Model) unplaced() (of []*source) {
	for _, s := range m.Items {
		if (s.known.looked && s.known.err == nil || s.Source.URL != "") && s.known.of != rule.PathOf(&s.Upload) && rule.CheckName(s.FileName) == nil {
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
	uploads := make([]api.Upload, len(of))
	for i, s := range of {
		uploads[i] = s.upload()
	}
	ctx, cancel := context.WithCancel(m.o.Context)
	m.cancelSearch = cancel
	session := m.o.Session
	return func() tea.Msg {
		jobs, err := session.AlreadyStored(ctx, uploads, false)
		var places []rule.Place
		if err == nil {
			ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
			defer cancel()
			places, err = session.Places(ctx, uploads)
		}
		return page.Do(func() {
			m.stopSearch()
			m.cancelSearch = nil
			if errors.Is(err, context.Canceled) {
				return
			}
			m.unfound = err
			for n, s := range of {
				if s.known.of, s.checked = rule.PathOf(&uploads[n]), nil; err == nil {
					s.known.stored, s.known.place = jobs[n], places[n]
				}
			}
			m.total = nil
		})
	}
}

// stopSearch cancels the lookup. It restarts when the form is shown.
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

// noSkip returns why there is nothing to skip or restore.
func (m *Model) noSkip() string {
	switch {
	case len(m.sum().stored) > 0 || len(m.skipped) > 0:
		return ""
	case m.cancelSearch != nil:
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
	m.Form.Blur()
	stored := m.sum().stored
	if len(stored) == 0 {
		n := len(m.skipped)
		m.setSources(append(m.Items, m.skipped...))
		m.skipped = nil
		return page.Tell(page.Info, "Brought "+text.Plural(n, "file")+" back.")
	}
	for _, s := range m.Items {
		if stored[s] {
			m.skipped = append(m.skipped, s)
		}
	}
	m.setSources(m.without(stored))
	return page.Tell(page.Info, "Skipped "+text.Plural(len(stored), "file")+". Press ctrl+v to bring them back.")
}
