// Package extensions is the screen of the runs: what works on which file, how
// it stands, and how that is known.
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
	Unmatched(ctx context.Context) ([]api.UnmatchedPost, error)
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
	// Images shows real pictures where the terminal can; nil: glyphs are drawn.
	Images *picture.ImageStore
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// Model is the screen.
type Model struct {
	page.Base
	o    Options
	runs runs
	list *kit.Listing

	reading bool // the runs are being read
	again   bool // and are to be read again
	history history
	result  result

	clock page.Questions // the clock that runs
	pace  time.Duration  // of the clock that runs; 0: none does
	after func(time.Duration, tea.Msg) tea.Cmd

	shown bool // it is in front
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
	m := &Model{
		o: o, runs: newRuns(),
		after: func(d time.Duration, msg tea.Msg) tea.Cmd {
			return tea.Tick(d, func(time.Time) tea.Msg { return msg })
		},
	}
	m.list = kit.NewListing(kit.ListingOptions{
		Rows: rows{m}, ID: "extensions", Now: o.Now, PaneMost: 72, Widen: m.widen,
		Placeholder: "part of an extension, a path or a status",
		Nothing:     "no extension was asked for yet", NotFound: "the filter shows no run", OnHead: "this is the head of a group",
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
	case resultRead:
		m.result.picture = msg.picture
	case postsRead:
		return m.openPosts(msg), true
	case ticked:
		m.tick()
	case copyable:
		m.openMenu(msg)
	case tagsRead:
		return m.offerTags(msg), true
	case tagsTaken:
		return m.tagsTaken(msg), true
	case compared:
		msg.of.before, msg.of.after, msg.of.err = msg.before, msg.after, msg.err
	case page.FileChanged:
		m.history.stale = true
	case tea.ColorProfileMsg:
		m.o.Draw.Color = picture.ColorOf(msg.Profile)
	case picture.Abilities:
		m.o.Draw = msg.Options(m.o.Draw.Color, m.o.Draw.Light)
	case picture.ViewReady: // drawn again
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

// taken takes the runs that were read.
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
			m.runs.looked[run.ID] = lookedAt(m.o.Watch.LastCheck(run.ID))
		}
	}
}

// current is the run under the cursor; where there is none, a run of nothing.
func (m *Model) current() (*api.Run, bool) {
	if row, ok := m.list.Row(); ok && row < len(m.runs.all) {
		return &m.runs.all[row], true
	}
	return &api.Run{}, false
}

// ticked comes from the clock.
type ticked struct{}

// How often ages are drawn again: while something is pending or young, and
// otherwise.
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
