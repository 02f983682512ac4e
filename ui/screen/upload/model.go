// Package upload is the upload form. It edits how the sources in the tray are sent and predicts
// the result.
package upload

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"mime"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/job"
	"mediadesk/api/media"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Session is the part of [session.Session] that the form uses, in commands; tests have another.
type Session interface {
	Places(ctx context.Context, uploads []api.Upload) ([]rule.Place, error)
	Send(ctx context.Context, jobs []job.Job) ([]job.Job, error)
	SaveDraft(ctx context.Context, content []byte) error
	Presets
	Tags(ctx context.Context) ([]string, error)
	Folders(ctx context.Context) ([]string, error)
	FoldersIn(ctx context.Context, folder string) ([]string, error)
	Thumb(ctx context.Context, f api.File) (string, error)
	Preview(ctx context.Context, address string) (string, error)
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
	// Loader loads the pictures on the side; nil shows none.
	Loader *picture.Loader
}

// Model is the form. Create it with [New]. It keeps its content while another screen is in front.
type Model struct {
	page.Base
	*edit.Editor[*source]
	o    Options
	size image.Point
	side kit.Pane

	tags    []string // suggestions
	folders []string // suggestions

	cancelSearch context.CancelFunc // cancels the search for stored files; nil if none runs
	unfound      error              // why it failed, or nil
	due          page.Questions     // debounces it
	hidden       bool               // another screen is in front
	refusal      page.Toast         // why the last attempt sent nothing, until it is corrected
	sending      bool
	common       map[string]string // what was set for all files, by key of the field

	touched    bool // something was entered
	unpicked   bool // the sources are not in the tray
	unkept     bool // something entered is not saved yet
	keeping    bool
	keepFailed bool
	drafts     *drafts

	total *total // of all sources; nil: must be computed
}

var (
	_ page.Screen    = (*Model)(nil)
	_ page.Catalog   = (*Model)(nil)
	_ page.Commander = (*Model)(nil)
)

type source struct {
	edit.Draft
	known known
	// again reports that it was sent before: its options are not those of others.
	again bool
	// failed is why the source was not queued, or nil.
	failed  error
	checked *decision // for the current options and facts; nil: not computed
}

// topFields are the fields above More, in order.
var topFields = []string{
	rule.FieldTags, rule.FieldFolder, rule.FieldRegion, rule.FieldExtensions,
	rule.FieldDescription,
}

// New returns a form.
func New(o Options) *Model {
	if o.Facts == nil {
		o.Facts = media.FactsOf
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Model{o: o, drafts: &drafts{}}
	m.Editor = edit.NewEditor(edit.EditorOptions[*source]{
		FieldOptions: edit.FieldOptions{
			Context: o.Context, Over: m.Overlays(), Offers: o.Session,
			Color: o.Profile.ColorOption, Top: topFields,
		},
		ID: "form", Group: groupForm, Getenv: o.Getenv, Now: o.Now, Loader: o.Loader, Crops: o.Profile.Crops,
		Fields: func() []*entry.Field { return entry.Fields }, Rows: m.rows,
		Name:   func(s *source) string { return s.Source.Name() },
		Source: func(s *source) string { return session.ManifestOf(&s.Entry).Source },
		Folder: func(s *source) string {
			return text.Either(s.Source.URL != "", "URLs", filepath.Base(filepath.Dir(s.Source.Path)))
		},
		Subject: m.subject, Tile: m.tile, Facts: facts, State: m.state,
		Comments: func(s *source) []string {
			return rule.Mapped(m.sum().of[s], func(c check) string { return strings.TrimSpace(c.text + " " + c.help) })
		},
		Changed: m.changed, Moved: func() tea.Cmd { m.side.Reset(); return nil },
	}, nil)
	m.Files.Nothing = emptyForm
	m.Form.Live, m.Form.Leave = true, m.leaveForm
	sources := restore(o.Draft, o.Profile.Folder)
	m.touched = sources != nil
	if sources == nil {
		sources = rule.Mapped(o.Sources, m.start)
	}
	m.SetItems(sources)
	m.Form.End(false)
	return m
}

// start returns a source with the options of a new form.
func (m *Model) start(src api.Source) *source {
	s, p := &source{Draft: edit.Draft{Marked: true}}, m.o.Profile
	s.Entry = entry.Entry{
		Naming: cmp.Or(p.FormNaming, job.NameExact),
		Upload: api.Upload{Source: src, FileName: src.Name()},
	}
	if folder := rule.FolderUnder(src, p.Folder); folder != "" {
		s.Entry.Folder = api.Set(folder)
	}
	s.SetList(entry.FieldByName(rule.FieldTags), p.Tags)
	s.SetExtensions(p.Extensions)
	return s
}

// Compose sets the sources of the form. Sources that it already has keep their input. New ones get
// the values that all of those share, or the profile's defaults if none remain.
func (m *Model) Compose(sources []api.Source) tea.Cmd {
	if m.sending {
		return nil
	}
	m.Focus(m.On)
	m.Overlays().CloseAll()
	held := map[api.Source][]*source{}
	for _, s := range m.Items {
		held[s.Source] = append(held[s.Source], s)
	}
	var retained, fresh, all []*source
	for _, src := range sources {
		s := m.start(src)
		if old := held[src]; len(old) > 0 {
			s, held[src] = old[0], old[1:]
			if !s.again {
				retained = append(retained, s)
			}
		} else {
			fresh = append(fresh, s)
		}
		all = append(all, s)
	}
	for _, f := range entry.Fields {
		// What was set for all of several files is for the new ones, too.
		if len(m.Items) < 2 || len(retained) == 0 || f.Name == rule.FieldName || retained[0].Text(f) == m.start(retained[0].Source).Text(f) ||
			slices.ContainsFunc(retained, func(s *source) bool { return s.Text(f) != retained[0].Text(f) }) {
			continue
		}
		for _, s := range fresh {
			s.Copy(f, &retained[0].Draft)
		}
	}
	if len(retained) == 0 {
		m.common = nil
		m.Focus(edit.OnForm)
		m.Form.Fold()
		m.Form.End(false)
	}
	m.setSources(all)
	return m.inspectSources()
}

func (m *Model) setSources(sources []*source) {
	m.unkept = m.unkept || m.touched
	m.total = nil
	m.SetItems(sources)
}

// changed drops what is known of the options of sources and saves them later.
func (m *Model) changed(sources []*source) {
	m.total, m.unfound = nil, nil
	for _, s := range sources {
		s.checked, s.failed = nil, nil
		m.touched, m.unkept = true, true
	}
	if len(sources) < 2 || len(sources) < len(m.Items) {
		return
	}
	m.common = map[string]string{}
	for _, f := range entry.Fields {
		if !slices.ContainsFunc(sources, func(s *source) bool { return s.Text(f) != sources[0].Text(f) }) {
			m.common[f.Key] = sources[0].Text(f)
		}
	}
}

// Init inspects the sources and loads suggestions.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(m.inspectSources(), m.readSuggestions(), m.follow())
}

func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd := m.handle(msg)
	if o, ok := m.Overlays().Top().(*patternView); ok {
		o.refresh()
	}
	unknown := func(s *source) bool { return !m.known(s) }
	switch {
	case m.sentence() != "":
		m.Side = m.On == edit.OnSide || kit.ModeOfWidth(m.size.X) == kit.Wide // nothing moves if there is more to say
	case len(m.sum().checks) > 0 || m.unfound != nil || !slices.ContainsFunc(m.Targets(), unknown):
		m.Side = true
	}
	if m.refusal.Text != "" && len(m.sum().stopped) == 0 {
		cmd = tea.Batch(cmd, page.Send(page.Retract(m.refusal)))
		m.refusal = page.Toast{}
	}
	cmd = tea.Batch(cmd, m.Settle(m.size, m.hidden))
	side := m.Layout(m.size).Side.Size()
	m.side.SetSize(len(m.sideLines(kit.PaneWidth(side), measured)), side)
	return tea.Batch(cmd, m.follow())
}

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.Resized:
		m.size = msg.Size
	case page.Shown:
		// Files and folders may have changed while the form was hidden.
		again := m.hidden
		m.forgetPlaces()
		if m.hidden, m.unfound = false, nil; again {
			return tea.Batch(m.readSuggestions(), m.inspectChanged())
		}
	case page.Hidden:
		m.hidden = true
		m.stopSearch()
	case page.Compose:
		if len(msg.Jobs) > 0 {
			return m.editJobs(msg.Jobs)
		}
		m.unpicked = msg.Unpicked
		return m.Compose(msg.Sources)
	case page.Themed:
		m.Theme = msg.Theme
	case page.FileChanged:
		m.forgetPlaces()
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.MouseWheelMsg:
		if m.Wheel(msg); image.Pt(msg.X, msg.Y).In(m.Layout(m.size).Side) {
			m.side.Wheel(msg)
		}
	default:
		cmd, _ := m.Editor.Update(msg)
		return cmd
	}
	return nil
}

func (m *Model) rows(fields []*edit.Row) []*edit.Row {
	for _, r := range fields {
		r.Problem = func() string { return strings.TrimSpace(m.sum().stops[r.ID].text + " " + m.sum().stops[r.ID].help) }
		f := entry.FieldByKey(r.ID)
		if f == nil {
			continue // a value of the metadata
		}
		switch f.Name {
		case rule.FieldTags:
			r.Wrong = func(tag string) bool { return rule.CheckTags([]string{tag}) != nil }
			r.Complete, r.Note = func(typed string) []string { return edit.Matches(typed, m.tags) }, m.tagNote
		case rule.FieldFolder:
			r.Complete, r.Restores = m.completeFolder, true
			set := r.Set
			r.Set = func(i int, folder string) { // an emptied one is where the picker puts it
				set(i, cmp.Or(folder, rule.FolderUnder(m.Items[i].Source, "")))
			}
		case rule.FieldName:
			r.Usual = func(name string) bool { s, ok := m.Current(); return ok && name == s.Source.Name() }
		case "useUniqueFileName":
			r.Usual = func(naming string) bool { return naming == string(job.NameExact) }
		case rule.FieldRegion:
			r.OpenVerb, r.Open, r.NoOpen = "draw it on the picture", m.drawRegion, m.noDraw
			usual := r.Hint
			r.Hint = func() string {
				return cmp.Or(text.If(m.noDraw() == "", "the whole picture, enter draws one"), usual())
			}
		case rule.FieldWebhook:
			r.Complete = func(typed string) []string { return edit.Matches(typed, []string{entry.NoWebhook}) }
			r.Hint = func() string {
				return text.Either(m.o.Profile.Receiver == "", "none: no receiver is running", "the receiver of this program")
			}
		}
	}
	return fields
}

// tagNote counts the characters of the longest tags near their limit.
func (m *Model) tagNote() string {
	longest := 0
	for _, s := range m.Targets() {
		longest = max(longest, rule.TagsLength(s.Tags.Or(nil)))
	}
	if longest < rule.MaxTagsLength*3/4 {
		return text.Either(longest == 0, "A comma or enter ends a tag.", "Backspace removes the last tag.")
	}
	return fmt.Sprintf("%d of %d characters.", longest, rule.MaxTagsLength)
}

func (m *Model) subject(s *source) edit.Subject {
	kind := mime.TypeByExtension(path.Ext(s.Source.Name()))
	if s.Source.URL != "" && (kind == "" || strings.HasPrefix(kind, "image/")) {
		return edit.Subject{Name: s.Source.URL, Path: edit.Fetched(m.o.Session.Preview, s.Source.URL)}
	}
	if yes, _ := s.known.isPicture(); !yes || s.Source.Path == "" {
		return edit.Subject{}
	}
	return edit.Subject{
		Name: fmt.Sprint(s.Source.Path, " ", s.known.identity.Modified), Size: s.known.facts.Stored,
		Orientation: s.known.facts.Orientation, Path: edit.Local(s.Source.Path),
	}
}

// facts are the facts that need no label.
func facts(s *source) []string {
	if s.Source.URL != "" {
		return []string{s.Source.URL}
	}
	if !s.known.inspected || s.known.err != nil {
		return nil
	}
	kind := strings.TrimSuffix(s.known.facts.Name, " picture")
	return edit.FactsLine(s.known.facts.Upright, kind, s.known.identity.Size)
}

func (m *Model) tile(s *source) edit.Tile {
	of := m.subject(s)
	t := edit.Tile{Name: cmp.Or(s.FileName, s.Source.Name()), Words: "no picture"}
	if of.Path != nil {
		t.Picture = edit.Thumb{Key: of.Name, Path: of.Path}
	}
	return t
}

func (m *Model) state(s *source) theme.Sign {
	t := m.sum()
	switch {
	case t.stopped[s]:
		return theme.SignBad
	case s.failed != nil, m.taken(s):
		return theme.SignWarn
	}
	for _, f := range entry.Fields {
		if set, ok := m.common[f.Key]; ok && s.Text(f) != set {
			return theme.SignChanged
		}
	}
	return theme.SignNone
}

// noDraw returns why the region cannot be drawn on the picture, or "".
func (m *Model) noDraw() string {
	s, ok := m.Subject()
	if !ok {
		return emptyForm
	}
	yes, sure := s.known.isPicture()
	switch {
	case s.Source.URL != "":
		return text.If(m.subject(s).Path == nil, "it is no picture; type the numbers")
	case !sure && s.known.err == nil:
		return "the file is being read"
	case !yes:
		return "it is no picture that can be shown here; type the numbers"
	}
	return text.If(s.known.facts.Stored == (image.Point{}), "the size of the picture is not known; type the numbers")
}

func (m *Model) drawRegion() tea.Cmd { return m.DrawRegion(m.Targets()...) }

// without returns the sources that are not in some.
func (m *Model) without(some map[*source]bool) []*source {
	return slices.DeleteFunc(slices.Clone(m.Items), func(s *source) bool { return some[s] })
}

// editJobs puts jobs that were not stored back into the form with their options and errors, and
// marks only them.
func (m *Model) editJobs(jobs []job.Job) tea.Cmd {
	if m.sending {
		return nil
	}
	m.Focus(m.On)
	m.Overlays().CloseAll()
	items := slices.Clone(m.Items)
	for _, s := range items {
		s.Marked = false
	}
	for i := range jobs {
		j := &jobs[i]
		at := slices.IndexFunc(items, func(s *source) bool { return s.Source == j.Upload.Source })
		if at < 0 {
			at, items = len(items), append(items, nil)
		}
		s := &source{Draft: edit.Draft{Entry: entry.Of(j, m.o.Profile.Receiver != ""), Marked: true}, again: true}
		if s.Naming == job.NameExact && !s.OverwriteFile.Or(true) {
			s.OverwriteFile = api.Field[bool]{} // hand set it, and asks again
		}
		if items[at] = s; j.Failure != nil {
			s.failed = j.Failure
		}
		defer m.Files.Show(s)
	}
	m.touched = true
	m.setSources(items)
	m.Focus(edit.OnForm)
	m.Form.End(false)
	return m.inspectSources()
}

func (s *source) folder() string {
	folder, _ := rule.CleanFolder(s.Folder.Or(""))
	return folder
}

// upload returns the upload before its naming is applied. An exact name overwrites only what the
// user wants to overwrite, so that a repeat stores nothing twice.
func (s *source) upload() api.Upload {
	u := s.Upload
	if s.Naming == job.NameExact && !u.OverwriteFile.IsSet() {
		u.OverwriteFile = api.Set(false)
	}
	if u.Folder.IsSet() {
		u.Folder = api.Set(s.folder())
	}
	return u
}

// storedName returns the name that the service will store, with … for a suffix.
func (s *source) storedName() string {
	name := rule.StoredName(s.FileName)
	if ext := filepath.Ext(name); s.Naming != job.NameExact && name != "" {
		name = strings.TrimSuffix(name, ext) + "_…" + ext
	}
	return name
}

// Commands returns the commands that upload the sources. Sources with the same options share a
// command.
func (m *Model) Commands() [][]string {
	return session.Together(rule.Mapped(m.Items, func(s *source) []string {
		return session.UploadArgs(&s.Entry, m.o.Profile)
	}))
}
