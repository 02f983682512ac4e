// Package upload is the upload form. It edits how the sources in the tray are sent and predicts the result.
package upload

import (
	"context"
	"image"
	"maps"
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
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Session is the part of [session.Session] that the form uses; tests have another. Commands call it, except for
// DescribeUpload, which does no IO.
type Session interface {
	Locate(ctx context.Context, path string) (api.Place, error)
	AlreadyStored(ctx context.Context, uploads []api.Upload) ([]*api.Job, error)
	Listed(ctx context.Context, uploads []api.Upload) ([]*api.File, error)
	KeepNaming(naming api.Naming) error
	Send(ctx context.Context, jobs []api.Job) ([]api.Job, error)
	DescribeUpload(u *api.Upload) (api.Request, error)
	WriteManifest(entries []session.ManifestEntry, now time.Time) (string, error)
	SaveDraft(ctx context.Context, text []byte) error
	Presets
	Tags(ctx context.Context) ([]string, error)
	Folders(ctx context.Context) ([]string, error)
	TagsIn(ctx context.Context, folder string) ([]string, error)
	FoldersIn(ctx context.Context, folder string) ([]string, error)
	MetadataFields(ctx context.Context, folder string) ([]api.MetadataField, error)
}

// Options configure a form.
type Options struct {
	// Context cancels the form's work.
	Context context.Context
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
	list     kit.List[*source]
	finding  context.CancelFunc // cancels the search for stored files; nil if none runs
	unfound  error              // why that search failed, or nil
	unlisted error              // why the library could not be searched, or nil
	away     bool               // another screen is in front
	skipped  []*source          // removed because they are already stored
	form     *edit.Form
	part     part

	tags    []string // suggested
	folders []string // offered

	places  map[string]place
	due     page.Questions // debounces lookups
	looking bool
	waiting string // the place being debounced

	clicks *kit.Clicks
	thumbs *edit.Tiles  // pictures of the files at the side
	theme  *theme.Theme // theme of the pictures; nil: unknown

	region   *edit.Region
	regionOf []*source        // whose region changes on the picture
	page     *edit.RegionPage // the latest one, or nil
	sending  bool

	folderTags  map[string][]string // tags by folder
	foldersIn   map[string]bool     // folders whose subfolders were requested
	fields      []api.MetadataField // of the library
	fieldsKnown bool

	removed []*source // may come back
	text    edit.Document
	atCheck int // index of the check that was gone to last; -1: none yet

	touched    bool // something was entered
	unkept     bool // something entered is not saved yet
	keeping    bool
	keepFailed bool
	drafts     *drafts

	side  kit.Pane
	total *total // of all sources; nil: must be computed
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
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Model{
		o: o, places: map[string]place{},
		folderTags: map[string][]string{}, foldersIn: map[string]bool{}, drafts: &drafts{}, clicks: kit.NewClicks(o.Now),
	}
	m.region = m.newRegion(o)
	m.list = kit.List[*source]{
		ID: "form", Bare: true, Marking: true, Placeholder: "part of a name", Nothing: emptyForm, NotFound: "the filter finds nothing", Now: o.Now,
		Rows: func() []kit.Group[*source] { return []kit.Group[*source]{{Rows: m.sources}} }, Key: func(s *source) any { return s },
		Match: func(s *source, words []string) bool { return text.HasAll(words, s.entry.Source.Name()) },
		Mark:  func(s *source) *bool { return &s.marked }, Moved: func() { m.side.Reset(); m.load() }, Marked: m.load, Draw: m.listRow,
	}
	m.atCheck = -1
	m.part, m.form = onForm, edit.NewForm("form", groupForm, m.targetRows)
	m.form.Live, m.form.Changed, m.form.Leave = true, m.applied, m.leaveForm
	m.text = edit.Document{Getenv: o.Getenv, Entries: m.document, Apply: m.applyDocument}
	m.thumbs = edit.NewTiles(edit.TilesOptions{
		Context: o.Context, Loader: o.Loader, Len: func() int { return len(m.targets()) }, Tile: m.tile,
	})
	m.thumbs.On = true
	for _, src := range o.Sources {
		m.sources = append(m.sources, &source{options: startOptions(src, o.Profile), marked: true})
	}
	m.list.Arrange()
	if len(o.Draft) > 0 {
		m.restore(o.Draft)
	}
	m.load()
	m.form.End(false)
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
	m.form.Blur()
	m.Overlays().CloseAll()
	held := map[api.Source][]*source{}
	for _, s := range m.sources {
		held[s.entry.Source] = append(held[s.entry.Source], s)
	}
	for _, s := range m.removed {
		s.marked, s.known, s.checked = true, known{}, nil
		held[s.entry.Source] = append(held[s.entry.Source], s)
	}
	var kept, fresh, all []*source
	for _, src := range sources {
		s := &source{options: startOptions(src, m.o.Profile), marked: true}
		if old := held[src]; len(old) > 0 {
			s, held[src] = old[0], old[1:]
			kept = append(kept, s)
		} else {
			fresh = append(fresh, s)
		}
		all = append(all, s)
	}
	if len(kept) == 0 {
		m.focus(onForm)
		m.form.End(false)
	} else {
		m.share(kept, fresh)
	}
	m.removed = slices.Concat(slices.Collect(maps.Values(held))...)
	m.skipped = nil
	m.setSources(all)
	return m.inspectSources()
}

// setSources replaces the sources.
func (m *Model) setSources(sources []*source) {
	m.unkept = m.unkept || m.touched
	m.sources = sources
	m.list.Arrange()
	if len(m.sources) == 1 {
		m.sources[0].marked = true
	}
	if len(m.sources) < 2 && m.part == onList {
		m.focus(onForm)
	}
	m.load()
}

// share gives sources the values that all of some share, except the name.
func (m *Model) share(from, to []*source) {
	for _, f := range api.UploadFields {
		if f.Key == fieldName || slices.ContainsFunc(from, func(s *source) bool { return s.text(f) != from[0].text(f) }) {
			continue
		}
		for _, s := range to {
			s.copyField(f, &from[0].options)
		}
	}
}

// Init inspects the sources and loads suggestions.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(m.inspectSources(), m.askKnown(), m.askFields(), m.follow())
}

// Update handles a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd := m.handle(msg)
	return tea.Batch(cmd, m.settle())
}

// settle updates the layout and starts lookups after every message.
func (m *Model) settle() tea.Cmd {
	m.sum()
	l := m.layout(m.size)
	if len(m.sources) > 0 && !l.list.Empty() {
		rows, _ := m.listRect(l)
		m.list.Resize(rows.Size())
		m.list.Changed()
	}
	pictures := m.layoutSide(l)
	m.form.Resize(inner(l.form).Size())
	if m.page != nil && !m.page.Closed() {
		m.page.Position()
	}
	if o, ok := m.Overlays().Top().(*patternView); ok {
		o.refresh()
	}
	return tea.Batch(pictures, m.follow())
}

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.Resized:
		m.size = msg.Size
	case page.Shown:
		// Files may have changed while the form was hidden.
		clear(m.places)
		for _, s := range m.sources {
			s.known.asked, s.checked = "", nil
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
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	case page.FileChanged:
		m.learn(msg.File)
	case edit.EditedMsg:
		return m.text.Update(msg)
	default:
		if !m.thumbs.Update(msg) {
			cmd, _ := m.region.Update(msg)
			return cmd
		}
	}
	return nil
}

// current returns the source under the list's cursor, or nil if the form is empty.
func (m *Model) current() *source {
	if len(m.sources) == 0 {
		return nil
	}
	if s, ok := m.list.Row(); ok {
		return s
	}
	return m.sources[0] // the filter finds nothing
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
	var out []*source
	for _, i := range m.targetRows() {
		out = append(out, m.sources[i])
	}
	return out
}

func (m *Model) targetRows() []int {
	var marked []int
	for i, s := range m.sources {
		if s.marked {
			marked = append(marked, i)
		}
	}
	if len(marked) == 0 && len(m.sources) > 0 {
		return []int{slices.Index(m.sources, m.current())}
	}
	return marked
}

// load shows the values of the targets.
func (m *Model) load() {
	m.changed()
	m.form.SetRows(m.rows())
}

// applied follows a change in the form.
func (m *Model) applied() {
	m.atCheck = -1
	m.load()
}

// dirty drops what is known of a source's options and saves them later.
func (m *Model) dirty(s *source) {
	s.checked, s.failed = nil, nil
	m.note()
}

// set sets a field of a source to a text.
func (m *Model) set(s *source, key field, text string) {
	if f := api.FieldByKey(key); s.text(f) != text {
		s.set(f, text)
		m.dirty(s)
	}
}

// changed drops cached results.
func (m *Model) changed() { m.total = nil }

// remove removes a source from the form. It does not touch the file.
func (m *Model) remove(s *source) {
	m.removed = append(m.removed, s)
	m.setSources(slices.DeleteFunc(m.sources, func(other *source) bool { return other == s }))
}

// editJobs puts jobs that were not stored back into the form with their options and errors, and marks only them.
func (m *Model) editJobs(jobs []api.Job) tea.Cmd {
	if m.sending || len(jobs) == 0 {
		return nil
	}
	m.form.Blur()
	m.Overlays().CloseAll()
	for _, s := range m.sources {
		s.marked = false
	}
	for i := range jobs {
		job := &jobs[i]
		at := slices.IndexFunc(m.sources, func(s *source) bool { return s.entry.Source == job.Upload.Source })
		if at < 0 {
			m.sources = append(m.sources, &source{})
			at = len(m.sources) - 1
		}
		s := m.sources[at]
		s.options, s.marked, s.checked, s.known = options{entry: api.EntryOf(job, m.o.Profile.Receiver != "")}, true, nil, known{}
		s.failed = nil
		if job.Failure != nil {
			s.failed = job.Failure
		}
		m.list.Arrange()
		m.list.Show(s)
	}
	m.note()
	m.load()
	m.focus(onForm)
	m.form.End(false)
	return m.inspectSources()
}
