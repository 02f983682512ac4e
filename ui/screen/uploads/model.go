// Package uploads is the screen of the jobs: what is under way, what waits and
// what came of the rest.
package uploads

import (
	"context"
	"image"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/theme"
)

// Session is what the screen asks of the session.
type Session interface {
	Jobs(ctx context.Context, f session.JobFilter) ([]api.Job, error)
	OpenJobs(ctx context.Context) (int, error)
	JournalVersion(ctx context.Context) (int64, error)
	LastSeen(ctx context.Context, fileID string) (session.Seen, bool, error)
	// Curl writes the request of a job as a command, with the key as a variable.
	Curl(job api.Job) (string, error)
}

// Queue is the queue that the screen shows and controls.
type Queue interface {
	Snapshot() session.Snapshot
	Busy() bool
	Add(ctx context.Context, jobs []api.Job) ([]api.Job, error)
	First(ctx context.Context, id int64) error
	Last(ctx context.Context, id int64) error
	Pause(id int64) error
	PauseAll()
	Continue(id int64) error
	ContinueAll()
	Cancel(id int64) error
	Retry(id int64) error
	Look(id int64) error
	Remove(id int64) error
}

// Options are what the screen works with. Queue and Journal are needed.
type Options struct {
	// Context ends what the screen has under way; nil: nothing does.
	Context context.Context //nolint:containedctx // the screen's: it ends what the screen has under way
	Session Session
	Queue   Queue
	Profile session.Profile
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// focus is the part that has the keys.
type focus uint8

const (
	onList focus = iota
	onPane
	onFilter
)

// Model is the screen.
type Model struct {
	page.Base
	o     Options
	rows  rows
	focus focus

	list   kit.List
	moved  bool // the person chose a row: the cursor stays on its job
	pane   kit.Pane
	open   bool // the pane is shown where it is not always
	filter kit.Field
	clicks *kit.Clicks

	shown    bool           // it is in front: counters are read, the journal is watched
	watching page.Questions // the newest turn of the watch on the journal
	reading  bool           // the journal is being read
	version  int64          // of the journal when it was last read; 0: not known
	size     image.Point
	memo     *kit.Memo[drawnFor, string]
}

// drawnFor is what the drawn screen depends on beside its state.
type drawnFor struct {
	size  image.Point
	theme *theme.Theme
}

var _ page.Screen = (*Model)(nil)

// New makes the screen.
func New(o Options) *Model {
	if o.Context == nil {
		o.Context = context.Background()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Model{
		o: o, rows: newRows(), memo: &kit.Memo[drawnFor, string]{}, clicks: kit.NewClicks(o.Now),
		filter: kit.Field{Label: "Filter", Placeholder: "part of a name, or a state such as refused"},
	}
}

// Init reads what was sent by former runs of the program.
func (m *Model) Init() tea.Cmd {
	m.look()
	return m.readEarlier()
}

// Update takes a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if used {
		m.changed()
	}
	return cmd
}

// changed has the screen laid out and drawn again.
func (m *Model) changed() {
	l := m.layout(m.size)
	m.list.SetHeight(l.list.Dy())
	if !l.pane.Empty() {
		m.pane.SetSize(len(m.paneLines(l.pane.Size(), m.o.Now(), &theme.Theme{})), l.pane.Size())
	}
	m.memo.Forget()
}

func (m *Model) handle(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case page.Tick:
		return nil, m.tick()
	case page.JobsChanged:
		return nil, m.news()
	case page.Acted:
	case page.Resized:
		m.size = msg.Size
	case page.Shown:
		m.shown = true
		m.look()
		return tea.Batch(m.readEarlier(), m.watchOthers()), true
	case page.Hidden:
		m.shown = false
		m.watching.Drop()
	case earlierRead:
		m.rows.read, m.reading = true, false
		if msg.err != nil {
			return page.Send(page.Problem(msg.err)), true
		}
		m.change(func() {
			m.rows.earlier, m.rows.open = msg.jobs, msg.open
			if msg.version != 0 {
				m.version = msg.version
			}
			m.rows.take(m.o.Queue.Snapshot(), m.o.Now())
		})
	case unchanged:
		m.reading = false
		return nil, false
	case placed:
		return m.done(msg.err), true
	case watchTick:
		return m.watch(), false
	case resent:
		return m.resent(msg), true
	case tea.MouseClickMsg:
		return m.click(msg), true
	case tea.MouseWheelMsg:
		m.wheel(msg)
	default:
		return nil, false
	}
	return nil, true
}

// look reads the queue and puts the rows in order.
func (m *Model) look() {
	m.change(func() { m.rows.take(m.o.Queue.Snapshot(), m.o.Now()) })
}

// tick reads the counters. Nobody needs them while the screen is not in front.
func (m *Model) tick() bool {
	if !m.shown {
		return false
	}
	under := m.under()
	if !m.rows.refresh(m.o.Queue.Snapshot(), m.o.Now()) {
		m.arrange(under)
	}
	return true
}

// lookTime is how long news may wait for the next tick.
const lookTime = 100 * time.Millisecond

// news is a change of some job. Many come in short time while small files are
// sent: those wait for the tick that is to come.
func (m *Model) news() bool {
	if !m.shown {
		return false
	}
	m.rows.stale = true
	if m.o.Now().Sub(m.rows.at) < lookTime && m.o.Queue.Busy() {
		return false
	}
	m.look()
	return true
}

// change runs do, which changes the rows, and puts them in order.
func (m *Model) change(do func()) {
	under := m.under()
	do()
	m.arrange(under)
}

// under is the job under the cursor, 0 for none.
func (m *Model) under() int64 {
	if row, ok := m.current(); ok {
		return row.Job.ID
	}
	return 0
}

// arrange orders and filters the rows. The cursor, which was on that job, stays
// on it once the person moved it, else at the top, where the work is.
func (m *Model) arrange(under int64) {
	m.rows.arrange(m.filter.Value())
	m.list.SetLen(len(m.rows.shown))
	if !m.moved {
		m.list.SetCursor(0)
	} else if at := m.rows.find(under); at >= 0 {
		m.list.SetCursor(at)
	}
	if m.under() != under {
		m.pane.Reset()
	}
}

// current is the row under the cursor.
func (m *Model) current() (row, bool) {
	return m.rows.row(m.list.Cursor())
}
