package upload

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/page"
)

// kept is the saved form of an unsent upload: the sources with their input, the marks and the focus. Equal options
// are stored once.
type kept struct {
	Version int                 `json:"version"`
	Options []api.UploadOptions `json:"options"` // without the names
	Sources []keptSource        `json:"sources"`
	Cursor  int                 `json:"cursor"`
	Focus   field               `json:"focus,omitempty"` // empty: no row

	// Edited is an option text with errors. EditedOf are the indices of its sources.
	Edited   string `json:"edited,omitempty"`
	EditedOf []int  `json:"editedOf,omitempty"`

	// Texts are the texts of version 2; Values are indices into it.
	Texts []string `json:"texts,omitempty"`
}

type keptSource struct {
	Source  api.Source      `json:"source"`
	Name    string          `json:"name"`
	Marked  bool            `json:"marked,omitempty"`
	Options int             `json:"options"` // index into Options
	Typed   map[field]typed `json:"typed,omitempty"`

	Values map[field]int `json:"values,omitempty"` // of version 2
}

// keptVersion is the version of the saved form. Version 2 can still be read.
const keptVersion = 3

// snapshot is a copy of the form, made on the event loop and encoded elsewhere.
type snapshot struct {
	sources []source
	cursor  int
	focus   field
	edited  string
	of      []int
}

func (m *Model) snapshot() snapshot {
	s := snapshot{cursor: m.list.Cursor()}
	for _, src := range m.sources {
		s.sources = append(s.sources, source{options: src.options, marked: src.marked})
	}
	for _, of := range m.textOf {
		if at := slices.Index(m.sources, of); at >= 0 {
			s.of = append(s.of, at)
		}
	}
	// Without all its files, the text would apply to the wrong ones.
	if len(s.of) == len(m.textOf) {
		s.edited = m.text
	}
	if i := m.focused(); i != nil && i.meta == nil {
		s.focus = i.field
	}
	return s
}

// text returns the encoded form, or nil if it is empty.
func (s snapshot) text() ([]byte, error) {
	if len(s.sources) == 0 {
		return nil, nil
	}
	k := kept{Version: keptVersion, Cursor: s.cursor, Focus: s.focus, Edited: s.edited, EditedOf: s.of}
	at := map[string]int{}
	for i := range s.sources {
		src := &s.sources[i]
		e := src.entry
		ks := keptSource{Source: e.Source, Name: e.FileName, Marked: src.marked, Typed: src.typed}
		e.FileName = ""
		options := api.SetOptions(&e)
		text, err := json.Marshal(options)
		if err != nil {
			return nil, err
		}
		place, ok := at[string(text)]
		if !ok {
			place = len(k.Options)
			at[string(text)] = place
			k.Options = append(k.Options, options)
		}
		ks.Options = place
		k.Sources = append(k.Sources, ks)
	}
	return json.Marshal(k)
}

// readKept decodes a saved form.
func readKept(text []byte) (kept, error) {
	var k kept
	if err := json.Unmarshal(text, &k); err != nil {
		return kept{}, fmt.Errorf("the kept form cannot be read: %w", err)
	}
	if k.Version != keptVersion && k.Version != 2 {
		return kept{}, fmt.Errorf("the kept form is of version %d, this program knows %d", k.Version, keptVersion)
	}
	within := func(at, n int) bool { return at >= 0 && at < n }
	for _, s := range k.Sources {
		for _, at := range s.Values {
			if !within(at, len(k.Texts)) {
				return kept{}, fmt.Errorf("the kept form is damaged: it has no text %d", at)
			}
		}
		if k.Version == keptVersion && !within(s.Options, len(k.Options)) {
			return kept{}, fmt.Errorf("the kept form is damaged: it has no options %d", s.Options)
		}
	}
	for _, at := range k.EditedOf {
		if !within(at, len(k.Sources)) {
			return kept{}, fmt.Errorf("the kept form is damaged: it has no file %d", at)
		}
	}
	return k, nil
}

// options returns the options of one source.
func (k *kept) options(s *keptSource, items []*item) options {
	o := options{entry: api.Entry{Naming: api.NameHere, Upload: api.Upload{Source: s.Source}}}
	if k.Version == keptVersion {
		k.Options[s.Options].Apply(&o.entry)
		o.entry.FileName, o.typed = s.Name, s.Typed
		return o
	}
	texts := map[field]string{}
	for f, at := range s.Values {
		texts[f] = k.Texts[at]
	}
	o.setOld(items, texts)
	return o
}

// setOld sets rows from texts of version 0.1 in row order, because a switch must come before its options.
func (o *options) setOld(items []*item, texts map[field]string) {
	for old, now := range oldNames {
		if text, ok := texts[old]; ok {
			texts[now] = text
		}
	}
	for _, i := range items {
		text, ok := texts[i.field]
		if !ok || i.field == fieldNaming && text == "" {
			continue
		}
		if i.pick != nil && i.field != fieldNaming && i.field != fieldWebhook {
			text = map[string]string{"on": on, "off": off}[text]
		}
		o.set(items, i, text)
	}
}

// DraftSources returns the sources of a saved form (see Options.Draft), for the tray. It returns an error if the
// text cannot be read.
func DraftSources(text []byte) ([]api.Source, error) {
	k, err := readKept(text)
	var out []api.Source
	for _, s := range k.Sources {
		out = append(out, s.Source)
	}
	return out, err
}

// restore fills the form from a saved form.
func (m *Model) restore(text []byte) {
	k, err := readKept(text)
	if err != nil || len(k.Sources) == 0 {
		return
	}
	m.sources = nil
	for i := range k.Sources {
		s := &k.Sources[i]
		m.sources = append(m.sources, &source{options: k.options(s, m.items), marked: s.Marked})
	}
	m.list.SetLen(len(m.sources))
	m.list.SetCursor(k.Cursor)
	m.text = k.Edited
	for _, at := range k.EditedOf {
		m.textOf = append(m.textOf, m.sources[at])
	}
	if now := oldNames[k.Focus]; now != noField {
		k.Focus = now
	}
	if slices.ContainsFunc(m.items, func(i *item) bool { return i.field == k.Focus }) {
		m.focus = focus{stop: stopItem, field: k.Focus}
	}
	m.touched = true
}

// keeper writes saved forms in order, even if commands run out of order.
type keeper struct {
	mu   sync.Mutex
	done int
}

func (k *keeper) keep(ctx context.Context, number int, s snapshot, save func(context.Context, []byte) error) error {
	text, err := s.text()
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if number <= k.done {
		return nil
	}
	if err := save(ctx, text); err != nil {
		return fmt.Errorf("the form could not be kept: %w", err)
	}
	k.done = number
	return nil
}

// note records a change that must be saved.
func (m *Model) note() { m.touched, m.unkept = true, true }

// Keep takes a snapshot of the form and returns a function that saves it, for use when the program exits and runs no
// more commands. It returns nil if nothing needs saving.
func (m *Model) Keep() func(context.Context) error {
	if !m.touched {
		return nil
	}
	m.adopt()
	m.unkept = false
	m.keepNumber++
	number, s, k, save := m.keepNumber, m.snapshot(), m.keeper, m.o.Session.SaveDraft
	return func(ctx context.Context) error { return k.keep(ctx, number, s, save) }
}

// adopt applies the text of the focused field.
func (m *Model) adopt() {
	if i := m.focused(); i != nil && i.value() != i.loaded {
		m.apply(i)
	}
}

// wantKept saves the form if it changed. Only one save runs at a time; the next one saves later changes.
func (m *Model) wantKept() tea.Cmd {
	if !m.unkept || m.keeping {
		return nil
	}
	m.keeping = true
	ctx, keep := m.o.Context, m.Keep()
	return func() tea.Msg {
		err := keep(ctx)
		return page.Then(func() tea.Cmd { return m.gotKept(err) })
	}
}

func (m *Model) gotKept(err error) tea.Cmd {
	m.keeping = false
	if len(m.sources) == 0 && !m.unkept {
		m.touched = false
	}
	if err == nil || m.o.Context.Err() != nil || m.keepFailed {
		return nil
	}
	// Report it once, not after every key.
	m.keepFailed = true
	return page.Send(page.Problem(err))
}

// keepOthers returns a function that saves the form without the queued sources. It runs at once, so that a crash does
// not bring them back. The next save reports its error.
func (m *Model) keepOthers(others map[*source]bool) func() {
	if !m.touched {
		return func() {}
	}
	// A newer save must not bring the others back; see queued.
	m.unkept = false
	m.keepNumber++
	number, all, k, ctx, save := m.keepNumber, m.snapshot(), m.keeper, m.o.Context, m.o.Session.SaveDraft
	rest := snapshot{}
	for i, s := range m.sources {
		if others[s] {
			rest.sources = append(rest.sources, all.sources[i])
		}
	}
	return func() {
		_ = k.keep(ctx, number, rest, save)
	}
}
