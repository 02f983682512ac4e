// Package uploads is the screen of the jobs: what is under way, what waits and
// what came of the rest.
package uploads

import (
	"context"
	"image"
	"slices"
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
	Context context.Context
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
	o     Options
	rows  rows
	focus focus

	list   kit.List
	moved  bool // the person chose a row: the cursor stays on its job
	pane   kit.Pane
	open   bool // the pane is shown where it is not always
	filter kit.Field
	menu   *kit.Menu
	copies []copied // what each row of the menu copies
	clicks *kit.Clicks

	drawn bool // it was looked at since the counters were read

	watching int   // generation of the watch on the journal
	seen     bool  // it was looked at since the last turn of the watch
	reading  bool  // the journal is being read
	version  int64 // of the journal when it was last read; 0: not known
	size     image.Point
	cache    struct {
		text  string // empty: to be drawn
		size  image.Point
		theme *theme.Theme
	}
}

var _ page.Unconverted = (*Model)(nil)

// New makes the screen.
func New(o Options) *Model {
	if o.Context == nil {
		o.Context = context.Background()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Model{
		o: o, rows: newRows(), drawn: true, clicks: kit.NewClicks(o.Now),
		filter: kit.Field{Label: "Filter", Placeholder: "part of a name, or a state such as refused"},
	}
}

// Init reads what was sent by former runs of the program.
func (m *Model) Init() tea.Cmd {
	m.look()
	return m.readEarlier()
}

// maxEarlier is how many jobs of former runs are shown.
const maxEarlier = 200

// earlierRead is the answer to readEarlier.
type earlierRead struct {
	to   *Model
	jobs []api.Job // newest last
	open int       // jobs without an outcome
	err  error

	version int64 // of the journal; 0: not known
}

// readEarlier reads the newest jobs of the journal, and those that are being
// sent, however old. Those of the queue are among them.
func (m *Model) readEarlier() tea.Cmd {
	limit := maxEarlier + min(len(m.rows.live), 10*maxEarlier)
	s, ctx := m.o.Session, m.o.Context
	return func() tea.Msg {
		jobs, err := s.Jobs(ctx, session.JobFilter{Limit: limit})
		if err != nil {
			return earlierRead{to: m, err: err}
		}
		sending, err := s.Jobs(ctx, session.JobFilter{State: api.Sending, Limit: limit})
		if err != nil {
			return earlierRead{to: m, err: err}
		}
		open, err := s.OpenJobs(ctx)
		if len(jobs) > 0 {
			first := jobs[0].ID
			sending = slices.DeleteFunc(sending, func(j api.Job) bool { return j.ID >= first })
		}
		return earlierRead{to: m, jobs: append(sending, jobs...), open: open, err: err}
	}
}

// watchEvery is how often the screen looks whether another program has changed
// the journal; shorter in tests.
var watchEvery = time.Second

// watchTick is a turn of the watch.
type watchTick struct {
	to  *Model
	gen int
}

func (m *Model) watchOthers() tea.Cmd {
	gen := m.watching
	return tea.Tick(watchEvery, func(time.Time) tea.Msg { return watchTick{m, gen} })
}

// watch looks for news of jobs that another program sends; it ends when nobody
// looks at the screen any more.
func (m *Model) watch() tea.Cmd {
	if !m.seen {
		return nil
	}
	m.seen = false
	if m.reading || m.o.Queue.Busy() && !m.othersWork() {
		return m.watchOthers()
	}
	return tea.Batch(m.watchOthers(), m.readNews())
}

// othersWork reports whether a job on the list is in the hands of another
// program.
func (m *Model) othersWork() bool {
	return slices.ContainsFunc(m.rows.earlier, func(j api.Job) bool { return !j.State.Final() })
}

// readNews reads the journal if it has changed.
func (m *Model) readNews() tea.Cmd {
	read, s, ctx, was := m.readEarlier(), m.o.Session, m.o.Context, m.version
	m.reading = true
	return func() tea.Msg {
		now, err := s.JournalVersion(ctx)
		if err == nil && now == was {
			return unchanged{m}
		}
		msg, ok := read().(earlierRead)
		if ok && err == nil {
			msg.version = now
		}
		return msg
	}
}

// unchanged says that the journal is as it was read last.
type unchanged struct{ to *Model }

// Capturing reports whether the filter or a menu takes the keys.
func (m *Model) Capturing() bool { return m.focus == onFilter || m.menu != nil }

// Update takes a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if used {
		m.cache.text = ""
	}
	return cmd
}

func (m *Model) handle(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case page.Tick:
		return nil, m.tick()
	case page.JobsChanged:
		return nil, m.news()
	case page.Shown:
		m.look()
		m.watching++
		return tea.Batch(m.readEarlier(), m.watchOthers()), true
	case earlierRead:
		if msg.to != m {
			return nil, false
		}
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
		return nil, true
	case unchanged:
		if msg.to == m {
			m.reading = false
		}
		return nil, false
	case asked:
		if msg.to != m {
			return nil, false
		}
		return msg.do(m, msg.job), true
	case placed:
		if msg.to != m {
			return nil, false
		}
		return m.done(msg.err), true
	case watchTick:
		if msg.to != m || msg.gen != m.watching {
			return nil, false
		}
		return m.watch(), false
	case resent:
		if msg.to != m {
			return nil, false
		}
		return m.resent(msg), true
	case tea.KeyPressMsg:
		return m.press(msg), true
	case tea.PasteMsg:
		if m.focus == onFilter {
			m.change(func() { m.filter.Update(msg) })
		}
		return nil, true
	case tea.MouseClickMsg:
		return m.click(msg), true
	case tea.MouseWheelMsg:
		m.wheel(msg)
		return nil, true
	}
	return nil, false
}

// look reads the queue and puts the rows in order.
func (m *Model) look() {
	m.change(func() { m.rows.take(m.o.Queue.Snapshot(), m.o.Now()) })
}

// tick reads the counters. Nobody needs them while the screen is not in front.
func (m *Model) tick() bool {
	if !m.drawn {
		return false
	}
	m.drawn = false
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
	if !m.drawn {
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
