package upload

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// readDraft reads a saved form. The sources of a selected folder are again below the destination folder.
func readDraft(content []byte, folder string) ([]entry.Entry, error) {
	list, err := session.ReadManifest(content)
	var entries []entry.Entry
	for _, item := range list {
		e, wrong := item.Entry("/", entry.Entry{Naming: job.NameExact})
		if err == nil {
			err = wrong
		}
		e.Source.Label = ""
		sub := strings.Trim(e.Folder.Or(""), "/")
		if below, is := strings.CutPrefix(sub+"/", strings.TrimLeft(folder+"/", "/")); is {
			sub = strings.Trim(below, "/")
		}
		dirs := strings.Split(filepath.ToSlash(filepath.Dir(e.Source.Path)), "/")
		if n := len(dirs) - rule.FolderDepth(sub); n > 0 && sub == rule.SubFolder(strings.Join(dirs[n:], "/")) {
			e.Source.Sub = sub
		}
		entries = append(entries, e)
	}
	if err != nil {
		return nil, fmt.Errorf("the draft of the upload form cannot be read: %w", err)
	}
	return entries, nil
}

// DraftSources returns the sources of a saved form (see Options.Draft), for the tray. It returns
// an error if the text cannot be read. folder is the destination folder of the profile.
func DraftSources(content []byte, folder string) ([]api.Source, error) {
	entries, err := readDraft(content, folder)
	return rule.Mapped(entries, func(e entry.Entry) api.Source { return e.Source }), err
}

// restore returns the sources of a draft; nil if there is none that can be read.
func restore(content []byte, folder string) (sources []*source) {
	if len(content) == 0 {
		return nil
	}
	entries, _ := readDraft(content, folder) // DraftSources reports the error
	for _, e := range entries {
		sources = append(sources, &source{Draft: edit.Draft{Entry: e, Marked: true}})
	}
	return sources
}

// drafts writes drafts in order, even if commands run out of order.
type drafts struct {
	started int // only the event loop uses it
	mu      sync.Mutex
	done    int
}

// saving returns a function that saves the draft of some sources, as they are now, unless a later
// one is saved.
func (m *Model) saving(sources []*source) func(context.Context) error {
	m.unkept = false
	m.drafts.started++
	d, number, save := m.drafts, m.drafts.started, m.o.Session.SaveDraft
	entries := rule.Mapped(sources, func(s *source) session.ManifestEntry { return session.ManifestOf(&s.Entry) })
	return func(ctx context.Context) error {
		var draft bytes.Buffer
		_ = session.WriteManifest(&draft, entries) // a buffer takes all
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

// Keep returns a function that saves the form of the picked sources as it is now, for use when the
// program exits and runs no more commands. It returns nil if nothing needs saving.
func (m *Model) Keep(picked []api.Source) func(context.Context) error {
	same := func(s *source, p api.Source) bool { return s.Source == p }
	alone := len(picked) == 0 && m.unpicked
	if !m.sending && !alone && !slices.EqualFunc(m.Items, picked, same) {
		m.Compose(picked)
		m.touched = true
	}
	if !m.touched && (len(m.Items) == 0 || alone) { // it was only looked at
		return nil
	}
	return m.saving(m.Items)
}

// saveDraft saves the form if it changed. Only one save runs at a time; the next one saves later
// changes.
func (m *Model) saveDraft() tea.Cmd {
	if !m.unkept || m.keeping {
		return nil
	}
	m.keeping = true
	keep := m.saving(m.Items)
	return func() tea.Msg {
		err := keep(m.o.Context)
		return page.Then(func() tea.Cmd {
			m.keeping = false
			m.touched = m.touched && (len(m.Items) > 0 || m.unkept)
			if err == nil || m.o.Context.Err() != nil || m.keepFailed {
				return nil
			}
			m.keepFailed = true // report it once, not after every key
			return page.Send(page.Problem(err))
		})
	}
}

// keepOthers returns a function that saves the form without the queued sources. It runs at once,
// so that a crash does not bring them back. The next save reports its error.
func (m *Model) keepOthers(queued []*source) func() {
	if !m.touched {
		return func() {}
	}
	// A newer save must not bring the queued ones back; see queued.
	save := m.saving(slices.DeleteFunc(slices.Clone(m.Items),
		func(s *source) bool { return slices.Contains(queued, s) }))
	return func() { _ = save(m.o.Context) }
}

// Presets stores options by name.
type Presets interface {
	Presets(ctx context.Context) ([]journal.Preset, error)
	SavePreset(ctx context.Context, p journal.Preset) error
	RemovePreset(ctx context.Context, name string) error
}

// readPreset reads the body of a preset: an entry of a document without a source.
func readPreset(body []byte) (entry.Options, error) {
	list, err := session.ReadManifest(body)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("it has %d entries", len(list))
	}
	if err != nil {
		return entry.Options{}, fmt.Errorf("the preset cannot be read: %w", err)
	}
	return list[0].Options, nil
}

func describePreset(body []byte) string {
	options, err := readPreset(body)
	if err != nil {
		return "cannot be read"
	}
	var set []string
	for _, f := range entry.Fields {
		if options.Has(f) {
			set = append(set, strings.ToLower(f.Label))
		}
	}
	return cmp.Or(strings.Join(set, ", "), "the service's defaults")
}

func (m *Model) openPresets() tea.Cmd {
	m.Focus(m.On)
	return func() tea.Msg {
		list, err := m.o.Session.Presets(m.o.Context)
		if err != nil {
			return page.Problem(err)
		}
		return page.Do(func() { m.Open(m.presetMenu(list)) })
	}
}

func (m *Model) presetMenu(list []journal.Preset) *kit.Menu {
	menu, files := kit.NewMenu("Presets"), text.Plural(len(m.Targets()), "file")
	fill := func() {
		menu.Words = text.Either(len(list) == 0, "There is no preset yet. Press s to save the options of "+files+" as one.",
			"Press enter to load a preset into "+files+": it sets what it names and leaves the rest.")
		menu.SetRows(rule.Mapped(list, func(p journal.Preset) kit.MenuRow {
			return kit.MenuRow{Label: p.Name, Note: describePreset(p.Body), Do: func() tea.Cmd { return m.loadPreset(p) }}
		})...)
	}
	action := func(id, words, key string, do func() tea.Cmd) kit.Action {
		keys := kit.Bind(words, "", key)
		return kit.Action{ID: "form." + id, Keys: keys, Group: "Presets", Footer: true, Do: do}
	}
	remove := action("remove-preset", "remove the preset", "d", func() tea.Cmd {
		name := menu.Row().Label
		list = slices.DeleteFunc(slices.Clone(list), func(p journal.Preset) bool { return p.Name == name })
		fill()
		forget := func(ctx context.Context) error { return m.o.Session.RemovePreset(ctx, name) }
		return m.storePreset("Removed", name, forget)
	})
	remove.Disabled = func() string { return text.If(len(list) == 0, "there is no preset yet") }
	menu.Beside = []kit.Action{
		action("save-preset", "save these options", "s", func() tea.Cmd {
			return m.askPreset(menu)
		}),
		remove,
	}
	fill()
	return menu
}

const longestName = 200

func (m *Model) askPreset(menu *kit.Menu) tea.Cmd {
	e := &m.Targets()[0].Entry
	p := kit.NewPrompt("Save a preset", "Saves the options of "+e.Source.Name()+". A preset of the same name is replaced.", "Name", "", "such as web pictures")
	p.Verb = "save under this name"
	p.Check = func(name string) string {
		return text.If(strings.TrimSpace(name) == "", "A preset needs a name.") + text.If(len(name) > longestName, "The name is too long.")
	}
	p.Do = func(name string) tea.Cmd {
		menu.Close()
		name = strings.TrimSpace(name)
		var body bytes.Buffer
		fields := slices.DeleteFunc(slices.Clone(entry.Fields),
			func(f *entry.Field) bool { return f.Name == rule.FieldName })
		if err := session.WriteManifest(&body, []session.ManifestEntry{{Options: entry.OptionsOf(e,
			fields...)}}); err != nil {
			return page.Send(page.Problem(err))
		}
		return m.storePreset("Saved", name, func(ctx context.Context) error {
			return m.o.Session.SavePreset(ctx, journal.Preset{Name: name, Body: body.Bytes()})
		})
	}
	return m.Open(p)
}

func (m *Model) storePreset(verb, name string, do func(context.Context) error) tea.Cmd {
	return func() tea.Msg {
		if err := do(m.o.Context); err != nil {
			return page.Problem(err)
		}
		return page.Toast{Level: page.Good, Text: verb + " the preset " + text.Safe(name) + "."}
	}
}

func (m *Model) loadPreset(p journal.Preset) tea.Cmd {
	options, err := readPreset(p.Body)
	if err != nil {
		return page.Send(page.Problem(err))
	}
	var from edit.Draft
	options.Apply(&from.Entry)
	for _, s := range m.Targets() {
		for _, f := range entry.Fields {
			if options.Has(f) && f.Name != rule.FieldName {
				s.Copy(f, &from)
			}
		}
		if s.Naming == "" {
			s.Naming = job.NameExact
		}
	}
	m.Touch(m.Targets()...)
	files := text.Plural(len(m.Targets()), "file")
	return page.Tell(page.Good, "Loaded the preset "+text.Safe(p.Name)+" into "+files+".")
}
