// Package extensions is the screen of extension runs: their files, status and results.
package extensions

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"sync"
	"time"

	"charm.land/bubbles/v2/spinner"
	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/api/watch"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
)

// Session is the part of [session.Session] that the screen uses; tests have another.
type Session interface {
	edit.Manager
	Thumb(ctx context.Context, file api.File) (string, error)
	LastSeen(ctx context.Context, fileID string) (journal.Seen, bool, error)
	Extend(ctx context.Context, fileID string, list []api.Extension) (*api.File, error)
	// Before and Picture return the path of a local file with the picture before a run, and now.
	Before(ctx context.Context, run job.Run) (string, error)
	Picture(ctx context.Context, file api.File) (string, error)
}

// Options configures the screen. Session and Watch are required.
type Options struct {
	// Context ends the screen's background work; may be nil.
	Context context.Context
	Session Session
	Watch   *watch.Watch
	Profile session.Profile
	// Loader draws pictures; nil for none.
	Loader *picture.Loader
	// Now is the clock; nil for time.Now.
	Now func() time.Time
}

// Model is the screen.
type Model struct {
	page.Base
	o       Options
	runs    runs
	list    *kit.List[int] // of runs by number
	manage  *edit.Manage
	preview *edit.Preview
	sheet   *edit.Tiles // the results as a contact sheet
	toggled bool        // the user chose list or sheet

	reading bool     // the runs are being read
	again   bool     // read again afterwards
	files   sync.Map // api.File: as last seen, by key of a run; empty while it is read

	shown   bool // in front
	ticking bool // the clock runs
}

var _ page.Screen = (*Model)(nil)

// New makes the screen.
func New(o Options) *Model {
	o.Context = cmp.Or(o.Context, context.Background())
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Model{o: o}
	m.list = &kit.List[int]{
		ID: "extensions", Marking: true, Now: o.Now, Widen: m.widen,
		Rows: m.rows, Key: func(n int) any { return m.runs.all[n].ID },
		Match: func(n int, words []string) bool {
			run := &m.runs.all[n]
			status := string(run.Status) + text.If(run.Status == api.StatusSuccess, " done")
			return text.HasAll(words, run.Extension, run.FilePath, status, run.Error, run.FileID)
		},
		Note:    m.totals,
		Columns: columns, Cells: m.cells, Describe: m.describe, Empty: m.empty,
		Placeholder: "part of an extension, a path or a status",
		Nothing:     "no extension was requested yet", NotFound: "no run matches the filter",
		Tiles: func() kit.Tiles { return m.sheet.Shown() },
	}
	m.sheet = edit.NewTiles(edit.TilesOptions{
		Context: o.Context, Loader: o.Loader, List: m.list.Lines(), Tile: m.tile, Notes: func() bool { return true },
	})
	m.manage = &edit.Manage{
		Context: o.Context, Session: o.Session, Over: m.Overlays(), Profile: o.Profile, Now: o.Now,
	}
	m.preview = edit.NewPreview(edit.PreviewOptions{
		Context: o.Context, Loader: o.Loader, List: m.list, Thumbs: m.thumbs,
		Facts: func(f *kit.Facts) { // the tags that were found are whole
			if run, ok := m.current(); ok {
				m.describeRun(f, run, m.o.Now())
			}
		},
	})
	m.list.Arrange()
	return m
}

func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd, used := m.handle(msg)
	if used = m.preview.Update(msg) || used; !used {
		return nil
	}
	if !m.toggled { // pixels make results worth looking at side by side
		m.sheet.On = m.preview.Options().Method.Pixels()
	}
	if m.sheet.On {
		m.list.Landed() // the tiles share its cursor
	}
	m.list.Changed()
	m.sheet.Arrange(m.list.Inside().Size(), m.preview.Options())
	return tea.Batch(cmd, m.readFile(), m.tick(), m.preview.Follow(), m.sheet.Want())
}

func (m *Model) handle(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case page.RunsChanged:
		return m.read(), true
	case page.Acted:
	case page.Resized:
		m.list.Resize(msg.Size)
	case page.Shown:
		m.shown = true
		return m.read(), true
	case page.Hidden:
		m.shown = false
	case page.FileChanged:
		for i := range m.runs.all {
			if run := &m.runs.all[i]; run.FileID == msg.File.FileID {
				m.files.Store(keyOf(run), msg.File)
			}
		}
	case tea.MouseClickMsg:
		if m.list.Click(msg) {
			return m.enter(), true
		}
	case tea.MouseWheelMsg:
		m.list.Wheel(msg)
	default:
		return nil, m.sheet.Update(msg)
	}
	return nil, true
}

// current returns the run under the cursor, or an empty run.
func (m *Model) current() (*job.Run, bool) {
	if row, ok := m.list.Row(); ok {
		return &m.runs.all[row], true
	}
	return &job.Run{}, false
}

// tick redraws the ages and the signs of pending runs while they are visible.
func (m *Model) tick() tea.Cmd {
	if !m.shown || m.ticking || m.runs.pending == 0 {
		return nil
	}
	m.ticking = true
	return page.After(spinner.MiniDot.FPS, page.Do(func() { m.ticking = false }))
}

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
		// A run changes the record of its file. Records of older runs are read when the cursor is there.
		for i := range all {
			if _, known := m.files.Load(keyOf(&all[i])); known || i < 500 {
				m.record(&all[i])
			}
		}
		return page.Then(func() tea.Cmd {
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
		})
	}
}

// readFile reads the file of the current run if it is shown and unknown.
func (m *Model) readFile() tea.Cmd {
	run, ok := m.current()
	if !ok || !m.list.PaneShown() {
		return nil
	}
	if _, known := m.files.LoadOrStore(keyOf(run), api.File{}); known {
		return nil
	}
	of := *run
	return func() tea.Msg {
		m.record(&of)
		return page.Do(func() {})
	}
}

// file returns the record of a run's file if record has read it.
func (m *Model) file(run *job.Run) api.File {
	known, _ := m.files.Load(keyOf(run))
	file, _ := known.(api.File)
	return file
}

// record reads the record of a run's file as last seen, or makes one from the run. Call it in a
// command.
func (m *Model) record(run *job.Run) api.File {
	if seen, ok, err := m.o.Session.LastSeen(m.o.Context, run.FileID); err == nil && ok {
		m.files.Store(keyOf(run), seen.File)
		return seen.File
	}
	return api.File{FileID: run.FileID, FilePath: run.FilePath, Name: path.Base(run.FilePath)}
}

// thumbs returns the picture of the current run's file, which changes when the run ends.
func (m *Model) thumbs() []edit.Thumb {
	run, ok := m.current()
	file := m.file(run)
	if !ok || !file.IsImage() {
		return nil
	}
	return []edit.Thumb{{Key: m.pictureOf(run), Path: edit.Fetched(m.o.Session.Picture, file)}}
}

// pictureOf identifies the picture of a run's file, which may be read before the result is known.
func (m *Model) pictureOf(run *job.Run) string {
	file := m.file(run)
	return keyOf(run) + text.If(file.VersionID() != run.FileID, file.VersionID())
}

func keyOf(run *job.Run) string { return fmt.Sprint(run.ID, run.Status, run.At.UnixNano()) }

// names returns the tags that a run found.
func (m *Model) names(run *job.Run) []string {
	return rule.Mapped(m.foundTags(run), func(tag api.AITag) string { return tag.Name })
}

// tile shows the result of a run, or why it failed.
func (m *Model) tile(i int) edit.Tile {
	e, _ := m.list.At(i)
	run := m.runs.all[e.Row]
	note := []string{edit.LabelRun(&run)}
	if found := m.names(&run); len(found) > 0 {
		note = append([]string{"tags: " + found[0]}, found[1:]...)
	}
	key := text.If(rule.IsTagging(run.Extension), "before ") + m.pictureOf(&run)
	read := func(ctx context.Context) (string, error) {
		if rule.IsTagging(run.Extension) { // it was about this picture, even if another run changed it
			if name, err := m.o.Session.Before(ctx, run); err == nil {
				return name, nil
			}
		}
		return m.o.Session.Thumb(ctx, m.record(&run))
	}
	return edit.Tile{
		Name: path.Base(m.fileOf(&run)), Sign: sign(run.Status), Words: text.Safe(m.reason(&run, m.o.Now())), Marked: m.list.Has(e.Row),
		Note:    note,
		Picture: edit.Thumb{Key: key, Path: read},
	}
}

type status uint8

const (
	every status = iota
	pending
	failed
	statusCount
)

var statusNames = [statusCount]string{"all", "pending", "failed"}

// statusOf returns the filter that shows a run with few others. Unknown statuses count as pending.
func statusOf(run *job.Run) status {
	switch {
	case run.Status == api.StatusFailed:
		return failed
	case !run.Status.Final():
		return pending
	}
	return every
}

type runs struct {
	all    []job.Run // newest last
	read   bool
	status status

	pending, success, failed int
}

func (r *runs) set(all []job.Run) {
	r.all, r.read = all, true
	r.pending, r.success, r.failed = 0, 0, 0
	for i := range all {
		switch statusOf(&all[i]) {
		case failed:
			r.failed++
		case pending:
			r.pending++
		default:
			r.success++
		}
	}
}

// rows returns the runs that the filter shows: the failed ones first, then the pending ones, each
// newest first.
func (m *Model) rows() []kit.Group[int] {
	var parts [statusCount][]int
	for i := range slices.Backward(m.runs.all) {
		is := statusOf(&m.runs.all[i])
		parts[is] = append(parts[is], i)
	}
	rows := parts[m.runs.status]
	if m.runs.status == every {
		rows = slices.Concat(parts[failed], parts[pending], parts[every])
	}
	if len(rows) == 0 {
		return nil
	}
	return []kit.Group[int]{{Rows: rows}}
}

// next returns the next status of the cycle that some run has.
func (r *runs) next() status {
	for is := (r.status + 1) % statusCount; ; is = (is + 1) % statusCount {
		if [statusCount]int{1, r.pending, r.failed}[is] > 0 {
			return is
		}
	}
}

// quietPeriod is how long a pending run can be without news.
const quietPeriod = 5 * time.Minute
