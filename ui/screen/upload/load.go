package upload

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/media"
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

// factsMsg carries facts about files by path.
type factsMsg map[string]known

// place is the result of a lookup.
type place struct {
	place  api.Place
	looked bool
	at     time.Time // when it was looked up
	err    error     // error of the lookup, or nil
	number int       // number of the latest update; 0: none
}

// inspectSources inspects the next few files.
func (m *Model) inspectSources() tea.Cmd {
	var paths []string
	for _, s := range m.sources {
		if s.entry.Source.Path != "" && !s.known.looked && !slices.Contains(paths, s.entry.Source.Path) {
			if paths = append(paths, s.entry.Source.Path); len(paths) == handful {
				break
			}
		}
	}
	if len(paths) == 0 {
		return nil
	}
	ctx, facts := m.o.Context, m.o.Facts
	return func() tea.Msg {
		of := map[string]known{}
		for _, path := range paths {
			of[path] = inspectSource(ctx, path, facts)
		}
		return factsMsg(of)
	}
}

func inspectSource(ctx context.Context, path string, facts func(context.Context, string) (media.Facts, error)) known {
	k := known{looked: true}
	if k.identity, k.err = api.Identify(path); k.err != nil {
		return k
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	k.facts, k.err = facts(ctx, path)
	return k
}

func (m *Model) gotFacts(msg factsMsg) tea.Cmd {
	for _, s := range m.sources {
		if k, ok := msg[s.entry.Source.Path]; ok && s.entry.Source.Path != "" {
			s.known, s.checked = k, nil
		}
	}
	m.changed()
	return m.inspectSources()
}

func (m *Model) askTags() tea.Cmd {
	ctx, ask := m.o.Context, m.o.Session.Tags
	return func() tea.Msg {
		// Suggestions are optional, so errors are ignored.
		tags, _ := ask(ctx)
		return page.Do(func() { m.tags = tags })
	}
}

func (m *Model) addFolders(folders []string) {
	m.folders = slices.Compact(slices.Sorted(slices.Values(slices.Concat(m.folders, folders))))
}

func (m *Model) askFolders() tea.Cmd {
	ctx, ask := m.o.Context, m.o.Session.Folders
	return func() tea.Msg {
		folders, _ := ask(ctx)
		return page.Do(func() { m.addFolders(folders) })
	}
}

// completeFolder returns the folders that match the typed text.
func (m *Model) completeFolder(typed string) []string {
	if strings.Trim(typed, "/ ") == "" {
		return nil
	}
	return slices.DeleteFunc(edit.Matches(typed, m.folders), func(f string) bool { return strings.TrimSuffix(f, "/") == strings.TrimSuffix(typed, "/") })
}

// follow starts the lookups that the form needs.
func (m *Model) follow() tea.Cmd {
	return tea.Batch(m.wantPlaces(), m.showPicture(), m.wantThumbs(), m.wantFolderTags(), m.wantFoldersIn(), m.wantAlready(), m.wantKept())
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
		if s.naming() != api.NameExact || api.CheckName(s.entry.FileName) != nil {
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
	ctx, look, now := m.o.Context, m.o.Session.Locate, m.o.Now
	return func() tea.Msg {
		of := map[string]place{}
		for _, path := range paths {
			p := inspectPlace(ctx, path, look)
			p.at = now()
			of[path] = p
		}
		return page.Then(func() tea.Cmd { return m.gotPlaces(of) })
	}
}

func inspectPlace(ctx context.Context, path string, inspect func(context.Context, string) (api.Place, error)) place {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	at, err := inspect(ctx, path)
	if err != nil {
		at = api.Place{}
	}
	return place{place: at, looked: true, err: err}
}

// gotPlaces stores the results and continues unless the user is typing.
func (m *Model) gotPlaces(found map[string]place) tea.Cmd {
	m.looking = false
	// The results are valid whatever was typed since.
	for path, p := range found {
		m.placeCount++
		p.number = m.placeCount
		m.places[path] = p
	}
	m.changed()
	if m.waiting != "" {
		return nil
	}
	return m.inspectPlaces()
}

// learn stores a record from another part of the program.
func (m *Model) learn(f api.File) {
	p, ok := m.places[f.FilePath]
	if !ok || f.FilePath == "" {
		return
	}
	p.place.Known, p.place.File, p.place.At, p.at, p.err = true, &f, time.Time{}, m.o.Now(), nil
	m.placeCount++
	p.number = m.placeCount
	m.places[f.FilePath] = p
	m.changed()
}

// statusOf tells why a place is not known; "" if it is known or irrelevant.
func (m *Model) statusOf(s *source) string {
	if s.naming() != api.NameExact {
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
	return "Looked up in the library at " + p.at.Format(time.TimeOnly) + "."
}
