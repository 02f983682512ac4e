// Package extensions is the screen of extension runs: their files, status, and the source of the
// status.
package extensions

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
)

// Session is the part of the session that the screen uses.
type Session interface {
	LastSeen(ctx context.Context, fileID string) (session.Seen, bool, error)
	// Read reads a record. If the service does not allow it, api.Unavailable is true for the error.
	Read(ctx context.Context, fileID string) (*api.File, error)
	Change(ctx context.Context, fileID string, change api.Details) (*api.File, error)
	Extend(ctx context.Context, fileID string, list []api.Extension) (*api.File, error)
	// CancelRun works only with the local library.
	CancelRun(ctx context.Context, fileID, extension string) error
	// Before and Picture return the path of a local file with the picture before a run, and now.
	Before(ctx context.Context, run api.Run) (string, error)
	Picture(ctx context.Context, file api.File) (string, error)
}

// Watch is the part of the session about runs.
type Watch interface {
	Runs(ctx context.Context) ([]api.Run, error)
	History(ctx context.Context, runID int64) ([]api.RunEvent, error)
	Unmatched(ctx context.Context) ([]api.UnmatchedPost, error)
	Attend(looking bool)
	Lost() []string
	NextCheck(runID int64) (time.Time, bool)
	LastCheck(runID int64) (time.Time, error)
}

// Options configures the screen. Watch and Journal are required.
type Options struct {
	// Context ends the screen's background work; may be nil.
	Context context.Context //nolint:containedctx // the screen's: it ends what the screen has under way
	Session Session
	Watch   Watch
	Profile session.Profile
	// Draw configures drawing.
	Draw picture.Options
	// Images shows real pictures if the terminal can; nil for glyphs.
	Images *picture.ImageStore
	// Now is the clock; nil for time.Now.
	Now func() time.Time
}

// Model is the screen.
type Model struct {
	page.Base
	o    Options
	runs runs
	list *kit.Listing

	reading bool // the runs are being read
	again   bool // read again afterwards
	history history
	result  result

	clock page.Questions // the running clock
	pace  time.Duration  // of the running clock; 0 if none
	after func(time.Duration, tea.Msg) tea.Cmd

	shown bool // in front
}

// history is what is known about a run.
type history struct {
	id     int64 // 0 for none
	asked  bool  // being read
	stale  bool  // outdated
	read   bool
	events []api.RunEvent
	file   *api.File // as last seen; may be nil
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
	m := &Model{
		o: o, runs: newRuns(),
		after: func(d time.Duration, msg tea.Msg) tea.Cmd {
			return tea.Tick(d, func(time.Time) tea.Msg { return msg })
		},
	}
	m.list = kit.NewListing(kit.ListingOptions{
		Rows: rows{m}, ID: "extensions", Now: o.Now, PaneMost: 72, Widen: m.widen,
		Placeholder: "part of an extension, a path or a status",
		Nothing:     "no extension was requested yet", NotFound: "no run matches the filter", OnHead: "this is the heading of a group",
	})
	return m
}

// Update takes a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if !used {
		return nil
	}
	m.list.Changed()
	return tea.Batch(cmd, m.readHistory(), m.startClock(), m.followPictures())
}

func (m *Model) handle(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case page.RunsChanged:
		m.history.stale = true
		return m.read(), true
	case page.Acted:
	case page.Resized:
		m.list.Resize(msg.Size)
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
		return m.readResult(), true
	case ticked:
		m.tick()
	case copyable:
		m.openMenu(msg)
	case page.FileChanged:
		m.history.stale = true
	case tea.ColorProfileMsg:
		m.o.Draw.Color = picture.ColorOf(msg.Profile)
	case picture.Abilities:
		m.o.Draw = msg.Options(m.o.Draw.Color, m.o.Draw.Light)
	case picture.ViewReady: // redraw
	case tea.FocusMsg:
		m.o.Watch.Attend(true)
		m.plan()
	case tea.BlurMsg:
		m.o.Watch.Attend(false)
		m.plan()
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

// taken shows the runs that were read.
func (m *Model) taken(msg runsRead) tea.Cmd {
	m.reading = false
	if msg.err != nil {
		return page.Send(page.Problem(msg.err))
	}
	m.runs.set(msg.runs, msg.seen)
	m.runs.unmatched = webhooksOf(msg.unmatched)
	m.plan()
	m.list.Arrange()
	if m.again {
		return m.read()
	}
	return nil
}

// plan reads when pending runs are polled next and where posts get lost.
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
			m.runs.looked[run.ID] = lookedAt(m.o.Watch.LastCheck(run.ID))
		}
	}
}

// current returns the run under the cursor, or an empty run.
func (m *Model) current() (*api.Run, bool) {
	if row, ok := m.list.Row(); ok && row < len(m.runs.all) {
		return &m.runs.all[row], true
	}
	return &api.Run{}, false
}

// ticked is the clock's message.
type ticked struct{}

// Intervals for redrawing ages: while something is pending or recent, and otherwise.
const (
	quick = time.Second
	slow  = time.Minute
)

// startClock starts the clock if ages are visible. A fast clock replaces a slow one.
func (m *Model) startClock() tea.Cmd {
	if !m.shown || m.pace > 0 && m.pace <= m.wanted() {
		return nil
	}
	return m.startAt(m.wanted())
}

// wanted returns the interval at which ages change.
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

// tick redraws ages. The clock stops while the screen is hidden.
func (m *Model) tick() {
	m.pace = 0
	m.plan()
}
