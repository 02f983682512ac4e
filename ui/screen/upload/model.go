// Package upload is the upload form: how the sources of the tray are sent, and
// what that will do.
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

// Session is what the form asks of the session. All of it is called in commands but
// DescribeUpload, which only puts values together.
type Session interface {
	// Locate looks up what is at a path, in the service or in the journal.
	Locate(ctx context.Context, path string) (api.Place, error)
	// AlreadyStored tells of each upload which earlier one stored the same content in
	// the same folder; nil where none did.
	AlreadyStored(ctx context.Context, uploads []api.Upload) ([]*api.Job, error)
	// Listed tells of each upload which file of its name the service lists in its folder;
	// nil where it lists none.
	Listed(ctx context.Context, uploads []api.Upload) ([]*api.File, error)
	// KeepNaming keeps how uploads of the profile are named.
	KeepNaming(naming api.Naming) error
	// Send hands jobs to the queue and returns those that it took.
	Send(ctx context.Context, jobs []api.Job) ([]api.Job, error)
	// DescribeUpload shows an upload as it would go out.
	DescribeUpload(u *api.Upload) (api.Request, error)
	// WriteManifest writes entries to a file and returns its path.
	WriteManifest(entries []session.ManifestEntry, now time.Time) (string, error)
	// SaveDraft keeps the form while it is not sent; empty text removes it.
	SaveDraft(ctx context.Context, text []byte) error
	Offers
	Presets
}

// Offers are what is offered while a person types.
type Offers interface {
	Tags(ctx context.Context) ([]string, error)
	Folders(ctx context.Context) ([]string, error)
	// TagsIn are the tags of the files in a folder, and FoldersIn the folders in one,
	// as the library lists them: they are offered before the others.
	TagsIn(ctx context.Context, folder string) ([]string, error)
	FoldersIn(ctx context.Context, folder string) ([]string, error)
	// MetadataFields are the custom metadata fields of the library. An error says that
	// they are not known; metadata is then typed freely.
	MetadataFields(ctx context.Context, folder string) ([]api.MetadataField, error)
}

// Options are what a form begins with.
type Options struct {
	// Context ends what the form has under way.
	Context context.Context //nolint:containedctx // the screen's: it ends what the screen has under way
	Session Session
	Sources []api.Source
	Profile session.Profile
	// Draft is a form that was kept, to begin with in the place of Sources; empty
	// for none.
	Draft []byte
	// Facts looks at a file; nil: media.FactsOf.
	Facts func(ctx context.Context, path string) (media.Facts, error)
	// Getenv finds the editor; nil: os.Getenv.
	Getenv func(string) string
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Picture says how to draw the picture under a region. Where the theme has
	// no colour, neither has the picture.
	Picture picture.Options
	// Images shows real pictures where the terminal can; nil: glyphs are drawn.
	Images *picture.ImageStore
	// Loader makes the pictures at the side; nil: there are none.
	Loader *picture.Loader
}

// Model is the form. Make it with [New]. It keeps what was typed for as long as
// it lives, so that it can be left and returned to.
type Model struct {
	page.Base
	o        Options
	size     image.Point
	sources  []*source
	list     kit.MarkList
	finding  context.CancelFunc // ends the look for what is stored already; nil: none is under way
	unfound  error              // why that cannot be looked for; nil: it can
	unlisted error              // why the library cannot be asked for it; nil: it can
	away     bool               // another screen is in front
	skipped  []*source          // stored already, and taken out for that
	items    []*item
	focus    focus
	open     section // the one that is unfolded whatever room there is

	tags    []string             // offered
	folders []string             // offered
	base    map[*source][]string // tags of the targets when they were loaded

	places  map[string]place
	due     page.Questions // the debounce of looking at places
	looking bool
	waiting string // the place for which a debounce runs

	clicks *kit.Clicks
	thumbs picture.Sheet[thumb]
	theme  *theme.Theme // that pictures are drawn in; nil: not known yet

	region  *edit.Region
	draw    *regionView // the region over the form, opened last; nil: never
	sending bool

	folderTags  map[string][]string // tags by the folder they are used in
	foldersIn   map[string]bool     // folders that were asked for theirs
	fields      []api.MetadataField // of the library
	fieldsKnown bool

	removed    map[api.Source]options // what was typed for sources that were removed
	text       string                 // of the options, not taken over for its errors
	textOf     []*source              // that it is about
	atCheck    int                    // number of the check that was gone to, or is under the cursor
	jumped     bool                   // the check was gone to by the last key
	placeCount int                    // of looks at places

	touched    bool // something was typed
	unkept     bool // something was typed that is not kept yet
	keeping    bool
	keepFailed bool
	keepNumber int
	keeper     *keeper

	scroll int    // of the side, where it does not fit
	total  *total // of all sources; nil: to be made
}

var (
	_ page.Screen    = (*Model)(nil)
	_ page.Catalog   = (*Model)(nil)
	_ page.Pixels    = (*Model)(nil)
	_ page.Commander = (*Model)(nil)
)

// New makes the form for some sources.
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

// Sources are those that the form still holds, in their order.
func (m *Model) Sources() []api.Source {
	out := make([]api.Source, 0, len(m.sources))
	for _, s := range m.sources {
		out = append(out, s.entry.Source)
	}
	return out
}

// Compose makes the form about these sources. Those that it held keep what was
// typed; new ones take over what all of those share, or the profile's
// beginnings where none stayed.
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

// setSources makes the form about other sources.
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

// share gives a source what all of some others say, except the name.
func (m *Model) share(from []*source, to *source) {
	for _, i := range m.items {
		text := from[0].text(i)
		if i.field != fieldName && to.text(i) != text && !slices.ContainsFunc(from, func(s *source) bool { return s.text(i) != text }) {
			to.set(m.items, i, text)
		}
	}
}

// Init looks at the sources and asks for what can be offered.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(m.inspectSources(), m.askTags(), m.askFolders(), m.askFields(), m.follow())
}

// Update takes a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd := m.handle(msg)
	return tea.Batch(cmd, m.settle())
}

// settle follows every message: parts may have another size now, and something
// else may be wanted.
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
		// What is there may have changed while the form was away.
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
	case thumbMsg:
		return m.thumbs.Got(msg.of, msg.drawn, msg.err)
	case picture.Transmitted:
		m.thumbs.Transmitted(msg)
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	case page.FileChanged:
		m.learn(msg.File)
	case keptMsg:
		return m.gotKept(msg)
	case presetsMsg:
		return m.gotPresets(msg)
	case presetSavedMsg:
		return m.presetSaved(msg)
	case editedMsg:
		return m.edited(msg)
	case savedMsg:
		m.chooseExtension(msg)
	case fieldsMsg:
		m.gotFields(msg)
	case folderTagsMsg:
		m.folderTags[msg.folder] = msg.tags
	case foldersInMsg:
		m.gotFoldersIn(msg)
	case alreadyMsg:
		m.gotAlready(msg)
	case namingKept:
		if msg.err != nil {
			return page.Send(page.Problem(msg.err))
		}
	case manifestMsg:
		return m.wroteManifest(msg)
	case factsMsg:
		return m.gotFacts(msg)
	case tagsMsg:
		m.tags = msg
	case foldersMsg:
		m.addFolders(msg)
	case placesDueMsg:
		return m.inspectPlaces()
	case placesMsg:
		return m.gotPlaces(msg)
	case queuedMsg:
		return m.queued(msg)
	default:
		cmd, _ := m.region.Update(msg)
		return cmd
	}
	return nil
}

// current is the source under the cursor of the list; nil in an empty form.
func (m *Model) current() *source {
	if len(m.sources) == 0 {
		return nil
	}
	return m.sources[m.list.Cursor()]
}

// subject is the source that the form shows of the targets: the one under the cursor
// if it is one of them. Nil in an empty form.
func (m *Model) subject() *source {
	if s := m.current(); s == nil || s.marked {
		return s
	}
	return m.targets()[0]
}

// targets are the sources that a change applies to: the marked ones, or the
// one under the cursor where none is marked.
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

// item is the item that edits a field.
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

// apply gives the targets the text of an item.
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

// applyTags does to each target's own tags what was done to those shown: added
// tags are added, removed ones removed, and tags that only some have stay.
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

// commonTags are the tags that all sources have, joined.
func commonTags(sources []*source) string {
	common := slices.Clone(sources[0].entry.Tags.Or(nil))
	for _, s := range sources[1:] {
		common = slices.DeleteFunc(common, func(tag string) bool { return !slices.Contains(s.entry.Tags.Or(nil), tag) })
	}
	return api.JoinTags(common)
}

// set gives a row of one source a text.
func (m *Model) set(s *source, f field, text string) {
	if i := m.item(f); s.text(i) != text {
		s.set(m.items, i, text)
		s.checked, s.failed = nil, nil
		m.note()
	}
}

// changed drops what was computed of the options.
func (m *Model) changed() { m.total = nil }

// remove takes a source out of the form. Nothing happens to the file.
func (m *Model) remove(s *source) {
	m.removed[s.entry.Source] = s.options
	m.setSources(slices.DeleteFunc(m.sources, func(other *source) bool { return other == s }))
}
