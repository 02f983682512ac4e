// Package library is the screen for browsing the folders and files of the service.
package library

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
	// List lists folders and files. If the service does not support it, api.Unavailable is true for
	// the error.
	List(ctx context.Context, q api.Query) ([]api.File, error)
	// SeenIn returns the files and folders known for a folder, in the form "/a/b/". Seen returns
	// all known files, for services without search.
	SeenIn(ctx context.Context, folder string) ([]api.File, error)
	Seen(ctx context.Context) ([]api.File, error)
	// Runs returns the runs of extensions.
	Runs(ctx context.Context) ([]api.Run, error)
	// Thumb returns the path of a local file with a thumbnail.
	Thumb(ctx context.Context, f api.File) (path string, err error)
	// Picture returns the path of a local file with the picture itself.
	Picture(ctx context.Context, f api.File) (path string, err error)
	// Download saves a file in a local folder and returns its path; report receives the number of
	// bytes as they arrive.
	Download(ctx context.Context, f api.File, folder string, report func(n int64)) (string, error)
	// Sent returns the upload that stored a file; false if it was not sent from here.
	Sent(ctx context.Context, fileID string) (api.Job, bool, error)
	// OtherProfiles returns the other profiles. PlanTransfer plans sending files and folders to
	// one; Enqueue queues the plan for when that profile is in use.
	OtherProfiles() ([]string, error)
	PlanTransfer(ctx context.Context, from, to string, items []api.File, o session.TransferOptions) (*session.Transfer, error)
	Enqueue(ctx context.Context, t *session.Transfer) error
	// Signed returns a temporary public URL of a private file.
	Signed(f api.File, valid time.Duration) (string, error)

	Manager
}

// Manager manages files and folders.
type Manager interface {
	edit.Manager
	// MakeFolder creates a folder and DeleteFolder deletes one with its contents. All but DeleteFolder
	// return the new path.
	MakeFolder(ctx context.Context, folder string) (made string, existed bool, err error)
	DeleteFolder(ctx context.Context, folder string) error
	CopyFolder(ctx context.Context, folder, into string) (string, error)
	MoveFolder(ctx context.Context, folder, into string) (string, error)
	RenameFolder(ctx context.Context, folder, name string) (string, error)
	// CountFolder counts the contents of a folder at any depth.
	CountFolder(ctx context.Context, folder string) (session.FolderContent, error)
	// Tags and Folders return suggestions.
	Tags(ctx context.Context) ([]string, error)
	Folders(ctx context.Context) ([]string, error)
	// MetadataFields returns the custom metadata fields for files in a folder.
	MetadataFields(ctx context.Context, folder string) ([]api.MetadataField, error)
}

// Options configures the screen.
type Options struct {
	// Context ends the screen's background work.
	Context context.Context //nolint:containedctx // the screen's: it ends what the screen has under way
	Session Session
	// Loader draws thumbnails; nil for none.
	Loader *picture.Loader
	// Downloads is the default folder for downloads.
	Downloads string
	// Profile is the profile in use.
	Profile session.Profile
	// Now is the clock; nil for time.Now.
	Now func() time.Time
}

// Age from which a listing is reread when the screen is shown, and delay for collecting changes
// before rereading.
const (
	fresh  = 5 * time.Second
	gather = 500 * time.Millisecond
)

// Model is the library. Create it with New. It reads nothing until it is shown.
type Model struct {
	page.Base
	o   Options
	now func() time.Time

	shown   listing        // what is drawn
	opening string         // folder being opened; may be empty
	busy    bool           // a listing is being read
	reading page.Questions // for listings
	stop    context.CancelFunc
	order   order

	rows     []api.File // rows of shown that match the filter
	list     kit.List
	cursors  map[string]string // last cursor row by listing
	filter   kit.Field
	typing   bool // the filter has the focus
	query    query
	marks    marks
	terminal terminal
	sheet    *edit.Tiles  // the listing as a contact sheet
	preview  *edit.Tiles  // pictures of the current row
	landing  string       // key of the row for the cursor after rereading; empty to stay
	manage   *edit.Manage // tracks running work
	facts    bool         // picture and facts are shown beside the list
	standing standing     // extension states of files
	runs     page.Questions

	front     bool // the screen is in front
	stale     bool // changed since the listing was read
	due       bool // catchUp is pending
	unmatched int  // files read since the last match

	clicks *kit.Clicks
	size   image.Point
	placed layout // in size
}

var (
	_ page.Screen    = (*Model)(nil)
	_ page.Catalog   = (*Model)(nil)
	_ page.Commander = (*Model)(nil)
)

// New returns a library at the root folder.
func New(o Options) *Model {
	m := &Model{
		o: o, now: o.Now, cursors: map[string]string{}, facts: true,
		query:  query{field: kit.Field{Label: "find", Placeholder: "tag:sunset >1mb after:2026-07 is:pending"}},
		filter: kit.Field{Label: "filter", Placeholder: "part of a name or tag"},
	}
	if m.now == nil {
		m.now = time.Now
	}
	m.clicks = kit.NewClicks(m.now)
	m.manage = &edit.Manage{Context: o.Context, Session: o.Session, Over: m.Overlays(), Profile: o.Profile, Now: m.now, Took: m.took}
	m.sheet, m.preview = m.newSheet(), m.newPreview()
	m.shown.folder = "/"
	return m
}

// Init does nothing: the library is read when shown.
func (m *Model) Init() tea.Cmd { return nil }

// Capturing reports whether the filter or query line has the focus.
func (m *Model) Capturing() bool { return m.typing || m.query.open }

// Type edits the filter or the query line.
func (m *Model) Type(msg tea.Msg) (tea.Cmd, bool) {
	if m.query.open {
		used := m.query.field.Update(msg)
		if used {
			m.query.wrong = nil
		}
		return nil, used
	}
	before := m.filter.Value()
	if !m.typing || !m.filter.Update(msg) {
		return nil, false
	}
	if m.filter.Value() != before {
		m.refilter()
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

// settle updates the layout and loads needed rows and thumbnails.
func (m *Model) settle(cmd tea.Cmd) tea.Cmd {
	m.Changed()
	m.placed = m.layout(m.size)
	m.list.SetHeight(m.placed.body.Dy())
	m.sheet.Arrange(m.placed.body.Size(), m.terminal.options())
	m.preview.Arrange(m.pictureRoom(), m.terminal.options())
	return tea.Batch(cmd, m.wantMore(), m.preview.Want(), m.sheet.Want())
}

func (m *Model) handle(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case page.Acted:
	case page.Resized:
		m.size = msg.Size
	case page.Shown:
		m.front = true
		return m.comeToFront(), true
	case page.Hidden:
		m.front = false
		return nil, false
	case page.FileGone:
		m.forget(msg.FileID)
		return m.news(), true
	case page.FileChanged:
		m.learn(msg.File)
		return m.news(), true
	case page.JobsChanged:
		return m.news(), true
	case page.RunsChanged:
		return tea.Batch(m.news(), m.askRuns()), true
	case tea.MouseClickMsg:
		return m.clicked(msg), true
	case tea.MouseWheelMsg:
		return nil, m.wheel(msg)
	default:
		return nil, m.sheet.Update(msg) || m.preview.Update(msg) || m.terminal.learn(msg)
	}
	return nil, true
}

// clicked moves the cursor; a double click opens.
func (m *Model) clicked(msg tea.MouseClickMsg) tea.Cmd {
	at := image.Pt(msg.X, msg.Y)
	if msg.Button != tea.MouseLeft || !at.In(m.placed.body) {
		return nil
	}
	at = at.Sub(m.placed.body.Min)
	i, ok := m.list.At(at.Y)
	if m.sheet.On {
		i, ok = m.sheet.At(at)
	}
	if !ok {
		return nil
	}
	m.list.SetCursor(i)
	m.stopTyping()
	m.closeQuery()
	if m.clicks.Double(msg) {
		return m.enter()
	}
	return nil
}

func (m *Model) wheel(msg tea.MouseWheelMsg) (used bool) {
	m.unmatched = 0
	if !m.sheet.On {
		return m.list.Wheel(msg)
	}
	m.sheet.Wheel(msg)
	return true
}

// Commands returns the command that lists the folder, runs the search, or downloads the marked
// files.
func (m *Model) Commands() [][]string {
	switch {
	case len(m.marks.files) > 0:
		var ids []string
		for _, f := range m.marks.files {
			ids = append(ids, f.FileID)
		}
		return [][]string{session.Command("download", ids, "--to="+m.o.Downloads)}
	case m.shown.search.kind != "":
		return nil // no equivalent in the command
	case !m.shown.search.isNone():
		return [][]string{{"list", "--search=" + m.shown.search.query()}}
	case m.shown.folder == "":
		return [][]string{{"list", "/"}}
	}
	return [][]string{session.Command("list", []string{m.shown.folder})}
}

// forget drops a deleted file.
func (m *Model) forget(id string) {
	is := func(f api.File) bool { return f.FileID == id && id != "" }
	m.shown.files = slices.DeleteFunc(m.shown.files, is)
	m.marks.files = slices.DeleteFunc(m.marks.files, is)
	m.arrange()
}

// comeToFront reads the listing if it is missing or old.
func (m *Model) comeToFront() tea.Cmd {
	runs := tea.Batch(m.askRuns(), m.manage.ReadKnown())
	old := m.stale || m.now().Sub(m.shown.at) >= fresh
	if m.busy || !old || m.shown.len() > maxAgain {
		return runs
	}
	return tea.Batch(runs, m.reload())
}

// news marks the listing as outdated. It is reread after a moment, or when the screen is shown.
func (m *Model) news() tea.Cmd {
	m.stale = true
	if !m.front || m.due || m.shown.at.IsZero() {
		return nil
	}
	m.due = true
	return tea.Tick(gather, func(time.Time) tea.Msg {
		return page.Then(func() tea.Cmd {
			m.due = false
			return m.catchUp()
		})
	})
}

// catchUp rereads an outdated listing.
func (m *Model) catchUp() tea.Cmd {
	if !m.stale || m.due || m.busy || m.shown.at.IsZero() || m.shown.len() > maxAgain {
		return nil
	}
	return m.reload()
}

// learn replaces a record by a newer one.
func (m *Model) learn(f api.File) {
	if f.FileID == "" {
		return
	}
	for _, files := range [][]api.File{m.shown.files, m.rows} {
		for i := range files {
			if files[i].FileID == f.FileID {
				files[i] = f
			}
		}
	}
	m.marks.learn(f)
}

// current returns the record of the current row.
func (m *Model) current() (api.File, bool) {
	i := m.list.Cursor()
	if i >= len(m.rows) {
		return api.File{}, false
	}
	return m.rows[i], true
}

// keyOf identifies a row across reads.
func keyOf(f api.File) string {
	if f.IsFolder() {
		return "folder " + f.Name
	}
	return f.FileID
}
