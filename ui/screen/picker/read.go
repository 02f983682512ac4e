package picker

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/page"
)

type opened struct {
	arrangement
	changed time.Time // modification time of the folder before reading
	gone    string    // the requested folder, if it does not exist
	land    string    // the name to land on
	err     error
}

// open opens another folder. The old one stays until the new one is read. The cursor moves to the
// name land if it exists. The first time, the samples take the place of a folder without pictures.
func (m *Model) open(folder, land string) tea.Cmd {
	m.opening = folder
	if e, ok := m.current(); ok {
		m.cursors[m.shown.folder] = e.name
	}
	a := arrangement{order: m.order, hidden: m.hidden}
	if folder == m.shown.folder {
		a.pattern = m.list.Filter()
	}
	samples := m.options.Samples
	m.options.Samples = nil
	return m.reads.Ask(func() tea.Msg {
		o := openFolder(folder, land, a)
		if samples != nil && o.err == nil && !holdsPictures(o.folder) {
			if sample, err := samples(); err == nil {
				o = openFolder(sample, "", a)
			}
		}
		return page.Then(func() tea.Cmd { return m.opened(o) })
	})
}

func (m *Model) reload() tea.Cmd {
	if m.shown.folder == "" || m.opening != "" {
		return nil
	}
	return m.open(m.shown.folder, "")
}

// openFolder reads a folder or its nearest existing parent, and arranges it.
func openFolder(folder, land string, a arrangement) opened {
	o := opened{arrangement: a, land: land}
	folder, err := filepath.Abs(folder) // "" is the working directory
	if err != nil {
		o.err = fmt.Errorf("the working directory cannot be found: %w", rootCause(err))
		return o
	}
	for o.folder = folder; ; o.folder = filepath.Dir(o.folder) {
		info, err := os.Stat(o.folder)
		switch {
		case err == nil && !info.IsDir():
			o.land = filepath.Base(o.folder)
			continue
		case err != nil && missing(err) && filepath.Dir(o.folder) != o.folder:
			o.gone, o.land = folder, ""
			continue
		case err != nil:
			o.err = folderProblem(o.folder, err)
			return o
		}
		o.changed = info.ModTime()
		break
	}
	var found []fs.DirEntry
	dir, err := os.Open(o.folder)
	if err == nil {
		found, err = dir.ReadDir(-1) // unsorted, because the list sorts
		_ = dir.Close()
	}
	if err != nil {
		o.err = folderProblem(o.folder, err)
	}
	end := time.Now().Add(statTimeout / 10) // a link on a slow disk shows its target later
	o.entries = make([]entry, len(found))
	for i, f := range found {
		e := entry{name: f.Name(), kind: kindOf(f.Type())}
		if e.link = f.Type()&fs.ModeSymlink != 0; e.link {
			e.kind = kindOfLink(statWithin(filepath.Join(o.folder, e.name), time.Until(end)))
		}
		o.entries[i] = e
	}
	o.arrange(true)
	return o
}

// opened shows a folder. If it cannot be read, the current folder stays. If there is none, the
// list shows the error.
func (m *Model) opened(o opened) tea.Cmd {
	m.opening = ""
	if o.err != nil && len(o.entries) == 0 {
		if m.shown.folder == "" {
			m.problem, m.shown.folder = o.err, o.folder
		}
		return page.Send(problem(o.err))
	}
	m.began, m.problem, m.changed = cmp.Or(m.began, o.folder), nil, o.changed
	var cmds []tea.Cmd
	land := o.land
	if o.folder != m.shown.folder {
		m.list.EndRange()
		m.list.GoTo(0)
		m.list.SetFilter("")
		cmds = append(cmds, m.sheet.Delete())
		m.sheet.Forget()
		land = cmp.Or(land, m.cursors[o.folder])
		m.infos = map[string]info{}
	}
	// Old facts stay visible until they are read again.
	m.folder, m.totaled = map[string]bool{}, map[string]bool{}
	m.show(o.arrangement)
	if land != "" && m.list.Go(land) {
		m.list.Hold()
	}
	m.arranging.Drop()
	if m.order != o.order || m.hidden != o.hidden || m.list.Filter() != o.pattern {
		cmds = append(cmds, m.arrange(true)) // changed while the folder was read
	}
	if o.err != nil {
		cmds = append(cmds, page.Send(problem(o.err)))
	}
	if o.gone != "" {
		cmds = append(cmds, page.Tell(page.Warn, fmt.Sprintf("%q does not exist. This is the nearest folder above it.", o.gone)))
	}
	return tea.Batch(cmds...)
}

// missing reports whether err means that a part of the path does not exist.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func folderProblem(folder string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return api.WithHint(fmt.Errorf("%q cannot be read: permission denied", folder), "Ask for read permission, or pick from another folder.")
	case missing(err):
		return api.WithHint(fmt.Errorf("%q does not exist", folder), "Pick from another folder.")
	}
	return fmt.Errorf("%q cannot be read: %w", folder, rootCause(err))
}

// rootCause returns the innermost error, because the message already names the path.
func rootCause(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}

func problem(err error) tea.Msg {
	t, ok := page.Problem(err).(page.Toast)
	if !ok {
		return nil
	}
	t.Level = page.Warn
	return t
}

// Changes of the folder.

func (m *Model) watch() tea.Cmd {
	if m.options.WatchInterval <= 0 {
		return nil
	}
	return m.watching.Ask(page.After(m.options.WatchInterval,
		page.Then(func() tea.Cmd { return tea.Batch(m.check(), m.watch()) })))
}

// check reads the folder again if it or the file under the cursor has changed, unless it is being read.
func (m *Model) check() tea.Cmd {
	folder := m.shown.folder
	if m.opening != "" || folder == "" || m.checking {
		return nil
	}
	m.checking = true
	e, _ := m.current()
	was, file := m.infos[e.name], m.path(e)
	return func() tea.Msg {
		info, err := os.Stat(folder)
		changed := false
		if was.known && was.problem == nil && e.kind == kindFile {
			is, err := os.Stat(file)
			changed = err == nil && (is.Size() != was.size || !is.ModTime().Equal(was.modified))
		}
		return page.Then(func() tea.Cmd {
			m.checking = false
			if folder == m.shown.folder && (changed || err != nil && missing(err) || err == nil &&
				!info.ModTime().Equal(m.changed)) {
				return m.reload()
			}
			return nil
		})
	}
}

// stat is os.Stat, and statTimeout how long a disk may take to answer. Tests have others.
var (
	stat        = os.Stat
	statTimeout = time.Second
)

var errNoAnswer = errors.New("does not answer")

// statWithin returns errNoAnswer after the timeout: the disk may never answer, such as that of a link
// to an offline network mount. The call then stays open.
func statWithin(path string, timeout time.Duration) (info fs.FileInfo, err error) {
	answered := make(chan func(), 1)
	go func() {
		found, wrong := stat(path)
		answered <- func() { info, err = found, wrong }
	}()
	select {
	case take := <-answered:
		take()
		return info, err
	case <-time.After(timeout):
		return nil, errNoAnswer
	}
}

// identify is api.Identify for a path that may be remote, where a disk may have to start first.
func identify(path string) (api.Identity, error) {
	if _, err := statWithin(path, 10*statTimeout); errors.Is(err, errNoAnswer) {
		return api.Identity{}, noAnswer(path)
	}
	return api.Identify(path)
}

func noAnswer(path string) error {
	return api.WithHint(fmt.Errorf("%q does not answer", path), "Its disk or server may be offline. Try again later, or pick another file.")
}
