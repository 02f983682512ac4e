// Package library is the screen for browsing the folders and files of the service.
package library

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
)

// Session is the part of [session.Session] that the screen uses; tests have another.
type Session interface {
	edit.Manager
	edit.Signer
	List(ctx context.Context, q api.Query) ([]api.File, error)
	SeenIn(ctx context.Context, folder string) ([]api.File, error)
	Thumb(ctx context.Context, f api.File) (path string, err error)
	Download(ctx context.Context, f api.File, folder string, report func(n int64)) (string, error)
	OtherProfiles() ([]string, error)
	PlanTransfer(ctx context.Context, from, to string, items []api.File,
		o session.TransferOptions) (*session.Transfer, error)
	Enqueue(ctx context.Context, t *session.Transfer) error
	MakeFolder(ctx context.Context, folder string) (made string, existed bool, err error)
	DeleteFolder(ctx context.Context, folder string) error
	CopyFolder(ctx context.Context, folder, into string) (string, error)
	MoveFolder(ctx context.Context, folder, into string) (string, error)
	RenameFolder(ctx context.Context, folder, name string) (string, error)
	CountFolder(ctx context.Context, folder string) (session.FolderContent, error)
	MetadataFields(ctx context.Context, folder string) ([]api.MetadataField, error)
}

// Options configures the screen.
type Options struct {
	// Context ends the screen's background work.
	Context context.Context
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
	freshTTL    = 5 * time.Second
	rereadDelay = 500 * time.Millisecond
)

// Model is the library. Create it with New. It reads nothing until it is shown.
type Model struct {
	page.Base
	o   Options
	now func() time.Time

	shown   listing        // what is drawn
	opening listing        // what is read in place of shown; without a folder if nothing is
	busy    bool           // a listing is being read
	reading page.Questions // for listings
	stop    context.CancelFunc
	order   order

	list    *kit.List[api.File]
	cursors map[string]string // last cursor row by listing
	query   query
	common  []string    // tags of all files shown
	counts  sync.Map    // string: what is in a folder, by path
	sheet   *edit.Tiles // the listing as a contact sheet
	preview *edit.Preview
	menuAt  string       // key of the row where a menu opened, until the cursor moves
	next    tea.Cmd      // of leaving a search, to be run
	landing string       // key of the row for the cursor after reading; empty to stay
	manage  *edit.Manage // tracks running work

	front bool // the screen is in front
	stale bool // changed since the listing was read
	due   bool // catchUp is pending
}

var (
	_ page.Screen    = (*Model)(nil)
	_ page.Catalog   = (*Model)(nil)
	_ page.Commander = (*Model)(nil)
	_ page.Chooser   = (*Model)(nil)
)

// New returns a library at the root folder.
func New(o Options) *Model {
	m := &Model{
		o: o, now: o.Now, cursors: map[string]string{},
		query: query{field: kit.Field{Label: "Find", Placeholder: "boat tag:sunset <7d"}},
	}
	if m.now == nil {
		m.now = time.Now
	}
	m.list = &kit.List[api.File]{
		ID: "library", Marking: true, Now: m.now, Placeholder: "part of a name or tag",
		Nothing: "the list is empty", NotFound: "the filter has no matches",
		Rows: m.rows, Key: func(f api.File) any { return keyOf(f) }, Match: m.matches, Columns: m.columns,
		Cells: m.cells, Sign: m.partly,
		Title: m.title, Note: m.note, Footer: m.position, Above: m.above, Describe: m.describe, Empty: m.empty,
		Instead: m.viewQueryHelp,
		Widen:   m.widen, Stop: func(try bool) bool {
			busy := m.manage.Busy() != ""
			if busy && !try {
				m.manage.Stop()
			}
			return busy
		},
		NoMark: func(f api.File) string {
			return text.If(f.IsFolder() || f.FileID == "", "folders cannot be marked: press enter to open one")
		},
		// A file that is not in the listing stays marked, unless it was deleted from the folder.
		Keep: func(f api.File) bool {
			above, _ := parentOf(f.FilePath)
			return !m.shown.done || m.shown.seen || !m.shown.search.isNone() || m.query.open || above != m.shown.folder
		},
		Tiles: func() kit.Tiles { return m.sheet.Shown() },
	}
	m.manage = &edit.Manage{
		Context: o.Context, Session: o.Session, Over: m.Overlays(), Profile: o.Profile,
		Now: m.now, Took: m.took, Loader: o.Loader, Draw: func() picture.Options { return m.preview.Options() },
	}
	m.sheet = edit.NewTiles(edit.TilesOptions{
		Context: o.Context, Loader: o.Loader, List: m.list.Lines(), Tile: m.tile, First: m.firstPictures,
	})
	m.preview = edit.NewPreview(edit.PreviewOptions{
		Context: o.Context, Loader: o.Loader, List: m.list, Thumbs: m.thumbs,
	})
	m.shown.folder = "/"
	m.list.Arrange()
	return m
}

// Init does nothing: the library is read when shown.
func (m *Model) Init() tea.Cmd { return nil }

func (m *Model) Capturing() bool { return m.list.Capturing() || m.query.open }

// Type edits the filter or the query line.
func (m *Model) Type(msg tea.Msg) (tea.Cmd, bool) {
	if m.query.open {
		before := m.query.field.Value()
		used := m.query.field.Update(msg)
		if m.query.field.Value() == before {
			return nil, used
		}
		return m.typed(), used
	}
	return m.list.Type(msg)
}

// Update handles a message, then loads needed rows and pictures.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if used = m.preview.Update(msg) || used; !used {
		return nil
	}
	if m.sheet.On {
		m.list.Landed() // the tiles share its cursor
	}
	m.list.Changed()
	switch f, _ := m.current(); {
	case m.Overlays().Top() != nil:
		m.menuAt = keyOf(f)
	case keyOf(f) != m.menuAt:
		m.menuAt = ""
	}
	m.sheet.Arrange(m.list.Inside().Size(), m.preview.Options())
	m.sheet.Also(m.wantFolders()...)
	next := m.next
	m.next = nil
	return tea.Batch(cmd, next, m.wantMore(), m.preview.Follow(), m.sheet.Want())
}

func (m *Model) handle(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case page.Acted:
	case page.Resized:
		m.list.Resize(msg.Size)
	case page.Shown:
		m.front = true
		return m.comeToFront(), true
	case page.Reveal:
		m.closeQuery()
		return tea.Batch(m.open(msg.Folder, msg.FileID), page.Send(page.Show{ID: page.Library})), true
	case page.Hidden:
		m.front = false
		return nil, false
	case page.FileChanged:
		m.learn(msg.File)
		return m.markStale(), true
	case page.FileGone, page.JobsChanged, page.RunsChanged:
		return m.markStale(), true
	case tea.MouseClickMsg:
		m.closeQuery()
		if m.list.Click(msg) {
			return m.enter(), true
		}
	case tea.MouseWheelMsg:
		m.list.Wheel(msg)
	default:
		return nil, m.sheet.Update(msg)
	}
	return nil, true
}

// Commands returns the command that lists the folder, runs the search, or downloads the marked
// files.
func (m *Model) Commands() [][]string {
	switch {
	case len(m.list.Marks()) > 0:
		ids := rule.Mapped(m.list.Marks(), func(f api.File) string { return f.FileID })
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

// comeToFront reads the listing if it is missing or old.
func (m *Model) comeToFront() tea.Cmd {
	known := m.manage.ReadKnown()
	old := m.stale || m.now().Sub(m.shown.at) >= freshTTL
	if m.busy || !old || m.shown.len() > maxAgain {
		return known
	}
	return tea.Batch(known, m.reload())
}

// news marks the listing as outdated. It is reread after a moment, or when the screen is shown.
func (m *Model) markStale() tea.Cmd {
	m.stale = true
	if !m.front || m.due || m.shown.at.IsZero() {
		return nil
	}
	m.due = true
	return page.After(rereadDelay, page.Then(func() tea.Cmd {
		m.due = false
		return m.catchUp()
	}))
}

func (m *Model) catchUp() tea.Cmd {
	if !m.stale || m.due || m.busy || m.shown.at.IsZero() || m.shown.len() > maxAgain {
		return nil
	}
	return m.reload()
}

// learn replaces a record by a newer one.
func (m *Model) learn(f api.File) {
	for _, files := range [][]api.File{m.shown.files, m.list.Marks()} {
		for i := range files {
			if files[i].FileID == f.FileID && f.FileID != "" {
				files[i] = f
			}
		}
	}
	m.list.Arrange()
}

func (m *Model) current() (api.File, bool) { return m.list.Row() }

// keyOf identifies a row across reads.
func keyOf(f api.File) string { return text.Either(f.IsFolder(), "folder "+f.Name, f.FileID) }
