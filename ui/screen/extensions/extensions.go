// Package extensions is the screen of the runs: what works on which file, how
// it stands, and how that is known.
package extensions

import (
	"context"
	"image"
	"maps"
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
	Context context.Context
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
	menu   *kit.Menu
	copies []copied // what each row of the menu copies
	groups *kit.Menu
	reader *kit.Reader
	// compare is the picture before and after a run; nil while it is not shown.
	compare *comparison
	clicks  *kit.Clicks

	clock int           // generation of the clock that runs
	pace  time.Duration // of the clock that runs; 0: none does
	after func(time.Duration, tea.Msg) tea.Cmd

	drawn bool // it was looked at since the clock ticked
	size  image.Point
	cache struct {
		text  string // empty: to be drawn
		size  image.Point
		theme *theme.Theme
	}
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
		o: o, runs: newRuns(), clicks: kit.NewClicks(o.Now),
		filter: kit.Field{Label: "Filter", Placeholder: "part of an extension, a path or a status"},
		after: func(d time.Duration, msg tea.Msg) tea.Cmd {
			return tea.Tick(d, func(time.Time) tea.Msg { return msg })
		},
	}
}

// Init reads the runs.
func (m *Model) Init() tea.Cmd { return m.read() }

// runsRead is the answer to read.
type runsRead struct {
	to   *Model
	runs []api.Run        // newest last
	seen map[int64]string // what new ones that were seen in details showed
	// strays is how many posts no run took.
	strays int
	err    error
}

// read reads the runs, one reading at a time.
func (m *Model) read() tea.Cmd {
	if m.reading {
		m.again = true
		return nil
	}
	m.reading, m.again = true, false
	w, ctx, known := m.o.Watch, m.o.Context, maps.Clone(m.runs.seen)
	return func() tea.Msg {
		all, err := w.Runs(ctx)
		if err != nil {
			return runsRead{to: m, err: err}
		}
		seen := map[int64]string{}
		for i := range all {
			run := &all[i]
			if _, ok := known[run.ID]; ok || run.From != api.FromDetails {
				continue
			}
			// Without its history a run only lacks these words.
			if events, err := w.History(ctx, run.ID); err == nil {
				seen[run.ID] = effect(run, events)
			}
		}
		strays, err := w.StrayCount(ctx)
		return runsRead{to: m, runs: all, seen: seen, strays: strays, err: err}
	}
}

// historyRead is the answer to readHistory.
type historyRead struct {
	to     *Model
	id     int64
	events []api.RunEvent
	file   *api.File
	err    error
}

// readHistory reads the history of the run under the cursor, where it is shown
// and not known yet.
func (m *Model) readHistory() tea.Cmd {
	run, ok := m.current()
	if !ok || m.layout(m.size).pane.Empty() {
		return nil
	}
	if m.history.id != run.ID {
		m.history = history{id: run.ID, stale: true}
		m.pane.Reset()
	}
	if !m.history.stale || m.history.asked {
		return nil
	}
	m.history.stale, m.history.asked = false, true
	w, id := m.o.Watch, run.ID
	s, ctx, fileID := m.o.Session, m.o.Context, run.FileID
	return func() tea.Msg {
		out := historyRead{to: m, id: id}
		out.events, out.err = w.History(ctx, id)
		// Without the record the history only lacks the AI tags.
		if seen, ok, err := s.LastSeen(ctx, fileID); err == nil && ok {
			out.file = &seen.File
		}
		return out
	}
}

// Capturing reports whether the filter or a menu takes the keys.
func (m *Model) Capturing() bool {
	return m.focus == onFilter || m.menu != nil || m.groups != nil || m.reader != nil || m.compare != nil
}

// Update takes a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if !used {
		return nil
	}
	m.cache.text = ""
	return tea.Batch(cmd, m.readHistory(), m.startClock())
}

func (m *Model) handle(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case page.RunsChanged:
		m.history.stale = true
		return m.read(), true
	case page.Shown:
		m.drawn = true
		return m.read(), true
	case runsRead:
		if msg.to != m {
			return nil, false
		}
		return m.taken(msg), true
	case historyRead:
		if msg.to != m || msg.id != m.history.id {
			return nil, false
		}
		m.history.asked, m.history.read = false, true
		m.history.events, m.history.file, m.history.err = msg.events, msg.file, msg.err
		return nil, true
	case ticked:
		if msg.to != m || msg.clock != m.clock {
			return nil, false
		}
		return m.tick(), true
	case copyable:
		if msg.to != m {
			return nil, false
		}
		m.openMenu(msg)
		return nil, true
	case tagsRead:
		if msg.to != m {
			return nil, false
		}
		return m.offerTags(msg), true
	case tagsConfirmed:
		if msg.to != m {
			return nil, false
		}
		return m.takeTags(msg), true
	case tagsTaken:
		if msg.to != m {
			return nil, false
		}
		return m.tagsTaken(msg), true
	case againConfirmed:
		if msg.to != m {
			return nil, false
		}
		return m.rerun(msg.run), true
	case straysRead:
		if msg.to != m {
			return nil, false
		}
		m.openStrays(msg.posts)
		return nil, true
	case compared:
		if msg.to != m {
			return nil, false
		}
		m.gotCompared(msg)
		return nil, true
	case page.FileChanged:
		m.history.stale = true
		return nil, true
	case tea.ColorProfileMsg:
		m.o.Draw.Color = picture.ColorOf(msg.Profile)
		return nil, true
	case tea.FocusMsg:
		m.o.Watch.Attend(true)
		m.plan()
		return nil, true
	case tea.BlurMsg:
		m.o.Watch.Attend(false)
		m.plan()
		return nil, true
	case tea.KeyPressMsg:
		return m.press(msg), true
	case tea.PasteMsg:
		if m.focus == onFilter && m.filter.Update(msg) {
			m.arrange()
		}
		return nil, true
	case tea.MouseMotionMsg, tea.MouseReleaseMsg:
		if m.compare == nil {
			return nil, false
		}
		m.drag(msg.(tea.MouseMsg))
		return nil, true
	case tea.MouseClickMsg:
		return m.click(msg), true
	case tea.MouseWheelMsg:
		m.wheel(msg)
		return nil, true
	}
	return nil, false
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
type ticked struct {
	to    *Model
	clock int
}

// How often ages are written anew: while something is pending or young, and
// else.
const (
	quick = time.Second
	slow  = time.Minute
)

// startClock starts the clock where there are ages to be kept true and
// somebody who looks. A slow one gives way to a quick one.
func (m *Model) startClock() tea.Cmd {
	if !m.drawn || m.pace > 0 && m.pace <= m.wanted() {
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
	m.clock++
	return m.after(pace, ticked{m, m.clock})
}

// tick lets the screen be drawn with new ages. The clock stops where nobody
// looked since the last tick; coming to the front starts it again.
func (m *Model) tick() tea.Cmd {
	looked := m.drawn
	m.pace, m.drawn = 0, false
	if !looked {
		return nil
	}
	m.plan()
	return m.startAt(m.wanted())
}
