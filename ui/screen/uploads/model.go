// Package uploads is the screen that lists running, waiting and finished jobs.
package uploads

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// Session is the part of the session that the screen needs.
type Session interface {
	Jobs(ctx context.Context, f session.JobFilter) ([]api.Job, error)
	OpenJobs(ctx context.Context) (int, error)
	CountFinished(ctx context.Context, batches []string, except []int64) (map[string]map[api.State]int, error)
	JournalVersion(ctx context.Context) (int64, error)
	LastSeen(ctx context.Context, fileID string) (session.Seen, bool, error)
	// Curl returns the request of a job as a curl command with the key as a variable.
	Curl(job api.Job) (string, error)
}

// Queue is the queue that the screen shows and controls.
type Queue interface {
	Snapshot() session.Snapshot
	Busy() bool
	First(ctx context.Context, id int64) error
	Last(ctx context.Context, id int64) error
	Pause(id int64) error
	PauseAll()
	Continue(id int64) error
	ContinueAll()
	Cancel(id int64) error
	Retry(ctx context.Context, ids []int64) ([]api.Job, error)
	RetryFailed(ctx context.Context) (jobs []api.Job, ambiguous int, err error)
	Check(ctx context.Context, id int64) error
	Remove(id int64) error
	Dismiss(job api.Job, dismissed bool)
}

// Options configure the screen. Session and Queue are required.
type Options struct {
	// Context cancels the screen's work; nil means context.Background.
	Context context.Context //nolint:containedctx // the screen's: it ends what the screen has under way
	Session Session
	Queue   Queue
	Profile session.Profile
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Model is the uploads screen.
type Model struct {
	page.Base
	o    Options
	rows rows
	list *kit.Listing

	shown    bool           // visible: read counters and watch the journal
	watching page.Questions // latest check of the journal
	reading  bool           // a read of the journal is running
	version  int64          // journal version at the last read; 0: unknown
}

var _ page.Screen = (*Model)(nil)

// New returns the screen.
func New(o Options) *Model {
	if o.Context == nil {
		o.Context = context.Background()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Model{o: o, rows: newRows()}
	m.list = kit.NewListing(kit.ListingOptions{
		Rows: listed{m}, ID: "uploads", Now: o.Now, PaneMost: 64,
		Placeholder: "part of a name, or a state such as refused",
		Nothing:     "no uploads yet", NotFound: "the filter shows no upload", OnHead: "this is the head of a batch", Marking: true,
	})
	return m
}

// Init reads the jobs of earlier runs.
func (m *Model) Init() tea.Cmd {
	m.refresh()
	return m.readEarlier()
}

// Update handles a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if used {
		m.list.Changed()
	}
	return cmd
}

func (m *Model) handle(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case page.Tick:
		return nil, m.tick()
	case page.JobsChanged:
		return nil, m.news()
	case page.Acted:
	case page.Resized:
		m.list.Resize(msg.Size)
	case page.Shown:
		m.shown = true
		m.refresh()
		return tea.Batch(m.readEarlier(), m.watchOthers()), true
	case page.Hidden:
		m.shown = false
		m.watching.Drop()
	case earlierRead:
		m.rows.read, m.reading = true, false
		if msg.err != nil {
			return page.Send(page.Problem(msg.err)), true
		}
		m.rows.earlier, m.rows.counts, m.rows.open = msg.jobs, msg.counts, msg.open
		if msg.version != 0 {
			m.version = msg.version
		}
		m.refresh()
	case unchanged:
		m.reading = false
		return nil, false
	case placed:
		return m.done(msg.err), true
	case watchTick:
		return m.watch(), false
	case retried:
		return m.retried(msg), true
	case tea.MouseClickMsg:
		if m.list.Click(msg) {
			return m.enter(), true
		}
	case tea.MouseWheelMsg:
		m.list.Wheel(msg)
	default:
		return nil, false
	}
	return nil, true
}

// refresh reads the queue and sorts the rows.
func (m *Model) refresh() {
	m.rows.set(m.o.Queue.Snapshot(), m.o.Now())
	m.list.Arrange()
}

// tick updates the counters while the screen is visible.
func (m *Model) tick() bool {
	if m.shown && !m.rows.refresh(m.o.Queue.Snapshot(), m.o.Now()) {
		m.list.Arrange()
	}
	return m.shown
}

// newsTime is the longest wait for the next tick.
const newsTime = 100 * time.Millisecond

// news handles a change of a job. Small files cause many changes, so those close to the next tick wait for it.
func (m *Model) news() bool {
	if !m.shown {
		return false
	}
	m.rows.stale = true
	if m.o.Now().Sub(m.rows.at) < newsTime && m.o.Queue.Busy() {
		return false
	}
	m.refresh()
	return true
}

// current returns the row under the cursor.
func (m *Model) current() (row, bool) {
	n, ok := m.list.Row()
	if !ok {
		return row{}, false
	}
	return m.rows.row(n), true
}
