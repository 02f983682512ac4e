// Package details is the screen of stored files: every field of their records,
// of which tags and region can be changed.
package details

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
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
	// Read fetches a record, and ReadAll several. An error that api.Unavailable knows
	// says that the service does not let us.
	Read(ctx context.Context, fileID string) (*api.File, error)
	ReadAll(ctx context.Context, ids []string, report func(session.Edited)) []session.Edited
	// SeenAt is when a record was seen last; the zero time if that is not known.
	SeenAt(ctx context.Context, fileID string) (time.Time, error)
	// Picture gives the path of a local file with the picture.
	Picture(ctx context.Context, f api.File) (path string, err error)
	// Tags are offered while a person types.
	Tags(ctx context.Context) ([]string, error)
	// MetadataFields are the custom metadata fields of the library.
	MetadataFields(ctx context.Context) ([]api.MetadataField, error)
}

// Editor changes details, and undoes and redoes that.
type Editor interface {
	Change(ctx context.Context, fileID string, d api.Details) (*api.File, error)
	ChangeAll(ctx context.Context, changes []session.Change, report func(session.Edited)) []session.Edited
	Undo(ctx context.Context, fileID string, policy session.Policy) ([]session.Edited, error)
	Redo(ctx context.Context, fileID string, policy session.Policy) ([]session.Edited, error)
}

// Manager works on whole files.
type Manager interface {
	// Versions fails where the service does not manage files.
	Versions(ctx context.Context, fileID string) ([]api.File, error)
	Restore(ctx context.Context, fileID, versionID string) (*api.File, error)
	DeleteVersion(ctx context.Context, fileID, versionID string) error
	Rename(ctx context.Context, f api.File, name string) (*api.File, error)
	// Move returns no record if the file became a version of another.
	Move(ctx context.Context, f api.File, folder string) (*api.File, error)
	Copy(ctx context.Context, f api.File, folder string) error
	Delete(ctx context.Context, f api.File) error
	// Signed is an address at which anybody can fetch a private file for so long.
	Signed(f api.File, valid time.Duration) (string, error)
}

// Options are what the screen begins with and what it reaches the world
// through. The functions are called in commands, never on the event loop; a nil
// function is an ability that is missing. Only Save must be there.
type Options struct {
	// Context ends what the screen has under way; nil: nothing does.
	Context context.Context
	// Files are the records as last seen, at least one.
	Files   []api.File
	Session Session
	Profile session.Profile
	// Getenv looks for the person's editor; nil: os.Getenv.
	Getenv func(string) string

	// Draw says how to draw pictures. Where the theme has no colour, neither
	// have they.
	Draw picture.Options
	// Gallery shows real pictures where the terminal can; nil: glyphs are drawn.
	Gallery *picture.Gallery
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
	onDescription // the two are rows of the record only
	onMetadata
)

// Model is the screen. Make it with New. Changes that are not saved live as
// long as it does.
type Model struct {
	o   Options
	now func() time.Time

	entries []*entry
	files   kit.List // its cursor is the file that is shown
	area    area

	record kit.List
	rows   []row
	tags   *kit.Chips
	ai     kit.List
	region *kit.Field
	known  []string

	picture pictureState
	grip    picture.Grip
	ratio   picture.Ratio
	drag    drag
	pointer page.Pointer // where in its cell the mouse is, until its message
	editing bool         // the editor has the terminal

	menu   *kit.Menu
	take   func(row int) tea.Cmd
	prompt *kit.Prompt
	taken  func(text string) tea.Cmd
	text   string // of the editor, which could not be read; empty: there is none
	fields []api.MetadataField
	able   abilities
	bulk   *bulk // changes of several files under way
	reader *kit.Reader
	busy   string // what is under way, in words; empty: nothing is

	drawn drawn
	cache cache
}

var _ page.Unconverted = (*Model)(nil)

// New makes the screen for some files.
func New(o Options) *Model {
	if o.Context == nil {
		o.Context = context.Background()
	}
	m := &Model{
		o: o, now: o.Now,
		tags:   kit.NewChips("", "no tags; type one, then enter or a comma"),
		region: kit.NewField("x,y,width,height", "none; such as 10,20,300,200"),
	}
	if m.now == nil {
		m.now = time.Now
	}
	m.tags.Complete = m.complete
	for _, f := range o.Files {
		m.entries = append(m.entries, &entry{file: f})
	}
	m.files.SetLen(len(m.entries))
	m.load()
	return m
}

// Init looks at the file anew and asks for what can be offered.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(m.arrive(), m.askKnown(), m.askSeen(), m.askFields())
}

// Capturing reports whether a text field or something over the screen takes
// the keys.
func (m *Model) Capturing() bool {
	return m.menu != nil || m.reader != nil || m.prompt != nil || m.area == onTags || m.area == onRegion
}

// Update takes a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if used {
		m.cache.valid = false
		// What is drawn anew may be drawn in another place or size.
		cmd = tea.Batch(cmd, m.soon(), m.picture.crop.Follow(m.o.Gallery, m.o.Draw))
	}
	return cmd
}

func (m *Model) handle(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return m.press(msg), true
	case tea.PasteMsg:
		if m.prompt != nil {
			m.prompt.Update(msg)
		} else {
			m.edit(msg)
		}
	case page.Pointer:
		m.pointer = msg
	case tea.MouseClickMsg:
		cmd := m.click(msg)
		m.pointer = page.Pointer{}
		return cmd, true
	case tea.MouseMotionMsg:
		m.dragged(msg)
		m.pointer = page.Pointer{}
	case tea.MouseReleaseMsg:
		m.drag, m.pointer = drag{}, page.Pointer{}
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case page.Inspect:
		return m.adopt(msg.Files), true
	case tea.ColorProfileMsg:
		m.o.Draw.Color = picture.ColorOf(msg.Profile)
	case picture.Abilities:
		m.o.Draw = msg.Options(m.o.Draw.Color, m.o.Draw.Light)
	case tea.WindowSizeMsg, picture.HungRegion, picture.HungCrop:
	case realMsg:
		if msg.owner == m {
			return m.wantReal(), false
		}
	case page.Shown:
		// The words for how long ago something was are to be those of now.
	case page.FileChanged:
		return m.learn(msg.File), true
	case knownMsg:
		if msg.owner == m {
			m.known = msg.tags
		}
	case seenMsg:
		m.gotSeen(msg)
	case freshMsg:
		return m.gotFresh(msg), true
	case confirmedMsg:
		return m.send(msg), true
	case savedMsg:
		return m.saved(msg), true
	case pictureMsg:
		m.gotPicture(msg)
	case theirsMsg:
		return m.takeTheirs(msg), true
	case page.FileGone:
		return m.lose(msg.FileID), true
	default:
		return m.handleMore(msg)
	}
	return nil, true
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

// load shows the current file in the parts. A part that shows the same already
// keeps its cursor and what is being typed.
func (m *Model) load() {
	e := m.current()
	if e == nil {
		return
	}
	if tags := e.wantedTags(); !slices.Equal(tags, m.tags.Value()) {
		m.tags.SetValue(tags)
	}
	if text := e.wantedRegion(); text != m.region.Value() {
		m.region.SetValue(text)
	}
	m.tags.Placeholder = "no tags; type one, then enter or a comma"
	if e.tags.mode == unset {
		m.tags.Placeholder = "unset (null will be sent)"
	}
	m.region.Placeholder = "none; such as 10,20,300,200"
	if e.region.mode == unset {
		m.region.Placeholder = "unset (null will be sent)"
	}
	m.ai.SetLen(len(e.file.AITags.Or(nil)))
	if !slices.Contains(m.areas(), m.area) && (m.area != onPicture || !e.canHaveRegion()) {
		m.focus(onRecord) // the part went with what it was about
	}
	m.rows = withEdits(rowsOf(&e.file), m.editRows(e))
	m.record.SetLen(len(m.rows))
}

// arrive looks at a file that has just been turned to.
func (m *Model) arrive() tea.Cmd {
	e := m.current()
	if e == nil {
		return nil
	}
	var look tea.Cmd
	if !e.asked {
		look = m.look(forShow)
	}
	return tea.Batch(look, m.wantPicture(), m.probe())
}

// adopt shows other files in place of those that are shown. What is not saved
// stays: those files follow behind.
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
		m.entries = append(m.entries, e)
	}
	for _, e := range old {
		if e.changed() {
			m.entries = append(m.entries, e)
		}
	}
	m.files.SetLen(len(m.entries))
	m.focus(onRecord)
	return tea.Batch(m.turnTo(0), m.askSeen())
}

// turn goes to the next file, or the one before.
func (m *Model) turn(by int) tea.Cmd {
	n := len(m.entries)
	return m.turnTo((m.files.Cursor() + by + n) % n)
}

func (m *Model) turnTo(i int) tea.Cmd {
	m.files.SetCursor(i)
	m.grip, m.ratio, m.drag = 0, picture.Ratio{}, drag{}
	m.load()
	m.record.SetCursor(0)
	m.ai.SetCursor(0)
	return m.arrive()
}

// purpose is what a fresh look is for.
type purpose int

const (
	forShow purpose = iota
	forSave
)

// freshMsg has a record that was looked at anew.
type freshMsg struct {
	owner *Model
	id    string
	why   purpose
	file  *api.File
	at    time.Time
	err   error
}

// patience is how long a look may take.
const patience = 20 * time.Second

// look reads the current record anew.
func (m *Model) look(why purpose) tea.Cmd {
	e := m.current()
	e.asked = true
	ctx, id, s, now := m.o.Context, e.file.FileID, m.o.Session, m.now
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		file, err := s.Read(ctx, id)
		if err == nil && file == nil {
			err = api.ErrNoRecord
		}
		return freshMsg{m, id, why, file, now(), err}
	}
}

func (m *Model) gotFresh(msg freshMsg) tea.Cmd {
	e := m.entryOf(msg.id)
	if msg.owner != m || e == nil {
		return nil
	}
	var meanwhile []string
	e.readErr = msg.err
	if msg.err == nil {
		meanwhile = e.rebase(*msg.file, msg.at)
		e.meanwhile = append(e.meanwhile, meanwhile...)
		if !e.changed() {
			e.problem = nil // what failed is there all the same
		}
		m.load()
	}
	cmd := m.wantPicture()
	if msg.why == forSave {
		m.busy = ""
		return tea.Batch(cmd, m.askSave(e))
	}
	return cmd
}

// gone tells whether the service says that the file is not there any more. A
// service elsewhere answers the same where it does not let us look.
func (m *Model) gone(e *entry) bool {
	var answer *api.ServiceError
	return m.o.Profile.Local && errors.As(e.readErr, &answer) && answer.Status == http.StatusNotFound
}

// learn takes a newer record over from another part of the program.
func (m *Model) learn(f api.File) tea.Cmd {
	e := m.entryOf(f.FileID)
	if e == nil {
		return nil
	}
	e.meanwhile = append(e.meanwhile, e.rebase(f, m.now())...)
	m.load()
	return m.wantPicture()
}

// knownMsg has the tags that can be offered.
type knownMsg struct {
	owner *Model
	tags  []string
}

func (m *Model) askKnown() tea.Cmd {
	ctx, s := m.o.Context, m.o.Session
	return func() tea.Msg {
		tags, err := s.Tags(ctx)
		if err != nil {
			return page.Problem(err)
		}
		return knownMsg{m, tags}
	}
}

// complete gives the known tags that hold what is typed, those that begin with
// it first.
func (m *Model) complete(typed string) []string {
	typed = strings.ToLower(typed)
	var begin, within []string
	for _, tag := range m.known {
		switch low := strings.ToLower(tag); {
		case strings.HasPrefix(low, typed):
			begin = append(begin, tag)
		case strings.Contains(low, typed):
			within = append(within, tag)
		}
	}
	return append(begin, within...)
}

// seenMsg has the times at which records were seen last.
type seenMsg struct {
	owner *Model
	at    map[string]time.Time
}

func (m *Model) askSeen() tea.Cmd {
	var ids []string
	for _, e := range m.entries {
		ids = append(ids, e.file.FileID)
	}
	ctx, s := m.o.Context, m.o.Session
	return func() tea.Msg {
		at := make(map[string]time.Time, len(ids))
		for _, id := range ids {
			when, err := s.SeenAt(ctx, id)
			if err != nil {
				return page.Problem(err)
			}
			at[id] = when
		}
		return seenMsg{m, at}
	}
}

func (m *Model) gotSeen(msg seenMsg) {
	if msg.owner != m {
		return
	}
	for _, e := range m.entries {
		if at := msg.at[e.file.FileID]; e.at.IsZero() {
			e.at = at
		}
	}
}

func toast(level kit.Level, text string) tea.Cmd {
	return page.Send(page.Toast{Level: level, Text: text})
}
