// Package details is the screen that shows and edits the records of stored files.
package details

import (
	"context"
	"encoding/json"
	"image"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Session is the part of [session.Session] that the screen uses; tests have another.
type Session interface {
	ReadAll(ctx context.Context, ids []string, report func(session.Edited)) []session.Edited
	SeenAt(ctx context.Context, fileID string) (time.Time, error)
	Picture(ctx context.Context, f api.File) (path string, err error)
	Thumb(ctx context.Context, f api.File) (path string, err error)
	MetadataFields(ctx context.Context, folder string) ([]api.MetadataField, error)
	ChangeAll(ctx context.Context, changes []session.Change, report func(session.Edited)) []session.Edited
	edit.Manager
	edit.Signer
}

// Options configures the screen.
type Options struct {
	// Context ends the screen's background work.
	Context context.Context
	// Files are the records as last seen, at least one.
	Files   []api.File
	Session Session
	Profile session.Profile
	// Getenv finds the user's editor; nil for os.Getenv.
	Getenv func(string) string

	// Draw configures drawing. Without colors in the theme, pictures have none.
	Draw picture.Options
	// Images shows real pictures if the terminal can; nil for glyphs.
	Images *picture.ImageStore
	// Loader loads the pictures of several files; nil shows the current one alone.
	Loader *picture.Loader
	// Now is the clock; nil for time.Now.
	Now func() time.Time
}

// Model is the screen. Create it with New. It keeps unsaved changes while it lives.
type Model struct {
	page.Base
	o   Options
	now func() time.Time

	entries []*entry
	files   kit.List[*entry] // the cursor is the shown file, marks are the targets of changes
	next    tea.Cmd          // of showing another file, to be run
	onFiles bool             // the list has the focus, otherwise the form
	form    *edit.Form

	region *edit.Region
	page   *edit.RegionPage // over the screen; nil if none was opened
	sheet  *edit.Tiles      // of several targets
	theme  *theme.Theme     // of the pictures; nil: unknown

	manage  *edit.Manage        // tracks running work
	fields  []api.MetadataField // of the library
	probed  bool                // whether the service manages files was asked
	manages bool                // it lists versions, so it has the hosted calls
	text    edit.Document

	size   image.Point
	placed layout // in size
	clicks *kit.Clicks
}

var (
	_ page.Screen    = (*Model)(nil)
	_ page.Catalog   = (*Model)(nil)
	_ page.Pixels    = (*Model)(nil)
	_ page.Commander = (*Model)(nil)
)

// New returns the screen for files.
func New(o Options) *Model {
	m := &Model{o: o, now: o.Now}
	if m.now == nil {
		m.now = time.Now
	}
	m.clicks = kit.NewClicks(m.now)
	m.manage = &edit.Manage{Context: o.Context, Session: o.Session, Over: m.Overlays(), Profile: o.Profile, Now: m.now, Took: m.took}
	m.files = kit.List[*entry]{
		ID: "details", Bare: true, Marking: true, Placeholder: "part of a name", NotFound: "the filter finds nothing", Now: m.now,
		Rows: func() []kit.Group[*entry] { return []kit.Group[*entry]{{Rows: m.entries}} }, Key: func(e *entry) any { return e },
		Match: func(e *entry, words []string) bool { return text.HasAll(words, edit.Label(&e.file)) },
		Mark:  func(e *entry) *bool { return &e.marked }, Marked: m.load, Draw: m.drawFile,
		Moved: func() { m.next = tea.Batch(m.next, m.turned()) },
	}
	m.form = edit.NewForm("details", groupEdit, m.targetRows)
	m.form.Changed = m.changed
	m.form.Leave = func(int) { m.focus(len(m.entries) > 1) }
	m.text = edit.Document{Getenv: o.Getenv, Entries: m.document, Apply: m.applyDocument}
	m.region = edit.NewRegion(edit.RegionOptions{
		Context: o.Context, Draw: o.Draw, Images: o.Images, Overlays: m.Overlays(),
		Text: func() string {
			if e := m.current(); e != nil {
				return e.wantedRegion()
			}
			return ""
		},
		Set: func(region string) {
			if m.current().setRegion(region); region == "" {
				m.current().unset(api.FieldRegion)
			}
			m.load()
		},
		Keep: m.keepRegions, Files: m.regionFiles, Crops: o.Profile.Crops,
	})
	m.sheet = edit.NewTiles(edit.TilesOptions{
		Context: o.Context, Loader: o.Loader, Len: func() int { return len(m.targets()) }, Tile: m.tile,
	})
	m.sheet.On = true
	for _, f := range o.Files {
		m.entries = append(m.entries, newEntry(f))
	}
	m.files.Arrange()
	m.load()
	return m
}

// changed drops what was wrong with the targets.
func (m *Model) changed() {
	for _, e := range m.targets() {
		e.problem = nil
	}
	m.load()
}

// keepRegions returns a function that restores the drafted regions.
func (m *Model) keepRegions() (restore func()) {
	was := map[*entry]json.RawMessage{}
	for _, e := range m.entries {
		was[e] = e.draft[api.FieldRegion]
	}
	return func() {
		for e, region := range was {
			if e.draft[api.FieldRegion] = region; region == nil {
				delete(e.draft, api.FieldRegion)
			}
		}
		m.load()
	}
}

// regionFiles returns the targets that can have a region.
func (m *Model) regionFiles() []edit.RegionFile {
	var files []edit.RegionFile
	for _, e := range m.withRegion() {
		files = append(files, edit.RegionFile{Subject: m.subjectOf(e), Set: func(region string) {
			e.setRegion(region)
			e.problem = nil
			m.load()
		}})
	}
	return files
}

// Init rereads the record and reads suggestions.
func (m *Model) Init() tea.Cmd {
	return m.settle(tea.Batch(m.arrive(), m.manage.ReadKnown(), m.readFields()))
}

// Capturing reports whether a text field has the focus.
func (m *Model) Capturing() bool {
	return m.current() != nil && (m.onFiles && m.files.Capturing() || !m.onFiles && m.form.Editing())
}

// Type passes a key or paste to the focused text field and drafts its value.
func (m *Model) Type(msg tea.Msg) (tea.Cmd, bool) {
	if m.onFiles {
		return m.files.Type(msg)
	}
	return nil, m.form.Type(msg)
}

// Update handles a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if !used {
		return nil
	}
	return m.settle(cmd)
}

// settle updates the layout and loads the needed picture.
func (m *Model) settle(cmd tea.Cmd) tea.Cmd {
	m.Changed()
	m.placed = m.layout(m.size)
	m.files.Resize(inner(m.placed.files).Size())
	m.files.Changed()
	next := m.next
	m.next = nil
	m.form.Resize(inner(m.placed.form).Size())
	var sheet tea.Cmd
	switch {
	case m.page != nil && !m.page.Closed():
		m.page.Position()
	case m.showsSheet():
		m.region.Resize(image.Rectangle{})
		m.sheet.Arrange(m.placed.picture.Size(), m.region.Options(m.theme))
		sheet = m.sheet.Want()
	default:
		m.region.Resize(m.placed.picture)
		sheet = m.sheet.Delete()
	}
	return tea.Batch(cmd, next, sheet, m.region.Show(m.subjectOf(m.current())), m.region.Follow())
}

func (m *Model) handle(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case page.Acted:
	case page.Resized:
		m.size = msg.Size
	case page.Themed:
		m.theme = msg.Theme
	case page.Shown:
		// Ages on the screen are outdated.
	case page.Inspect:
		return m.adopt(msg.Files), true
	case page.FileChanged:
		if e := m.entryOf(msg.File.FileID); e != nil {
			e.meanwhile = append(e.meanwhile, e.rebase(msg.File, m.now())...)
			m.load()
		}
	case page.FileGone:
		return m.lose(msg.FileID), true
	case tea.MouseClickMsg:
		return m.click(msg), true
	case tea.MouseWheelMsg:
		switch at := image.Pt(msg.X, msg.Y); {
		case at.In(m.placed.files):
			m.files.Wheel(kit.Moved(msg, inner(m.placed.files).Min).(tea.MouseWheelMsg))
		case at.In(m.placed.form):
			m.form.Wheel(msg)
		}
	case edit.EditedMsg:
		return m.text.Update(msg), true
	default:
		if m.sheet.Update(msg) {
			return nil, true
		}
		return m.region.Update(msg)
	}
	return nil, true
}

// click focuses the part under the pointer. On the picture it starts moving or drawing the
// rectangle.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	if m.current() == nil {
		return nil
	}
	if _, used := m.region.Update(msg); used || msg.Button != tea.MouseLeft {
		return nil
	}
	at, double := image.Pt(msg.X, msg.Y), m.clicks.Double(msg)
	switch files, form := inner(m.placed.files), inner(m.placed.form); {
	case at.In(files):
		m.focus(true)
		if m.files.Click(kit.Moved(msg, files.Min).(tea.MouseClickMsg)) {
			return m.editAlone()
		}
	case at.In(form):
		if m.onFiles {
			m.focus(false)
		}
		return m.form.Click(at.Y-form.Min.Y, double)
	}
	return nil
}

// WantsPixels reports whether mouse positions are wanted in pixels: while a region can be drawn.
func (m *Model) WantsPixels() bool { return !m.text.Open && m.region.WantsPixels() }

// Commands returns the commands for the drafted changes, or to show the record.
func (m *Model) Commands() [][]string {
	var commands [][]string
	for _, e := range m.entries {
		change, err := e.change()
		if err != nil {
			return nil // the draft is not valid yet
		}
		if !change.IsEmpty() {
			commands = append(commands, session.DetailsArgs([]string{e.file.FileID}, change))
		}
	}
	if e := m.current(); e != nil && commands == nil {
		commands = [][]string{session.DetailsArgs([]string{e.file.FileID}, api.Details{})}
	}
	return commands
}

// Unsaved returns the names of files with unsaved changes.
func (m *Model) Unsaved() []string {
	var names []string
	for _, e := range m.changedEntries() {
		names = append(names, edit.Label(&e.file))
	}
	return names
}

// changedEntries returns the files with unsaved changes.
func (m *Model) changedEntries() []*entry {
	var out []*entry
	for _, e := range m.entries {
		if e.changed() {
			out = append(out, e)
		}
	}
	return out
}

// current returns the shown file, or nil.
func (m *Model) current() *entry {
	if len(m.entries) == 0 {
		return nil
	}
	if e, ok := m.files.Row(); ok {
		return e
	}
	return m.entries[0] // the filter finds nothing
}

// at returns the number of the shown file.
func (m *Model) at() int { return slices.Index(m.entries, m.current()) }

// entryOf returns the entry of a file, or nil.
func (m *Model) entryOf(id string) *entry {
	i := slices.IndexFunc(m.entries, func(e *entry) bool { return e.file.FileID == id })
	if i < 0 || id == "" {
		return nil
	}
	return m.entries[i]
}

// targets returns the files to change: the marked ones, or the shown one.
func (m *Model) targets() []*entry {
	var out []*entry
	for _, i := range m.targetRows() {
		out = append(out, m.entries[i])
	}
	return out
}

func (m *Model) targetRows() []int {
	var marked []int
	for i, e := range m.entries {
		if e.marked {
			marked = append(marked, i)
		}
	}
	if len(marked) == 0 && len(m.entries) > 0 {
		return []int{m.at()}
	}
	return marked
}

// withRegion returns the targets that are images.
func (m *Model) withRegion() []*entry {
	return slices.DeleteFunc(m.targets(), func(e *entry) bool { return !e.canHaveRegion() })
}

// filesOf returns the records of files.
func filesOf(of []*entry) []api.File {
	files := make([]api.File, len(of))
	for i, e := range of {
		files[i] = e.file
	}
	return files
}

// idsOf returns the ids of files.
func idsOf(of []*entry) []string {
	ids := make([]string, len(of))
	for i, e := range of {
		ids[i] = e.file.FileID
	}
	return ids
}

// load shows the values of the targets and the facts of the current file.
func (m *Model) load() {
	if m.current() != nil {
		m.form.SetRows(m.rows())
	}
}

// focus moves the focus to the list of files or to the form.
func (m *Model) focus(files bool) {
	m.form.Blur()
	m.onFiles = files
}

// arrive reads the record of the current file once.
func (m *Model) arrive() tea.Cmd {
	e := m.current()
	if e == nil {
		return nil
	}
	if e.asked {
		return m.probe()
	}
	return tea.Batch(m.read([]*entry{e}), m.probe())
}

// adopt shows other files, followed by those with unsaved changes.
func (m *Model) adopt(files []api.File) tea.Cmd {
	old := m.entries
	m.entries = nil
	for _, f := range files {
		e := newEntry(f)
		if i := slices.IndexFunc(old, func(e *entry) bool { return e.file.FileID == f.FileID }); i >= 0 {
			e = old[i]
			e.asked, e.marked = false, true
			old = slices.Delete(old, i, i+1)
		}
		m.entries = append(m.entries, e)
	}
	for _, e := range old {
		if e.changed() {
			e.marked = false // only files opened now are targets
			m.entries = append(m.entries, e)
		}
	}
	m.files.Arrange()
	m.focus(false)
	m.form.End(false)
	return m.turnTo(m.entries[0])
}

// turn shows the next or previous file.
func (m *Model) turn(by int) tea.Cmd {
	n := len(m.entries)
	return m.turnTo(m.entries[(m.at()+by+n)%n])
}

func (m *Model) turnTo(e *entry) tea.Cmd {
	m.files.Show(e)
	return m.turned()
}

// turned shows the file under the cursor.
func (m *Model) turned() tea.Cmd {
	m.region.Begin()
	m.load()
	return m.arrive()
}

// lose drops a deleted file.
func (m *Model) lose(id string) tea.Cmd {
	at, i := m.at(), slices.Index(m.entries, m.entryOf(id))
	if i < 0 {
		return nil
	}
	if m.entries = slices.Delete(m.entries, i, i+1); i < at {
		at--
	}
	m.files.Arrange()
	if len(m.entries) == 0 {
		return page.Send(page.Back{})
	}
	m.focus(false)
	return m.turnTo(m.entries[min(at, len(m.entries)-1)])
}
