// Package uploads is the screen that lists running, waiting and finished jobs.
package uploads

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Options configure the screen. Session is required.
type Options struct {
	// Context cancels the screen's work; nil means context.Background.
	Context context.Context
	Session *session.Session
	Profile session.Profile
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Model is the uploads screen.
type Model struct {
	page.Base
	o    Options
	rows rows
	list *kit.List[int] // of rows by number

	shown    bool           // visible: read counters and watch the journal
	watching page.Questions // latest check of the journal
	reading  bool           // a read of the journal is running
	version  int64          // of the journal at the last read
}

var _ page.Screen = (*Model)(nil)

// New returns the screen.
func New(o Options) *Model {
	o.Context = cmp.Or(o.Context, context.Background())
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Model{o: o, rows: rows{gone: map[int64]bool{}}}
	m.list = &kit.List[int]{
		ID: "uploads", Now: o.Now, PaneMost: 64,
		Rows: m.rows.groups, Key: func(n int) any { return m.rows.row(n).Job.ID },
		Match: func(n int, words []string) bool {
			r := m.rows.row(n)
			return text.HasAll(words, name(r.Job), r.Job.Upload.Source.String(), stateWord(r))
		},
		Head: func(key string, _ []int, th *theme.Theme) (title, note string) {
			b := m.rows.batches[key]
			return b.title(), b.summary(th)
		},
		Columns: columns, Cells: m.cells, Above: m.above, Describe: m.describe, Brief: m.brief, Empty: m.empty,
		Placeholder: "part of a name, or a state such as refused",
		Nothing:     "no uploads yet", NotFound: "the filter shows no upload", OnHead: "this is the head of a batch", Marking: true,
	}
	m.list.Arrange()
	return m
}

// Init reads the jobs of earlier runs.
func (m *Model) Init() tea.Cmd {
	m.refresh()
	return m.readEarlier(-1)
}

// Update handles a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if used {
		m.list.Changed()
		m.Changed()
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
		return tea.Batch(m.readEarlier(-1), m.watchOthers()), true
	case page.Hidden:
		m.shown = false
		m.watching.Drop()
	case watchTick:
		return m.watch(), false
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
	m.rows.set(m.o.Session.Queue.Snapshot(), m.o.Now())
	m.list.Arrange()
}

// tick updates the counters while the screen is visible.
func (m *Model) tick() bool {
	if m.shown && !m.rows.refresh(m.o.Session.Queue.Snapshot(), m.o.Now()) {
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
	if m.o.Now().Sub(m.rows.at) < newsTime && m.o.Session.Queue.Busy() {
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

// maxEarlier is the number of jobs shown from earlier runs.
const maxEarlier = 200

// maxFailed limits the unstored jobs read from earlier runs.
const maxFailed = 2000

// earlier is what the journal has of jobs, also of those in the queue.
type earlier struct {
	jobs   []api.Job        // sorted by id
	counts map[string]count // finished jobs outside jobs, by batch
	open   int              // jobs without an outcome
}

// readEarlier reads the journal if it has changed since version. -1 reads it in any case.
func (m *Model) readEarlier(version int64) tea.Cmd {
	limit := maxEarlier + min(len(m.rows.live), 10*maxEarlier)
	m.reading = true
	return func() tea.Msg {
		now, err := m.o.Session.Journal.Changes(m.o.Context)
		if err == nil && now == version {
			return page.Do(func() { m.reading = false })
		}
		var out earlier
		if err == nil {
			out, err = readJobs(m.o.Context, m.o.Session, limit)
		}
		return page.Then(func() tea.Cmd {
			m.rows.read, m.reading = true, false
			if err != nil {
				return page.Send(page.Problem(err))
			}
			m.rows.earlier, m.version = out, now
			m.refresh()
			return nil
		})
	}
}

// readJobs reads the newest jobs of the journal, plus all jobs that failed or are unfinished.
func readJobs(ctx context.Context, s *session.Session, limit int) (out earlier, err error) {
	listed := map[int64]bool{}
	for _, f := range []session.JobFilter{{Limit: limit}, {State: api.Sending, Limit: limit}, {Failed: true, Limit: maxFailed}} {
		jobs, err := s.Jobs(ctx, f)
		if err != nil {
			return out, err
		}
		for i := range jobs {
			if !listed[jobs[i].ID] {
				listed[jobs[i].ID] = true
				out.jobs = append(out.jobs, jobs[i])
			}
		}
	}
	slices.SortFunc(out.jobs, func(a, b api.Job) int { return cmp.Compare(a.ID, b.ID) })
	out.open, err = s.Journal.OpenJobs(ctx, s.Profile.Name)
	if len(listed) < limit || err != nil {
		return out, err // no more jobs
	}
	batches := map[string]bool{}
	for i := range out.jobs {
		batches[out.jobs[i].Batch] = true
	}
	counts, err := s.Journal.CountFinished(ctx, slices.Collect(maps.Keys(batches)), slices.Collect(maps.Keys(listed)))
	out.counts = map[string]count{}
	for batch, states := range counts {
		out.counts[batch] = states
	}
	return out, err
}

// watchEvery is the interval for checking the journal for changes by other programs.
const watchEvery = time.Second

// watchTick triggers the next check.
type watchTick struct{}

func (m *Model) watchOthers() tea.Cmd {
	return m.watching.Ask(tea.Tick(watchEvery, func(time.Time) tea.Msg { return watchTick{} }))
}

// watch checks for jobs that another program sends. It runs while the screen is visible.
func (m *Model) watch() tea.Cmd {
	if m.reading || m.o.Session.Queue.Busy() && !m.othersWork() {
		return m.watchOthers()
	}
	return tea.Batch(m.watchOthers(), m.readEarlier(m.version))
}

// othersWork reports whether another program has an unfinished job in the list.
func (m *Model) othersWork() bool {
	return slices.ContainsFunc(m.rows.earlier.jobs, func(j api.Job) bool { return !j.State.Final() })
}
