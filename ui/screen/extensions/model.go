// Package extensions is the screen of the runs: what works on which file, how
// it stands, and how that is known.
package extensions

import (
	"context"
	"image"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
)

// Session is what the screen asks of the session.
type Session interface {
	LastSeen(ctx context.Context, fileID string) (session.Seen, bool, error)
	// Read fetches a record. An error that api.Unavailable knows says that the
	// service does not let us.
	Read(ctx context.Context, fileID string) (*api.File, error)
	Change(ctx context.Context, fileID string, change api.Details) (*api.File, error)
	Extend(ctx context.Context, fileID string, list []api.Extension) (*api.File, error)
	// CancelRun is for the local library only.
	CancelRun(ctx context.Context, fileID, extension string) error
	// Before and Picture give the path of a local file with the picture as it was
	// before a run, and as it is.
	Before(ctx context.Context, run api.Run) (string, error)
	Picture(ctx context.Context, file api.File) (string, error)
}

// Watch is what the screen asks of the runs.
type Watch interface {
	Runs(ctx context.Context) ([]api.Run, error)
	History(ctx context.Context, runID int64) ([]api.RunEvent, error)
	Strays(ctx context.Context) ([]api.StrayPost, error)
	StrayCount(ctx context.Context) (int, error)
	Attend(looking bool)
	Lost() []string
	NextCheck(runID int64) (time.Time, bool)
	LastCheck(runID int64) (time.Time, error)
}

// Options are what the screen works with. Watch and Journal are needed.
type Options struct {
	// Context ends what the screen has under way; nil: nothing does.
	Context context.Context //nolint:containedctx // the screen's: it ends what the screen has under way
	Session Session
	Watch   Watch
	Profile session.Profile
	// Draw says how to draw pictures.
	Draw picture.Options
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
	runs  runs
	focus focus

	reading bool // the runs are being read
	again   bool // and are to be read again
	history history

	list   kit.List
	pane   kit.Pane
	open   bool // the history is shown where it is not always
	filter kit.Field
	clicks *kit.Clicks

	clock page.Questions // the clock that runs
	pace  time.Duration  // of the clock that runs; 0: none does
	after func(time.Duration, tea.Msg) tea.Cmd

	shown bool // it is in front
	size  image.Point
	memo  *kit.Memo[drawnFor, string]
}

// drawnFor is what the drawn screen depends on beside its state.
type drawnFor struct {
	size  image.Point
	theme *theme.Theme
}

// history is what was learnt and heard about one run.
type history struct {
	id     int64 // 0: of none
	asked  bool  // it is being read
	stale  bool  // there may be more by now
	read   bool
	events []api.RunEvent
	file   *api.File // as last seen; nil where it never was
	err    error
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
		o: o, runs: newRuns(), memo: &kit.Memo[drawnFor, string]{}, clicks: kit.NewClicks(o.Now),
		filter: kit.Field{Label: "Filter", Placeholder: "part of an extension, a path or a status"},
		after: func(d time.Duration, msg tea.Msg) tea.Cmd {
			return tea.Tick(d, func(time.Time) tea.Msg { return msg })
		},
	}
}

// Update takes a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if !used {
		return nil
	}
	l := m.layout(m.size)
	m.list.SetHeight(l.list.Dy())
	if !l.pane.Empty() {
		m.pane.SetSize(len(m.paneLines(l.pane.Size(), m.o.Now(), &theme.Theme{})), l.pane.Size())
	}
	m.memo.Forget()
	return tea.Batch(cmd, m.readHistory(), m.startClock())
}

func (m *Model) handle(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case page.RunsChanged:
		m.history.stale = true
		return m.read(), true
	case page.Acted:
	case page.Resized:
		m.size = msg.Size
	case page.Shown:
		m.shown = true
		return m.read(), true
	case page.Hidden:
		m.shown, m.pace = false, 0
		m.clock.Drop()
	case runsRead:
		return m.taken(msg), true
	case historyRead:
		if msg.id != m.history.id {
			return nil, false
		}
		m.history.asked, m.history.read = false, true
		m.history.events, m.history.file, m.history.err = msg.events, msg.file, msg.err
	case ticked:
		m.tick()
	case copyable:
		m.openMenu(msg)
	case tagsRead:
		return m.offerTags(msg), true
	case tagsTaken:
		return m.tagsTaken(msg), true
	case unmatchedRead:
		m.openUnmatched(msg.posts)
	case compared:
		msg.of.before, msg.of.after, msg.of.err = msg.before, msg.after, msg.err
	case page.FileChanged:
		m.history.stale = true
	case tea.ColorProfileMsg:
		m.o.Draw.Color = picture.ColorOf(msg.Profile)
	case tea.FocusMsg:
		m.o.Watch.Attend(true)
		m.plan()
	case tea.BlurMsg:
		m.o.Watch.Attend(false)
		m.plan()
	case tea.MouseClickMsg:
		return m.click(msg), true
	case tea.MouseWheelMsg:
		m.wheel(msg)
	default:
		return nil, false
	}
	return nil, true
}

// taken takes the runs that were read.
func (m *Model) taken(msg runsRead) tea.Cmd {
	m.reading = false
	if msg.err != nil {
		return page.Send(page.Problem(msg.err))
	}
	m.runs.take(msg.runs, msg.seen)
	m.runs.strays = msg.strays
	m.plan()
	m.arrange()
	if m.again {
		return m.read()
	}
	return nil
}

// plan asks when pending runs are looked at next, and which posts go astray.
func (m *Model) plan() {
	m.runs.lost = m.o.Watch.Lost()
	clear(m.runs.next)
	clear(m.runs.looked)
	for i := range m.runs.all {
		run := &m.runs.all[i]
		if run.Status.Final() {
			continue
		}
		if at, ok := m.o.Watch.NextCheck(run.ID); ok {
			m.runs.next[run.ID] = at
			m.runs.looked[run.ID] = look(m.o.Watch.LastCheck(run.ID))
		}
	}
}

// arrange filters the rows. The cursor stays on its run; at the top it stays
// there, where the newest are.
func (m *Model) arrange() {
	at := m.list.Cursor()
	run, ok := m.current()
	m.runs.arrange(m.filter.Value(), m.o.Now())
	m.list.SetLen(len(m.runs.shown))
	if found := m.runs.find(run.ID); ok && at > m.firstRow() && found >= 0 {
		at = found
	}
	m.list.SetCursor(at)
	m.settle(at)
}

// firstRow is the place of the first run: below the head of its group.
func (m *Model) firstRow() int {
	if m.runs.grouping != byTime {
		return 1
	}
	return 0
}

// current is the run under the cursor.
func (m *Model) current() (*api.Run, bool) { return m.runs.row(m.list.Cursor()) }

// ticked comes from the clock.
type ticked struct{}

// How often ages are written anew: while something is pending or young, and
// else.
const (
	quick = time.Second
	slow  = time.Minute
)

// startClock starts the clock where there are ages to be kept true and
// somebody who looks. A slow one gives way to a quick one.
func (m *Model) startClock() tea.Cmd {
	if !m.shown || m.pace > 0 && m.pace <= m.wanted() {
		return nil
	}
	return m.startAt(m.wanted())
}

// wanted is how often ages change now.
func (m *Model) wanted() time.Duration {
	if m.runs.pending > 0 || m.o.Now().Sub(m.runs.latest) < slow {
		return quick
	}
	return slow
}

func (m *Model) startAt(pace time.Duration) tea.Cmd {
	if len(m.runs.all) == 0 {
		return nil
	}
	m.pace = pace
	return m.clock.Ask(m.after(pace, ticked{}))
}

// tick has the screen drawn with new ages. The clock rests while the screen is
// not in front.
func (m *Model) tick() {
	m.pace = 0
	m.plan()
}
