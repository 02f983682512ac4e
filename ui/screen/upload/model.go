// Package upload is the upload form. It edits how the sources in the tray are sent and predicts the result.
package upload

import (
	"context"
	"image"
	"os"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
)

// Session is the part of the session that the form needs. Commands call it, except for DescribeUpload, which does no IO.
type Session interface {
	// Locate returns what is at a path, from the service or the journal.
	Locate(ctx context.Context, path string) (api.Place, error)
	// AlreadyStored returns, for each upload, the earlier job that stored the same content in the same folder, or nil.
	AlreadyStored(ctx context.Context, uploads []api.Upload) ([]*api.Job, error)
	// Listed returns, for each upload, the file of its name that the service lists in its folder, or nil.
	Listed(ctx context.Context, uploads []api.Upload) ([]*api.File, error)
	// KeepNaming saves how the profile names uploads.
	KeepNaming(naming api.Naming) error
	// Send queues jobs and returns the accepted ones.
	Send(ctx context.Context, jobs []api.Job) ([]api.Job, error)
	// DescribeUpload returns the request of an upload.
	DescribeUpload(u *api.Upload) (api.Request, error)
	// WriteManifest writes entries to a file and returns its path.
	WriteManifest(entries []session.ManifestEntry, now time.Time) (string, error)
	// SaveDraft saves the unsent form; empty text deletes it.
	SaveDraft(ctx context.Context, text []byte) error
	Offers
	Presets
}

// Offers provides suggestions.
type Offers interface {
	Tags(ctx context.Context) ([]string, error)
	Folders(ctx context.Context) ([]string, error)
	// TagsIn and FoldersIn return the tags and subfolders of a folder in the library. They are suggested first.
	TagsIn(ctx context.Context, folder string) ([]string, error)
	FoldersIn(ctx context.Context, folder string) ([]string, error)
	// MetadataFields returns the library's custom metadata fields. On an error, metadata is free text.
	MetadataFields(ctx context.Context, folder string) ([]api.MetadataField, error)
}

// Options configure a form.
type Options struct {
	// Context cancels the form's work.
	Context context.Context //nolint:containedctx // the screen's: it ends what the screen has under way
	Session Session
	Sources []api.Source
	Profile session.Profile
	// Draft is a saved form that replaces Sources; may be empty.
	Draft []byte
	// Facts inspects a file; nil means media.FactsOf.
	Facts func(ctx context.Context, path string) (media.Facts, error)
	// Getenv looks up the editor; nil means os.Getenv.
	Getenv func(string) string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Picture sets how the picture under a region is drawn. It has no color if the theme has none.
	Picture picture.Options
	// Images shows real pictures if the terminal supports them; nil draws glyphs.
	Images *picture.ImageStore
	// Loader loads the pictures on the side; nil shows none.
	Loader *picture.Loader
}

// Model is the form. Create it with [New]. It keeps its content while another screen is in front.
type Model struct {
	page.Base
	o        Options
	size     image.Point
	sources  []*source
	list     kit.MarkList
	finding  context.CancelFunc // cancels the search for stored files; nil if none runs
	unfound  error              // why that search failed, or nil
	unlisted error              // why the library could not be searched, or nil
	away     bool               // another screen is in front
	skipped  []*source          // removed because they are already stored
	items    []*item
	focus    focus
	open     section // always unfolded

	tags    []string             // suggested
	folders []string             // offered
	base    map[*source][]string // tags of the targets when loaded

	places  map[string]place
	due     page.Questions // debounces lookups
	looking bool
	waiting string // the place being debounced

	clicks *kit.Clicks
	thumbs picture.Sheet[thumb]
	theme  *theme.Theme // theme of the pictures; nil: unknown

	region  *edit.Region
	draw    *regionView // the latest region overlay, or nil
	sending bool

	folderTags  map[string][]string // tags by folder
	foldersIn   map[string]bool     // folders whose subfolders were requested
	fields      []api.MetadataField // of the library
	fieldsKnown bool

	removed    map[api.Source]options // input for removed sources
	text       string                 // option text with errors
	textOf     []*source              // its sources
	atCheck    int                    // index of the selected check
	jumped     bool                   // the last key went to the check
	placeCount int                    // number of lookups

	touched    bool // something was entered
	unkept     bool // something entered is not saved yet
	keeping    bool
	keepFailed bool
	keepNumber int
	keeper     *keeper

	scroll int    // of the side
	total  *total // of all sources; nil: must be computed
}

var (
	_ page.Screen    = (*Model)(nil)
	_ page.Catalog   = (*Model)(nil)
	_ page.Pixels    = (*Model)(nil)
	_ page.Commander = (*Model)(nil)
)

// New returns a form.
func New(o Options) *Model {
	if o.Facts == nil {
		o.Facts = media.FactsOf
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Model{
		o: o, items: newItems(o.Profile), places: map[string]place{}, base: map[*source][]string{},
		folderTags: map[string][]string{}, foldersIn: map[string]bool{}, removed: map[api.Source]options{}, keeper: &keeper{}, clicks: kit.NewClicks(o.Now),
	}
	m.region = m.newRegion(o)
	m.list = kit.MarkList{
		ID: "form", Mark: func(row int) *bool { return &m.sources[row].marked }, Name: func(row int) string { return m.sources[row].entry.Source.Name() },
		Moved: m.listMoved, Marked: func() tea.Cmd { m.load(); return nil },
	}
	m.focus = focus{stop: stopItem, field: firstField}
	for _, src := range o.Sources {
		m.sources = append(m.sources, &source{options: startOptions(src, o.Profile), marked: true})
	}
	m.list.SetLen(len(m.sources))
	if len(o.Draft) > 0 {
		m.restore(o.Draft)
	}
	m.item(fieldTags).chips.Complete, m.item(fieldFolder).text.Complete = m.completeTags, m.completeFolder
	m.load()
	m.setFocus(m.focus)
	m.sum()
	return m
}

// Sources returns the remaining sources in order.
func (m *Model) Sources() []api.Source {
	out := make([]api.Source, 0, len(m.sources))
	for _, s := range m.sources {
		out = append(out, s.entry.Source)
	}
	return out
}

// Compose sets the sources of the form. Sources that it already has keep their input. New ones get the values that all of
// those share, or the profile's defaults if none remain.
func (m *Model) Compose(sources []api.Source) tea.Cmd {
	if m.sending {
		return nil
	}
	m.leave()
	m.Overlays().CloseAll()
	m.draw = nil
	held := map[api.Source][]*source{}
	for _, s := range m.sources {
		held[s.entry.Source] = append(held[s.entry.Source], s)
	}
	var kept, all []*source
	for _, src := range sources {
		if old := held[src]; len(old) > 0 {
			held[src] = old[1:]
			kept, all = append(kept, old[0]), append(all, old[0])
			continue
		}
		s := &source{options: startOptions(src, m.o.Profile), marked: true}
		all = append(all, s)
		if was, ok := m.removed[src]; ok {
			s.options = was
			kept = append(kept, s)
			delete(m.removed, src)
		}
	}
	for _, s := range all {
		if !slices.Contains(kept, s) && len(kept) > 0 {
			m.share(kept, s)
		}
	}
	for _, gone := range held {
		for _, s := range gone {
			m.removed[s.entry.Source] = s.options
		}
	}
	if len(kept) == 0 {
		m.focus = focus{stop: stopItem, field: firstField}
	}
	m.skipped = nil
	m.setSources(all)
	return m.inspectSources()
}

// setSources replaces the sources.
func (m *Model) setSources(sources []*source) {
	m.unkept = m.unkept || m.touched
	m.sources = sources
	m.list.SetLen(len(m.sources))
	if len(m.sources) == 1 {
		m.sources[0].marked = true
	}
	m.load()
	m.setFocus(m.focus)
}

// share gives a source the values that all the others share, except the name.
func (m *Model) share(from []*source, to *source) {
	for _, i := range m.items {
		text := from[0].text(i)
		if i.field != fieldName && to.text(i) != text && !slices.ContainsFunc(from, func(s *source) bool { return s.text(i) != text }) {
			to.set(m.items, i, text)
		}
	}
}

// Init inspects the sources and loads suggestions.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(m.inspectSources(), m.askTags(), m.askFolders(), m.askFields(), m.follow())
}

// Update handles a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd := m.handle(msg)
	return tea.Batch(cmd, m.settle())
}

// settle updates the layout and starts lookups after every message.
func (m *Model) settle() tea.Cmd {
	m.sum()
	m.layoutList()
	if m.draw != nil && m.draw.Closed() {
		m.draw = nil
		m.region.Resize(image.Rectangle{})
	}
	if o, ok := m.Overlays().Top().(refresher); ok {
		o.refresh()
	}
	return m.follow()
}

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.Resized:
		m.size = msg.Size
	case page.Shown:
		// Files may have changed while the form was hidden.
		clear(m.places)
		for _, s := range m.sources {
			s.known.asked = ""
		}
		m.away, m.unfound, m.unlisted = false, nil, nil
		m.changed()
	case page.Hidden:
		m.away = true
		m.stopFinding()
	case page.Compose:
		if len(msg.Jobs) > 0 {
			return m.editJobs(msg.Jobs)
		}
		return m.Compose(msg.Sources)
	case page.Themed:
		m.theme = msg.Theme
	case picture.Transmitted:
		m.thumbs.Transmitted(msg)
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	case page.FileChanged:
		m.learn(msg.File)
	case editedMsg:
		return m.edited(msg)
	case fieldsMsg:
		m.gotFields(msg)
	case factsMsg:
		return m.gotFacts(msg)
	default:
		cmd, _ := m.region.Update(msg)
		return cmd
	}
	return nil
}

// current returns the source under the list's cursor, or nil if the form is empty.
func (m *Model) current() *source {
	if len(m.sources) == 0 {
		return nil
	}
	return m.sources[m.list.Cursor()]
}

// subject returns the target that the form shows: the one under the cursor if it is a target. It is nil in an empty form.
func (m *Model) subject() *source {
	if s := m.current(); s == nil || s.marked {
		return s
	}
	return m.targets()[0]
}

// targets returns the sources that a change applies to: the marked ones, or else the one under the cursor.
func (m *Model) targets() []*source {
	var marked []*source
	for _, s := range m.sources {
		if s.marked {
			marked = append(marked, s)
		}
	}
	if len(marked) == 0 && len(m.sources) > 0 {
		return []*source{m.current()}
	}
	return marked
}

// item returns the item that edits a field.
func (m *Model) item(f field) *item { return itemOf(m.items, f) }

// load shows the values of the targets in the items.
func (m *Model) load() {
	targets := m.targets()
	if m.changed(); len(targets) == 0 {
		return
	}
	clear(m.base)
	for _, s := range targets {
		m.base[s] = s.entry.Tags.Or(nil)
	}
	for _, i := range m.items {
		i.loadOf(targets)
	}
}

// apply sets the targets to the text of an item.
func (m *Model) apply(i *item) {
	now := i.value()
	if i.chips != nil {
		m.applyTags(i, now)
	} else {
		for _, s := range m.targets() {
			m.set(s, i.field, now)
		}
		i.loaded, i.mixed = now, false
	}
	if i.section == sectionMetadata {
		m.loadMetadata(i)
	}
	m.changed()
}

// applyTags adds and removes the changed tags in each target. Tags that only some have stay.
func (m *Model) applyTags(i *item, now string) {
	if !i.mixed {
		for _, s := range m.targets() {
			m.set(s, fieldTags, now)
		}
		return
	}
	before, after := api.SplitTags(i.loaded), api.SplitTags(now)
	for _, s := range m.targets() {
		m.set(s, fieldTags, api.JoinTags(edit.Replayed(m.base[s], before, after)))
	}
}

// commonTags returns the tags that all sources have, joined.
func commonTags(sources []*source) string {
	common := slices.Clone(sources[0].entry.Tags.Or(nil))
	for _, s := range sources[1:] {
		common = slices.DeleteFunc(common, func(tag string) bool { return !slices.Contains(s.entry.Tags.Or(nil), tag) })
	}
	return api.JoinTags(common)
}

// set sets a row of a source to a text.
func (m *Model) set(s *source, f field, text string) {
	if i := m.item(f); s.text(i) != text {
		s.set(m.items, i, text)
		s.checked, s.failed = nil, nil
		m.note()
	}
}

// changed drops cached results.
func (m *Model) changed() { m.total = nil }

// remove removes a source from the form. It does not touch the file.
func (m *Model) remove(s *source) {
	m.removed[s.entry.Source] = s.options
	m.setSources(slices.DeleteFunc(m.sources, func(other *source) bool { return other == s }))
}
