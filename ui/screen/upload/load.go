package upload

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

const (
	// pause is the time without typing before a lookup.
	pause = 150 * time.Millisecond
	// patience limits one lookup.
	patience = 15 * time.Second
	// handful is the number of files or places per command. Small batches show the first results early.
	handful = 8
)

// place is the result of a lookup.
type place struct {
	place  api.Place
	looked bool
	err    error // error of the lookup, or nil
}

// inspectSources inspects the next few files.
func (m *Model) inspectSources() tea.Cmd {
	var sources []api.Source
	for _, s := range m.sources {
		if s.entry.Source.Path != "" && !s.known.looked {
			if sources = append(sources, s.entry.Source); len(sources) == handful {
				break
			}
		}
	}
	if len(sources) == 0 {
		return nil
	}
	return func() tea.Msg {
		of := map[string]known{}
		for _, s := range sources {
			of[s.Path] = m.inspectSource(s.Path)
		}
		return page.Then(func() tea.Cmd {
			for _, s := range m.sources {
				if k, ok := of[s.entry.Source.Path]; ok {
					s.known, s.checked = k, nil
				}
			}
			m.changed()
			return m.inspectSources()
		})
	}
}

func (m *Model) inspectSource(path string) (k known) {
	ctx, cancel := context.WithTimeout(m.o.Context, patience)
	defer cancel()
	if k.identity, k.err = api.Identify(path); k.err == nil {
		k.facts, k.err = m.o.Facts(ctx, path)
	}
	k.looked = true
	return k
}

// askKnown reads tags and folders for suggestions, which are optional: errors are ignored.
func (m *Model) askKnown() tea.Cmd {
	return func() tea.Msg {
		tags, _ := m.o.Session.Tags(m.o.Context)
		folders, _ := m.o.Session.Folders(m.o.Context)
		return page.Do(func() { m.tags = tags; m.addFolders(folders) })
	}
}

// askFields reads the metadata fields of the library. Without them, metadata is free text.
func (m *Model) askFields() tea.Cmd {
	folder := ""
	for i, s := range m.sources {
		at := s.entry.Folder.Or("/")
		if i > 0 && at != folder {
			folder = "" // fields of the whole library
			break
		}
		folder = at
	}
	return page.Within(m.o.Context, patience, func(ctx context.Context) tea.Msg {
		fields, err := m.o.Session.MetadataFields(ctx, folder)
		if err != nil {
			return nil
		}
		return page.Do(func() {
			m.fields, m.fieldsKnown = fields, true
			for _, s := range m.sources {
				s.checked = nil
			}
			m.load()
		})
	})
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

// showPicture loads the picture of the current source while its region is edited.
func (m *Model) showPicture() tea.Cmd {
	s := m.subject()
	if s == nil || !m.drawing() && (m.part != onForm || m.form.On() != fieldRegion) {
		return nil
	}
	return tea.Batch(m.region.Show(subjectPicture(s)), m.region.Follow())
}

// drawing reports whether the region is being edited on the picture.
func (m *Model) drawing() bool { return m.page != nil && !m.page.Closed() }

// WantsPixels reports whether the mouse should report pixels, so that it can move the region.
func (m *Model) WantsPixels() bool { return m.drawing() && m.region.WantsPixels() }

// follow starts the lookups that the form needs.
func (m *Model) follow() tea.Cmd {
	return tea.Batch(m.wantPlaces(), m.showPicture(), m.wantFolderTags(), m.wantFoldersIn(), m.wantAlready(), m.wantKept())
}

// wantPlaces schedules a lookup of unknown places after a pause in typing.
func (m *Model) wantPlaces() tea.Cmd {
	due := m.unknownPlaces()
	if len(due) == 0 || m.looking {
		return nil
	}
	if m.waiting == due[0] {
		return nil
	}
	m.waiting = due[0]
	return m.due.Ask(tea.Tick(pause, func(time.Time) tea.Msg { return page.Then(m.inspectPlaces) }))
}

// unknownPlaces returns the next few places to look up, the current source's first. A unique name needs no lookup.
func (m *Model) unknownPlaces() []string {
	var paths []string
	add := func(s *source) {
		if s.entry.Naming != api.NameExact || api.CheckName(s.entry.FileName) != nil {
			return
		}
		path := m.verdict(s).path
		if !m.places[path].looked && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if s := m.current(); s != nil {
		add(s)
	}
	for _, s := range m.sources {
		if len(paths) >= handful {
			break
		}
		add(s)
	}
	return paths
}

// inspectPlaces looks up the files at the places.
func (m *Model) inspectPlaces() tea.Cmd {
	paths := m.unknownPlaces()
	m.waiting = ""
	if len(paths) == 0 {
		return nil
	}
	m.looking = true
	ctx, locate := m.o.Context, m.o.Session.Locate
	return func() tea.Msg {
		found := map[string]place{}
		for _, path := range paths {
			ctx, cancel := context.WithTimeout(ctx, patience)
			at, err := locate(ctx, path)
			cancel()
			if found[path] = (place{place: at, looked: true}); err != nil {
				found[path] = place{looked: true, err: err}
			}
		}
		return page.Then(func() tea.Cmd {
			m.looking = false
			m.learnPlaces(found) // they are valid whatever was typed since
			if m.waiting != "" {
				return nil // the user is typing
			}
			return m.inspectPlaces()
		})
	}
}

func (m *Model) learnPlaces(found map[string]place) {
	maps.Copy(m.places, found)
	for _, s := range m.sources {
		if s.checked != nil && found[s.checked.path].looked {
			s.checked = nil
		}
	}
	m.changed()
}

// learn stores a record from another part of the program.
func (m *Model) learn(f api.File) {
	p, ok := m.places[f.FilePath]
	if !ok || f.FilePath == "" {
		return
	}
	p.looked, p.place.Known, p.place.File, p.place.At, p.err = true, true, &f, time.Time{}, nil
	m.learnPlaces(map[string]place{f.FilePath: p})
}

// statusOf tells why a place is not known; "" if it is known or irrelevant.
func (m *Model) statusOf(s *source) string {
	if s.entry.Naming != api.NameExact {
		return ""
	}
	p := m.places[m.verdict(s).path]
	switch {
	case p.err != nil:
		return "Could not check whether a file is there: " + text.Safe(p.err.Error())
	case !p.looked:
		return "Checking whether a file is there…"
	case !p.place.Known:
		return "It is not known whether a file is there."
	case !p.place.At.IsZero():
		return "As it was seen " + text.Age(p.place.At, m.o.Now()) + ": the service does not list its files."
	}
	return ""
}

// completeTags suggests the tags of the form's folder first, then all others, both by frequency.
func (m *Model) completeTags(typed string) []string {
	return edit.Matches(typed, m.folderTags[m.formFolder()], m.tags)
}

// formFolder returns the folder of the file that the form shows.
func (m *Model) formFolder() string {
	if s := m.subject(); s != nil {
		return s.folder()
	}
	return "/"
}

// wantFolderTags loads the tags of the form's folder while the user types tags.
func (m *Model) wantFolderTags() tea.Cmd {
	if m.part != onForm || m.form.On() != fieldTags {
		return nil
	}
	folder := m.formFolder()
	if _, asked := m.folderTags[folder]; asked {
		return nil
	}
	m.folderTags[folder] = nil
	return page.Within(m.o.Context, patience, func(ctx context.Context) tea.Msg {
		// Suggestions are optional, so errors are ignored.
		tags, _ := m.o.Session.TagsIn(ctx, folder)
		return page.Do(func() { m.folderTags[folder] = tags })
	})
}

// wantFoldersIn loads the subfolders of the typed folder.
func (m *Model) wantFoldersIn() tea.Cmd {
	if m.part != onForm || m.form.On() != fieldFolder {
		return nil
	}
	typed := m.form.Row(fieldFolder).Value()
	if !strings.HasSuffix(typed, "/") {
		typed = path.Dir(typed)
	}
	parent, err := api.CleanFolder(strings.TrimPrefix(typed, "."))
	if err != nil || m.foldersIn[parent] {
		return nil
	}
	m.foldersIn[parent] = true
	return page.Within(m.o.Context, patience, func(ctx context.Context) tea.Msg {
		folders, _ := m.o.Session.FoldersIn(ctx, parent)
		return page.Do(func() {
			if m.addFolders(folders); len(folders) > 0 && m.part == onForm && m.form.On() == fieldFolder && m.touched {
				m.form.Refresh()
			}
		})
	})
}

// wantAlready compares the next few sources with the stored files. Small batches make it easy to cancel.
func (m *Model) wantAlready() tea.Cmd {
	if m.finding != nil || m.away || m.sending || m.unfound != nil || m.part == onForm && m.form.On() == fieldFolder {
		return nil // a folder is being typed
	}
	var of []*source
	var folders []string
	var uploads []api.Upload
	for _, s := range m.sources {
		if folder := s.folder(); s.known.looked && s.known.err == nil && s.known.asked != folder {
			of, folders, uploads = append(of, s), append(folders, folder), append(uploads, s.upload())
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
		var listed []*api.File
		var listErr error
		jobs, err := session.AlreadyStored(ctx, uploads)
		if err == nil && list {
			ctx, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			listed, listErr = session.Listed(ctx, uploads)
		}
		return page.Do(func() {
			m.stopFinding()
			m.finding = nil
			if listErr != nil && !errors.Is(listErr, context.Canceled) {
				m.unlisted = listErr
			}
			if err != nil {
				if !errors.Is(err, context.Canceled) {
					m.unfound = err
				}
				return
			}
			for n, s := range of {
				s.known.asked, s.known.stored, s.known.listed, s.checked = folders[n], jobs[n], nil, nil
				if listErr == nil && listed != nil {
					s.known.listed = listed[n]
				}
			}
			m.changed()
		})
	}
}

// stopFinding cancels the comparison. It restarts when the form is shown.
func (m *Model) stopFinding() {
	if m.finding != nil {
		m.finding()
	}
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
	m.form.Blur()
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
	place := api.PathOf(&job.Upload)
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
