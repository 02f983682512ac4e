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

// Session is what the screen asks of the session.
type Session interface {
	Reader
	Editor
	Manager
}

// Reader reads files and what is known about them.
type Reader interface {
	// ReadAll fetches records. An error that api.Unavailable knows says that the
	// service does not return them.
	ReadAll(ctx context.Context, ids []string, report func(session.Edited)) []session.Edited
	// SeenAt is when a record was seen last; the zero time if that is not known.
	SeenAt(ctx context.Context, fileID string) (time.Time, error)
	// Picture returns the path of a local file with the picture.
	Picture(ctx context.Context, f api.File) (path string, err error)
	// Tags and Folders are offered while the user types.
	Tags(ctx context.Context) ([]string, error)
	Folders(ctx context.Context) ([]string, error)
	// MetadataFields are the custom metadata fields of the library.
	MetadataFields(ctx context.Context, folder string) ([]api.MetadataField, error)
}

// Editor changes details.
type Editor interface {
	ChangeAll(ctx context.Context, changes []session.Change, report func(session.Edited)) []session.Edited
}

// Manager works on whole files.
type Manager interface {
	edit.Manager
	// Signed makes a URL of a private file that works for everybody for so long.
	Signed(f api.File, valid time.Duration) (string, error)
}

// Options are what the screen begins with.
type Options struct {
	// Context ends what the screen has under way.
	Context context.Context //nolint:containedctx // the screen's: it ends what the screen has under way
	// Files are the records as last seen, at least one.
	Files   []api.File
	Session Session
	Profile session.Profile
	// Getenv finds the user's editor; nil: os.Getenv.
	Getenv func(string) string

	// Draw says how to draw pictures. They have no color if the theme has none.
	Draw picture.Options
	// Images shows real pictures where the terminal can; nil: glyphs are drawn.
	Images *picture.ImageStore
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// area is a part of the screen that can have the keys.
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

// abilities are what the service is known to support.
type abilities struct {
	asked   bool
	manages bool // it lists versions, so it has the calls of hosted services
}

// Model is the screen. Make it with New. Changes that are not saved live as
// long as it does.
type Model struct {
	page.Base
	o   Options
	now func() time.Time

	entries []*entry
	files   kit.MarkList // its cursor is the file that is shown, its marks those that are changed
	area    area

	record  kit.List
	rows    []row
	tags    *kit.Chips
	counts  map[string]int // of the tags of several files
	ai      kit.List
	found   []aiTag      // the rows of ai
	numbers *kit.Field   // of the region
	region  *edit.Region // on the picture

	manage  *edit.Manage        // knows what is under way
	fields  []api.MetadataField // of the library
	able    abilities
	editing bool   // the editor has the terminal
	text    string // of $EDITOR, with errors; empty: none

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

// New makes the screen for some files.
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

// keepRegions returns what drafts the regions of all files as they are now.
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

// regionFiles are the targets that can have a region.
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

// Init reads the record again and asks for what can be offered.
func (m *Model) Init() tea.Cmd {
	return m.settle(tea.Batch(m.arrive(), m.readKnown(), m.readSeen(), m.readFields()))
}

// Capturing reports whether a text field has the keys.
func (m *Model) Capturing() bool {
	return m.current() != nil && (m.area == onTags || m.area == onRegion || m.area == onFiles && m.files.Capturing())
}

// Type gives a key or a paste to the text field that has the focus, and drafts its
// value.
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

// Update takes a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if !used {
		return nil
	}
	return m.settle(cmd)
}

// settle lays the screen out after a change, and asks for the picture that is
// needed now.
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
		// The ages on the screen are out of date.
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
	case knownMsg:
		m.manage.Tags, m.manage.Folders = msg.tags, msg.folders
	case seenMsg:
		m.gotSeen(msg)
	case fieldsMsg:
		m.fields = msg
		m.load()
	case freshMsg:
		m.gotFresh(msg.list, msg.at)
	case editedMsg:
		return m.edited(msg), true
	case probedMsg:
		m.probed(msg)
	default:
		if cmd, used := m.manage.Update(msg); used {
			return cmd, true
		}
		return m.region.Update(msg)
	}
	return nil, true
}

// click gives the keys to the part under the pointer. On the picture it begins
// to move the rectangle, or to draw another beside it.
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

// WantsPixels reports whether the mouse should report pixels: while a region can be
// drawn on a picture.
func (m *Model) WantsPixels() bool { return !m.editing && m.region.WantsPixels() }

// Commands make the drafted changes; without any they show the record.
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

// Unsaved are the names of the files whose changes are not saved.
func (m *Model) Unsaved() []string {
	var names []string
	for _, e := range m.changedEntries() {
		names = append(names, edit.Label(&e.file))
	}
	return names
}

// changedEntries are the files with changes that are not saved.
func (m *Model) changedEntries() []*entry {
	var out []*entry
	for _, e := range m.entries {
		if e.changed() {
			out = append(out, e)
		}
	}
	return out
}

// current is the file that is shown; nil where there is none.
func (m *Model) current() *entry {
	if len(m.entries) == 0 {
		return nil
	}
	return m.entries[m.files.Cursor()]
}

// entryOf is the entry of a file; nil where the screen does not have it.
func (m *Model) entryOf(id string) *entry {
	i := slices.IndexFunc(m.entries, func(e *entry) bool { return e.file.FileID == id })
	if i < 0 || id == "" {
		return nil
	}
	return m.entries[i]
}

// load shows the current file in the parts. A part that shows the same value
// already keeps its cursor.
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
		m.focus(onRecord) // the part is not shown any more
	}
	m.rows = withEdits(rowsOf(&e.file), m.editRows(e))
	m.record.SetLen(len(m.rows))
}

// arrive reads the record of the current file, once.
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

// adopt shows other files. Files with unsaved changes stay, after them.
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
			e.marked = false // nothing is done to what was not opened now
			m.entries = append(m.entries, e)
		}
	}
	m.files.SetLen(len(m.entries))
	m.focus(onRecord)
	return tea.Batch(m.turnTo(0), m.readSeen())
}

// turn goes to the next file, or the one before.
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

// lose drops a file that is gone.
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

// learn replaces a record by a newer one of another screen.
func (m *Model) learn(f api.File) {
	if e := m.entryOf(f.FileID); e != nil {
		e.meanwhile = append(e.meanwhile, e.rebase(f, m.now())...)
		m.load()
	}
}
