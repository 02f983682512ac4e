// Package library is the screen of what the service holds: its folders and
// files, page by page.
package library

import (
	"context"
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
	// List lists folders and files of the service. An error that api.Unavailable
	// knows says that the service does not list.
	List(ctx context.Context, q api.Query) ([]api.File, error)
	// SeenIn gives what this computer has seen of a folder, in the form "/a/b/": the
	// files, and the folders as records of type folder. Seen gives every file, for
	// searching where the service does not.
	SeenIn(ctx context.Context, folder string) ([]api.File, error)
	Seen(ctx context.Context) ([]api.File, error)
	// Runs gives the extensions at work, to say which files are pending.
	Runs(ctx context.Context) ([]api.Run, error)
	// Thumb gives the path of a local file with a thumbnail.
	Thumb(ctx context.Context, f api.File) (path string, err error)
	// Download fetches a file into a local folder and returns its path; report gets
	// the number of bytes as they come.
	Download(ctx context.Context, f api.File, folder string, report func(n int64)) (string, error)
	// Sent is the upload that stored a file; false if none from here did.
	Sent(ctx context.Context, fileID string) (api.Job, bool, error)
	// Signed is an address at which anybody can fetch a private file for so long.
	Signed(f api.File, valid time.Duration) (string, error)
}

// Options are what the screen is made with.
type Options struct {
	// Context ends what the screen has under way; nil: nothing does.
	Context context.Context
	Session Session
	// Loader draws thumbnails; nil: none are drawn.
	Loader *picture.Loader
	// Downloads is the folder that is offered for downloads.
	Downloads string
	// Profile is the profile in use.
	Profile session.Profile
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// How old a listing may be when the screen comes to the front, and how long
// news are gathered before it is read again.
const (
	fresh  = 5 * time.Second
	gather = 500 * time.Millisecond
)

// Model is the library. Make it with New. It reads nothing before it comes to
// the front.
type Model struct {
	o   Options
	now func() time.Time

	shown   listing // what is drawn
	opening string  // the folder on its way; empty when none is
	busy    bool    // a listing is being read
	gen     int     // number of the reading under way; stale replies differ
	stop    context.CancelFunc
	order   order

	rows   []api.File // of shown, through the filter
	list   kit.List
	places map[string]string // folder → key of the row under the cursor when it was left

	filter   kit.Field
	typing   bool // the filter takes the keys
	marks    marks
	menu     *kit.Menu
	take     func(row int) tea.Cmd // what a row of the menu does
	closed   func()                // what leaving the menu does; nil: nothing
	prompt   *kit.Prompt
	taken    func(text string) tea.Cmd // what the text of the prompt is for
	wanted   *search                   // what is being put together; nil: nothing is
	sheet    sheet
	fetching *download // under way; nil: none is
	facts    bool      // what is known of the row under the cursor stands beside the list
	standing standing  // of the extensions of files
	runsGen  int

	stale     bool // there was news since the listing was read
	due       bool // a reading is due in a moment
	drawn     bool // the screen was drawn since the last news: it is in front
	clicks    *kit.Clicks
	listAt    int // line of the first row, for the mouse
	tilesAt   int // column of the first tile
	cache     cache
	unmatched int // files read for a filter without a row to show for it
}

var _ page.Unconverted = (*Model)(nil)

// New makes a library that begins at the root.
func New(o Options) *Model {
	if o.Context == nil {
		o.Context = context.Background()
	}
	m := &Model{
		o: o, now: o.Now, places: map[string]string{}, facts: true,
		filter: kit.Field{Label: "filter", Placeholder: "part of a name or tag"},
	}
	if m.now == nil {
		m.now = time.Now
	}
	m.clicks = kit.NewClicks(m.now)
	m.shown.folder = "/"
	return m
}

// Init does nothing: the library is read when it is looked at.
func (m *Model) Init() tea.Cmd { return nil }

// Capturing reports whether the filter or a menu takes the keys.
func (m *Model) Capturing() bool { return m.typing || m.menu != nil || m.prompt != nil }

// Update takes a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if !used {
		return nil
	}
	m.cache.valid = false
	return tea.Batch(cmd, m.wantMore(), m.wantThumbs())
}

func (m *Model) handle(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return tea.Batch(m.press(msg), m.catchUp()), true
	case tea.PasteMsg:
		if m.prompt != nil {
			m.prompt.Update(msg)
			return nil, true
		}
		return m.edit(msg), true
	case thumbMsg:
		if msg.owner != m {
			msg.drawn.Image.Drop()
			return nil, false
		}
		return m.sheet.wall.Got(msg.key, msg.drawn, msg.err), true
	case picture.Hung:
		return nil, m.sheet.wall.Hung(msg.Image)
	case downloadTicked:
		if msg.of != m.fetching {
			return nil, false
		}
		return msg.of.tick(), true
	case downloadedMsg:
		return m.downloaded(msg), true
	case sentMsg:
		return m.gotSent(msg), true
	case page.FileGone:
		m.forget(msg.FileID)
		return m.news(), true
	case tea.MouseClickMsg:
		return m.clicked(msg), true
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case page.Shown:
		return m.comeToFront(), true
	case page.FileChanged:
		m.learn(msg.File)
		return m.news(), true
	case page.JobsChanged:
		return m.news(), true
	case page.RunsChanged:
		return tea.Batch(m.news(), m.askRuns()), true
	case dueMsg:
		if msg.owner != m {
			return nil, false
		}
		m.due = false
		return m.catchUp(), true
	case readMsg:
		if msg.owner != m {
			return nil, false
		}
		return m.got(msg), true
	case runsMsg:
		if msg.owner != m {
			return nil, false
		}
		m.gotRuns(msg)
	default:
		return nil, m.sheet.learnTerminal(msg)
	}
	return nil, true
}

// forget lets go of a file that is not there any more.
func (m *Model) forget(id string) {
	is := func(f api.File) bool { return f.FileID == id && id != "" }
	m.shown.files = slices.DeleteFunc(m.shown.files, is)
	m.marks.files = slices.DeleteFunc(m.marks.files, is)
	m.arrange()
}

// comeToFront reads the listing where it is missing or old.
func (m *Model) comeToFront() tea.Cmd {
	runs := m.askRuns()
	old := m.stale || m.now().Sub(m.shown.at) >= fresh
	if m.busy || !old || m.shown.len() > maxAgain {
		return runs
	}
	return tea.Batch(runs, m.reload())
}

// dueMsg ends the gathering of news.
type dueMsg struct{ owner *Model }

// news notes that the listing may be old. It is read again after a moment
// while the screen is in front, else when it comes there.
func (m *Model) news() tea.Cmd {
	m.stale = true
	inFront := m.drawn
	m.drawn = false
	if !inFront || m.due || m.shown.at.IsZero() {
		return nil
	}
	m.due = true
	return tea.Tick(gather, func(time.Time) tea.Msg { return dueMsg{m} })
}

// catchUp reads the listing again where there was news.
func (m *Model) catchUp() tea.Cmd {
	if !m.stale || m.due || m.busy || m.shown.at.IsZero() || m.shown.len() > maxAgain {
		return nil
	}
	return m.reload()
}

// learn puts a newer record in the place of the one shown.
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

// runsMsg has how files stand by their runs.
type runsMsg struct {
	owner *Model
	gen   int
	standing
}

func (m *Model) askRuns() tea.Cmd {
	m.runsGen++
	ctx, gen, s := m.o.Context, m.runsGen, m.o.Session
	return func() tea.Msg {
		runs, err := s.Runs(ctx)
		if err != nil {
			return page.Problem(err)
		}
		return runsMsg{m, gen, standingOf(runs)}
	}
}

func (m *Model) gotRuns(msg runsMsg) {
	if msg.gen == m.runsGen {
		m.standing = msg.standing
		if m.shown.search.state != "" || strings.Contains(m.filter.Value(), isMark) {
			m.refilter()
		}
	}
}

// current is the record under the cursor.
func (m *Model) current() (api.File, bool) {
	i := m.list.Cursor()
	if i >= len(m.rows) {
		return api.File{}, false
	}
	return m.rows[i], true
}

// keyOf names a row across readings.
func keyOf(f api.File) string {
	if f.IsFolder() {
		return "folder " + f.Name
	}
	return f.FileID
}

func toast(level kit.Level, text string) tea.Cmd {
	return page.Send(page.Toast{Level: level, Text: text})
}
