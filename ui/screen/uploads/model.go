// Package uploads is the screen that lists running, waiting and finished jobs.
package uploads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/queue"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Options configure the screen. Session is required.
type Options struct {
	// Context cancels the screen's work; nil means context.Background.
	Context context.Context
	Session *session.Session
	Profile session.Profile
	// Snapshot returns the state of the queue; nil means that of the session.
	Snapshot func() queue.Snapshot
	// Loader draws pictures; nil for none.
	Loader *picture.Loader
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Model is the uploads screen.
type Model struct {
	page.Base
	o    Options
	rows rows
	list *kit.List[int] // of rows by number

	manage  *edit.Manage
	preview *edit.Preview

	runs     int            // changes of runs so far
	shown    bool           // visible: read counters and watch the journal
	watching page.Questions // latest check of the journal
	version  int64          // of the journal at the last read
}

var _ page.Screen = (*Model)(nil)

// New returns the screen.
func New(o Options) *Model {
	o.Context = cmp.Or(o.Context, context.Background())
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Snapshot == nil {
		o.Snapshot = o.Session.Queue.Snapshot
	}
	m := &Model{o: o, rows: rows{gone: map[int64]bool{}}}
	m.list = &kit.List[int]{
		ID: "uploads", Now: o.Now,
		Rows: m.rows.groups, Key: func(n int) any { return m.rows.row(n).Job.ID },
		Match: func(n int, words []string) bool {
			r := m.rows.row(n)
			return text.HasAll(words, name(r.Job), r.Job.Upload.Source.String(), stateWord(r))
		},
		HeadCells: func(key string, th *theme.Theme) []kit.Cell {
			g, titled := m.rows.folders[key], count(m.rows.Totals.Count)
			differs := titled.total() != g.count.total() || titled[job.Stored] < titled.total()
			narrow := m.list.Inside().Dx() < kit.StackedWidth
			words := text.If(differs || narrow, g.note(th))
			if narrow && g.failed > 0 {
				_, words, _ = strings.Cut(words, th.Muted.Render(" · ")) // what failed
			}
			if g.count[job.Stored] == len(g.rows) && !narrow {
				words = strings.TrimPrefix(words+" · "+text.Age(g.at, m.o.Now()), " · ")
			}
			return []kit.Cell{
				{Text: key, Style: th.Strong},
				{Text: text.If(g.size > 0, text.Bytes(g.size)), Style: th.Muted},
				{Text: words, Style: th.Muted},
			}
		},
		Folds:   m.rows.finished,
		Columns: columns, Cells: m.cells, Above: m.above, Note: m.totals, Footer: m.footer, Describe: m.describe, Empty: m.empty,
		Placeholder: "part of a name, or a state such as refused",
		Nothing:     "no uploads yet", NotFound: "the filter shows no upload", Marking: true,
	}
	m.manage = &edit.Manage{
		Context: o.Context, Session: o.Session, Over: m.Overlays(), Profile: o.Profile, Now: o.Now,
	}
	m.preview = edit.NewPreview(edit.PreviewOptions{
		Context: o.Context, Loader: o.Loader, List: m.list, Thumbs: m.thumbs,
		Facts: func(f *kit.Facts) { // the reason of a failure is whole
			if r, ok := m.current(); ok {
				describe(f, r, o.Now(), f.Theme())
			}
		},
	})
	m.list.Arrange()
	return m
}

// Init reads the jobs of earlier runs.
func (m *Model) Init() tea.Cmd {
	m.refresh()
	return m.readEarlier()
}

func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if used = m.preview.Update(msg) || used; !used {
		return cmd
	}
	m.list.Changed()
	return tea.Batch(cmd, m.preview.Follow())
}

func (m *Model) handle(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case page.Tick: // updates the counters while the screen is visible
		if m.shown && !m.rows.refresh(m.o.Snapshot()) {
			m.list.Arrange()
		}
		return nil, m.shown
	case page.JobsChanged: // while jobs run, the next tick shows it: small files cause many changes
		if m.rows.stale = true; !m.shown || m.o.Session.Queue.Busy() {
			return nil, false
		}
		m.refresh()
	case page.Sent:
		return m.replace(msg.Jobs), true
	case page.RunsChanged:
		m.runs++
	case page.Acted:
	case page.Resized:
		m.list.Resize(msg.Size)
	case page.Shown:
		m.shown = true
		m.refresh()
		return tea.Batch(m.readEarlier(), m.watch()), true
	case page.Hidden:
		m.shown = false
		m.watching.Drop()
	case watchTick:
		if m.o.Session.Queue.Busy() {
			return m.watch(), false
		}
		return tea.Batch(m.watch(), m.readEarlier()), false
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

// replace removes failures of what was sent again with other options, and moves to the new jobs: to
// the first row of many, which is a failure if there is one, because the row of a job moves as it ends.
func (m *Model) replace(jobs []job.Job) tea.Cmd {
	var old []row
	for n := range len(m.rows.Rows) + len(m.rows.earlier) {
		r := m.rows.row(n)
		again := func(j job.Job) bool { return j.ID != r.Job.ID && j.Upload.Source == r.Job.Upload.Source }
		if s := r.Job.State; (s == job.Refused || s == job.Unsent) && slices.ContainsFunc(jobs, again) {
			old = append(old, r)
		}
	}
	cmd := m.remove(old)
	m.refresh()
	for i := range m.list.Len() {
		if e, _ := m.list.At(i); !e.Head() && m.rows.row(e.Row).Job.Batch == jobs[0].Batch {
			m.list.GoTo(i)
			break
		}
	}
	if len(jobs) == 1 {
		m.list.Hold()
	}
	return cmd
}

func (m *Model) refresh() {
	m.rows.Snapshot = m.o.Snapshot()
	m.list.Arrange()
}

func (m *Model) current() (row, bool) {
	n, ok := m.list.Row()
	if !ok {
		return row{}, false
	}
	return m.rows.row(n), true
}

// thumbs returns the picture of the current row, or the first ones of a folder: the files that were
// sent, or the stored ones.
func (m *Model) thumbs() (list []edit.Thumb) {
	e, ok := m.list.Current()
	rows := text.Either(!ok || e.Head(), e.Rows, []int{e.Row})
	for _, n := range rows[:min(len(rows), edit.MaxFirst)] {
		j := m.rows.row(n).Job
		source, file := j.Upload.Source.Path, j.File
		switch {
		case e.Head() && failed(j.State), source == "" && (file == nil || !file.IsImage()):
		case file != nil && file.IsImage() && len(j.Upload.Extensions.Or(nil)) > 0: // they can change the picture
			t := edit.ThumbOf(*file, m.thumb)
			t.Key += fmt.Sprint(m.runs)
			list = append(list, t)
		case source != "":
			list = append(list, edit.Thumb{Key: source, Name: name(j), Path: edit.Local(source)})
		default:
			list = append(list, edit.ThumbOf(*file, m.o.Session.Thumb))
		}
	}
	return list
}

// thumb returns the thumbnail of a file as last seen.
func (m *Model) thumb(ctx context.Context, f api.File) (string, error) {
	if seen, ok, err := m.o.Session.LastSeen(ctx, f.FileID); err == nil && ok {
		f = seen.File
	}
	return m.o.Session.Thumb(ctx, f)
}

// maxEarlier is the number of jobs shown from earlier runs.
const maxEarlier = 1000

// maxFailed limits the unstored jobs read from earlier runs.
const maxFailed = 2000

// readEarlier reads the jobs of earlier runs and of other programs, if the journal has changed.
func (m *Model) readEarlier() tea.Cmd {
	limit := maxEarlier + min(len(m.rows.Rows), maxFailed)
	version := m.version
	return func() tea.Msg {
		now, err := m.o.Session.Journal.Changes(m.o.Context)
		if err == nil && now == version {
			return nil
		}
		out, failed := readJobs(m.o.Context, m.o.Session, limit)
		err = errors.Join(err, failed)
		return page.Then(func() tea.Cmd {
			if m.rows.read = true; err != nil {
				return page.Send(page.Problem(err))
			}
			m.rows.earlier, m.version = out, now
			m.refresh()
			return nil
		})
	}
}

// readJobs reads the newest jobs of the journal, plus all jobs that failed or are unfinished.
func readJobs(ctx context.Context, s *session.Session, limit int) (out []job.Job, err error) {
	for _, f := range []journal.JobFilter{
		{Limit: limit},
		{State: job.Sending, Limit: limit},
		{Failed: true, Limit: maxFailed},
	} {
		jobs, err := s.Jobs(ctx, f)
		if err != nil {
			return nil, err
		}
		out = append(out, jobs...)
	}
	slices.SortFunc(out, func(a, b job.Job) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(out, func(a, b job.Job) bool { return a.ID == b.ID }), nil
}

// watchInterval is the interval for checking the journal for jobs that another program sends.
const watchInterval = time.Second

type watchTick struct{}

// watch checks the journal while the screen is visible.
func (m *Model) watch() tea.Cmd { return m.watching.Ask(page.After(watchInterval, watchTick{})) }
