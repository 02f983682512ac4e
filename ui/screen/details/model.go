// Package details is the screen that shows and edits the records of stored files.
package details

import (
	"context"
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
)

// Session is the part of the session that the screen uses.
type Session interface {
	Reader
	Editor
	Manager
}

// Reader reads files and what is known about them.
type Reader interface {
	// ReadAll reads records. If the service does not return them, api.Unavailable is true for the
	// error.
	ReadAll(ctx context.Context, ids []string, report func(session.Edited)) []session.Edited
	// SeenAt returns when a record was last seen, or the zero time.
	SeenAt(ctx context.Context, fileID string) (time.Time, error)
	// Picture returns the path of a local file with the picture.
	Picture(ctx context.Context, f api.File) (path string, err error)
	// Tags and Folders return suggestions.
	Tags(ctx context.Context) ([]string, error)
	Folders(ctx context.Context) ([]string, error)
	// MetadataFields returns the custom metadata fields of the library.
	MetadataFields(ctx context.Context, folder string) ([]api.MetadataField, error)
}

// Editor changes details.
type Editor interface {
	ChangeAll(ctx context.Context, changes []session.Change, report func(session.Edited)) []session.Edited
}

// Manager works on whole files.
type Manager interface {
	edit.Manager
	// Signed returns a temporary public URL of a private file.
	Signed(f api.File, valid time.Duration) (string, error)
}

// Options configures the screen.
type Options struct {
	// Context ends the screen's background work.
	Context context.Context //nolint:containedctx // the screen's: it ends what the screen has under way
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
	// Now is the clock; nil for time.Now.
	Now func() time.Time
}

// area is a part of the screen that can have the focus.
type area int

const (
	onRecord area = iota
	onTags
	onAI
	onRegion  // the numbers
	onPicture // the rectangle on the picture
	onFiles
	onDescription // this and the next are rows of the record only
	onMetadata
)

// abilities describes what the service supports.
type abilities struct {
	asked   bool
	manages bool // it lists versions, so it has the hosted calls
}

// Model is the screen. Create it with New. It keeps unsaved changes while it lives.
type Model struct {
	page.Base
	o   Options
	now func() time.Time

	entries []*entry
	files   kit.MarkList // the cursor is the shown file, marks are the targets of changes
	area    area

	record  kit.List
	rows    []row
	tags    *kit.Chips
	counts  map[string]int // of the tags of several files
	ai      kit.List
	found   []aiTag      // the rows of ai
	numbers *kit.Field   // of the region
	region  *edit.Region // on the picture

	manage  *edit.Manage        // tracks running work
	fields  []api.MetadataField // of the library
	able    abilities
	editing bool   // the editor controls the terminal
	text    string // from $EDITOR, with errors; may be empty

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
	m := &Model{
		o: o, now: o.Now,
		tags:    kit.NewChips("", ""),
		numbers: kit.NewField("x,y,width,height", ""),
	}
	if m.now == nil {
		m.now = time.Now
	}
	m.clicks = kit.NewClicks(m.now)
	m.manage = &edit.Manage{Context: o.Context, Session: o.Session, Over: m.Overlays(), Profile: o.Profile, Now: m.now, Took: m.took}
	m.files = kit.MarkList{
		ID: "details", Mark: func(i int) *bool { return &m.entries[i].marked }, Name: func(i int) string { return edit.Label(&m.entries[i].file) },
		Moved:  func() tea.Cmd { return m.turnTo(m.files.Cursor()) },
		Marked: func() tea.Cmd { m.load(); return nil },
	}
	m.tags.Note, m.tags.Entered = m.tagNote, m.enteredTag
	m.tags.Complete = func(typed string) []string { return edit.Matches(typed, m.manage.Tags) }
	m.region = edit.NewRegion(edit.RegionOptions{
		Context: o.Context, Draw: o.Draw, Images: o.Images, Overlays: m.Overlays(),
		Text: func() string {
			if e := m.current(); e != nil {
				return e.wantedRegion()
			}
			return ""
		},
		Set:  func(region string) { m.current().setRegion(region); m.load() },
		Keep: m.keepRegions, Files: m.regionFiles,
	})
	for _, f := range o.Files {
		m.entries = append(m.entries, &entry{file: f, marked: true})
	}
	m.files.SetLen(len(m.entries))
	m.load()
	return m
}

// keepRegions returns a function that restores the drafted regions.
func (m *Model) keepRegions() (restore func()) {
	was := map[*entry]api.Field[string]{}
	for _, e := range m.entries {
		was[e] = e.draft.CustomCoordinates
	}
	return func() {
		for e, region := range was {
			e.draft.CustomCoordinates = region
		}
		m.load()
	}
}

// regionFiles returns the targets that can have a region.
func (m *Model) regionFiles() []edit.RegionFile {
	var files []edit.RegionFile
	for _, e := range m.targets() {
		if e.canHaveRegion() {
			files = append(files, edit.RegionFile{Subject: m.subjectOf(e), Set: func(region string) {
				e.setRegion(region)
				e.problem = nil
				m.load()
			}})
		}
	}
	return files
}

// Init rereads the record and reads suggestions.
func (m *Model) Init() tea.Cmd {
	return m.settle(tea.Batch(m.arrive(), m.manage.ReadKnown(), m.readSeen(), m.readFields()))
}

// Capturing reports whether a text field has the focus.
func (m *Model) Capturing() bool {
	return m.current() != nil && (m.area == onTags || m.area == onRegion || m.area == onFiles && m.files.Capturing())
}

// Type passes a key or paste to the focused text field and drafts its value.
func (m *Model) Type(msg tea.Msg) (tea.Cmd, bool) {
	if !m.Capturing() {
		return nil, false
	}
	if m.area == onFiles {
		return m.files.Type(msg)
	}
	if m.area == onTags {
		before := m.tags.Value()
		if !m.tags.Update(msg) {
			return nil, false
		}
		if now := m.tags.Value(); !slices.Equal(now, before) {
			m.setTags(before, now)
		}
		return nil, true
	}
	before := m.numbers.Value()
	if !m.numbers.Update(msg) {
		return nil, false
	}
	if now := m.numbers.Value(); now != before {
		for _, e := range m.withRegion() {
			e.setRegion(now)
			e.problem = nil
		}
	}
	return nil, true
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
	m.files.SetHeight(m.placed.inner[onFiles].Dy())
	m.record.SetHeight(m.placed.inner[onRecord].Dy())
	m.ai.SetHeight(m.placed.inner[onAI].Dy())
	m.region.Resize(m.placed.picture)
	return tea.Batch(cmd, m.region.Show(m.subject()), m.region.Follow())
}

func (m *Model) handle(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case page.Acted:
	case page.Resized:
		m.size = msg.Size
	case page.Shown:
		// Ages on the screen are outdated.
	case page.Inspect:
		return m.adopt(msg.Files), true
	case page.FileChanged:
		m.learn(msg.File)
	case page.FileGone:
		return m.lose(msg.FileID), true
	case tea.MouseClickMsg:
		return m.click(msg), true
	case tea.MouseWheelMsg:
		if image.Pt(msg.X, msg.Y).In(m.placed.inner[onFiles]) {
			return m.files.Wheel(msg), true
		}
		return nil, m.wheel(msg)
	case editedMsg:
		return m.edited(msg), true
	default:
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
	if _, used := m.region.Update(msg); used {
		m.focus(onPicture)
		return nil
	}
	at := image.Pt(msg.X, msg.Y)
	for to, r := range m.placed.inner {
		if msg.Button != tea.MouseLeft || !at.In(r) {
			continue
		}
		if m.area != to {
			m.focus(to)
		}
		double := m.clicks.Double(msg)
		switch y := at.Y - r.Min.Y; to {
		case onRecord:
			if m.record.Click(y) && double {
				return m.enterRow()
			}
		case onAI:
			if m.ai.Click(y) && double {
				return m.addAITag()
			}
		case onFiles:
			cmd, ok := m.files.Click(y)
			if ok && double {
				return tea.Batch(cmd, m.editAlone())
			}
			return cmd
		}
		return nil
	}
	return nil
}

// wheel scrolls the list under the mouse.
func (m *Model) wheel(msg tea.MouseWheelMsg) (used bool) {
	at := image.Pt(msg.X, msg.Y)
	switch {
	case at.In(m.placed.inner[onRecord]):
		return m.record.Wheel(msg)
	case at.In(m.placed.inner[onAI]):
		return m.ai.Wheel(msg)
	}
	return false
}

// WantsPixels reports whether mouse positions are wanted in pixels: while a region can be drawn.
func (m *Model) WantsPixels() bool { return !m.editing && m.region.WantsPixels() }

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
	return m.entries[m.files.Cursor()]
}

// entryOf returns the entry of a file, or nil.
func (m *Model) entryOf(id string) *entry {
	i := slices.IndexFunc(m.entries, func(e *entry) bool { return e.file.FileID == id })
	if i < 0 || id == "" {
		return nil
	}
	return m.entries[i]
}

// load shows the current file in the parts. A part with the same value keeps its cursor.
func (m *Model) load() {
	e := m.current()
	if e == nil {
		return
	}
	m.loadTags()
	m.loadRegion()
	m.found = aiTagsOf(m.targets())
	m.ai.SetLen(len(m.found))
	if !slices.Contains(m.areas(), m.area) && (m.area != onPicture || !e.canHaveRegion()) {
		m.focus(onRecord) // the part is no longer shown
	}
	m.rows = withEdits(rowsOf(&e.file), m.editRows(e))
	m.record.SetLen(len(m.rows))
}

// arrive reads the record of the current file once.
func (m *Model) arrive() tea.Cmd {
	e := m.current()
	if e == nil {
		return nil
	}
	var read tea.Cmd
	if !e.asked {
		read = m.read([]*entry{e})
	}
	return tea.Batch(read, m.probe())
}

// adopt shows other files, followed by those with unsaved changes.
func (m *Model) adopt(files []api.File) tea.Cmd {
	old := m.entries
	m.entries = nil
	for _, f := range files {
		e := &entry{file: f}
		if i := slices.IndexFunc(old, func(e *entry) bool { return e.file.FileID == f.FileID }); i >= 0 {
			e = old[i]
			e.asked = false
			old = slices.Delete(old, i, i+1)
		}
		e.marked = true
		m.entries = append(m.entries, e)
	}
	for _, e := range old {
		if e.changed() {
			e.marked = false // only files opened now are targets
			m.entries = append(m.entries, e)
		}
	}
	m.files.SetLen(len(m.entries))
	m.focus(onRecord)
	return tea.Batch(m.turnTo(0), m.readSeen())
}

// turn shows the next or previous file.
func (m *Model) turn(by int) tea.Cmd {
	n := len(m.entries)
	return m.turnTo((m.files.Cursor() + by + n) % n)
}

func (m *Model) turnTo(i int) tea.Cmd {
	m.files.SetCursor(i)
	m.region.Begin()
	m.load()
	m.record.SetCursor(0)
	m.ai.SetCursor(0)
	return m.arrive()
}

// lose drops a deleted file.
func (m *Model) lose(id string) tea.Cmd {
	at, i := m.files.Cursor(), slices.Index(m.entries, m.entryOf(id))
	if i < 0 {
		return nil
	}
	m.entries = slices.Delete(m.entries, i, i+1)
	if i < at {
		at--
	}
	m.files.SetLen(len(m.entries))
	if len(m.entries) == 0 {
		return page.Send(page.Back{})
	}
	m.focus(onRecord)
	return m.turnTo(min(at, len(m.entries)-1))
}

// learn replaces a record by a newer one from another screen.
func (m *Model) learn(f api.File) {
	if e := m.entryOf(f.FileID); e != nil {
		e.meanwhile = append(e.meanwhile, e.rebase(f, m.now())...)
		m.load()
	}
}
