// Package extensions is the screen of extension runs: their files, status, and the source of the
// status.
package extensions

import (
	"cmp"
	"context"
	"image"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/api/watch"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
)

// Session is the part of the session that the screen uses.
type Session interface {
	LastSeen(ctx context.Context, fileID string) (session.Seen, bool, error)
	Extend(ctx context.Context, fileID string, list []api.Extension) (*api.File, error)
	// CancelRun works only with the local library.
	CancelRun(ctx context.Context, fileID, extension string) error
	// Before and Picture return the path of a local file with the picture before a run, and now.
	Before(ctx context.Context, run api.Run) (string, error)
	Picture(ctx context.Context, file api.File) (string, error)
}

// Options configures the screen. Session and Watch are required.
type Options struct {
	// Context ends the screen's background work; may be nil.
	Context context.Context
	Session Session
	Watch   *watch.Watch
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
	list *kit.List[int] // of runs by number

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
	o.Context = cmp.Or(o.Context, context.Background())
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Model{
		o: o,
		after: func(d time.Duration, msg tea.Msg) tea.Cmd {
			return tea.Tick(d, func(time.Time) tea.Msg { return msg })
		},
	}
	m.list = &kit.List[int]{
		ID: "extensions", Marking: true, Now: o.Now, PaneMost: 72, Widen: m.widen,
		Rows: m.groups, Key: func(n int) any { return m.runs.all[n].ID },
		Match: func(n int, words []string) bool { return matches(&m.runs.all[n], words) },
		Head: func(key string, rows []int, th *theme.Theme) (name, note string) {
			return key, th.Muted.Render(m.runs.tallyOf(rows).String())
		},
		Above:   func(_ image.Point, th *theme.Theme) []string { return []string{m.drawTotals(th)} },
		Columns: columns, Cells: m.cells, Describe: m.describe, Brief: m.brief, Empty: m.empty,
		Placeholder: "part of an extension, a path or a status",
		Nothing:     "no extension was requested yet", NotFound: "no run matches the filter", OnHead: "this is the heading of a group",
	}
	m.list.Arrange()
	return m
}

// Update takes a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if !used {
		return nil
	}
	m.list.Changed()
	m.Changed()
	return tea.Batch(cmd, m.readHistory(), m.startClock(), m.result.view.Follow(m.o.Images, m.o.Draw))
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
	case page.FileChanged:
		m.history.stale = true
	case tea.ColorProfileMsg:
		m.o.Draw.Color = picture.ColorOf(msg.Profile)
	case picture.Abilities:
		m.o.Draw = msg.Options(m.o.Draw.Color, m.o.Draw.Light)
	case picture.ViewReady: // redraw
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

// current returns the run under the cursor, or an empty run.
func (m *Model) current() (*api.Run, bool) {
	if row, ok := m.list.Row(); ok {
		return &m.runs.all[row], true
	}
	return &api.Run{}, false
}

// Intervals for redrawing ages: while something is pending or recent, and otherwise.
const (
	quick = time.Second
	slow  = time.Minute
)

// startClock starts the clock that redraws ages while they are visible. A fast clock replaces a slow one.
func (m *Model) startClock() tea.Cmd {
	pace := slow
	if m.runs.pending > 0 || m.o.Now().Sub(m.runs.latest) < slow {
		pace = quick
	}
	if !m.shown || m.pace > 0 && m.pace <= pace || len(m.runs.all) == 0 {
		return nil
	}
	m.pace = pace
	return m.clock.Ask(m.after(pace, page.Do(func() { m.pace = 0 })))
}

// Init reads the runs.
func (m *Model) Init() tea.Cmd { return m.read() }

// read reads the runs, one read at a time.
func (m *Model) read() tea.Cmd {
	if m.reading {
		m.again = true
		return nil
	}
	m.reading, m.again = true, false
	return func() tea.Msg {
		all, err := m.o.Watch.Runs(m.o.Context)
		return page.Then(func() tea.Cmd { return m.taken(all, err) })
	}
}

// taken shows the runs that were read.
func (m *Model) taken(all []api.Run, err error) tea.Cmd {
	m.reading = false
	if err != nil {
		return page.Send(page.Problem(err))
	}
	m.runs.set(all)
	m.list.Arrange()
	if m.again {
		return m.read()
	}
	return nil
}

// readHistory reads the history of the current run if it is shown and unknown.
func (m *Model) readHistory() tea.Cmd {
	run, ok := m.current()
	if !ok || !m.list.PaneShown() {
		return nil
	}
	if m.history.id != run.ID {
		m.history = history{id: run.ID, stale: true}
		m.list.ResetPane()
	}
	if !m.history.stale || m.history.asked {
		return nil
	}
	m.history.stale, m.history.asked = false, true
	w, s, ctx, fileID := m.o.Watch, m.o.Session, m.o.Context, run.FileID
	out := history{id: run.ID, read: true}
	return func() tea.Msg {
		out.events, out.err = w.History(ctx, out.id)
		// The record only adds the AI tags.
		if seen, ok, err := s.LastSeen(ctx, fileID); err == nil && ok {
			out.file = &seen.File
		}
		return page.Then(func() tea.Cmd {
			if m.history.id != out.id {
				return nil
			}
			out.stale = m.history.stale
			m.history = out
			return m.readResult()
		})
	}
}
