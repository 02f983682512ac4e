package picker

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
)

// info is what is known about an entry. The zero value means nothing yet.
type info struct {
	known    bool
	size     int64
	modified time.Time
	mode     fs.FileMode
	target   string // raw target of a link
	problem  error  // why it cannot be used, or nil
	silent   bool   // its disk did not respond
	broken   kind   // kind of a link without a target
}

// infosMsg carries facts about entries of a folder.
type infosMsg struct {
	folder string
	remote bool // the entries may be on another disk than the folder
	infos  map[string]info
}

// ahead is the number of rows to inspect above and below the cursor. It exceeds the visible rows to be ready for scrolling.
const ahead = 100

// wantInfos inspects unknown rows around the cursor.
func (m *Model) wantInfos() tea.Cmd {
	if len(m.shown.rows) == 0 {
		return nil
	}
	return tea.Batch(m.inspectRows(false), m.inspectRows(true))
}

// inspectRows inspects either the rows that may be remote or the others, so that slow remote rows only delay each other.
func (m *Model) inspectRows(remote bool) tea.Cmd {
	looking := &m.inspecting[0]
	if remote {
		looking = &m.inspecting[1]
	}
	if *looking {
		return nil
	}
	from, to := m.list.Visible()
	if m.shown.done { // reading has priority
		from = max(0, min(from, m.list.Cursor()-ahead))
		to = min(len(m.shown.rows), max(to, m.list.Cursor()+ahead))
	}
	var want []entry
	var old []info
	for i := from; i < to; i++ {
		if e, _ := m.entryAt(i); e.remote() == remote && !m.asked[e.name] {
			m.asked[e.name] = true
			want, old = append(want, e), append(old, m.infos[e.name])
		}
	}
	if len(want) == 0 {
		return nil
	}
	*looking = true
	d, folder := m.disk, m.shown.folder
	return func() tea.Msg {
		found := make(map[string]info, len(want))
		// If one does not respond, others probably will not either.
		patience := d.rowPatience
		for i, e := range want {
			one := inspect(d, filepath.Join(folder, e.name), e, old[i], patience)
			if one.silent {
				patience = d.patience
			}
			found[e.name] = one
		}
		return infosMsg{folder, remote, found}
	}
}

func (m *Model) gotInfos(msg infosMsg) tea.Cmd {
	if msg.remote {
		m.inspecting[1] = false
	} else {
		m.inspecting[0] = false
	}
	if msg.folder != m.shown.folder {
		return nil
	}
	for name, i := range msg.infos {
		if old := m.infos[name]; !old.same(i) {
			m.Changed()
		}
		m.infos[name] = i
	}
	if !msg.remote || msg.folder != m.reading.folder {
		return nil
	}
	return m.learnLinks(msg.infos)
}

// learnLinks updates the links whose targets responded late or changed.
func (m *Model) learnLinks(infos map[string]info) tea.Cmd {
	var rows []int32
	var kinds []kind
	for row, e := range m.reading.entries {
		if !e.link {
			continue
		}
		if i, is := infos[e.name]; is && !i.silent && i.kind() != e.kind {
			rows, kinds = append(rows, int32(row)), append(kinds, i.kind())
		}
	}
	return m.setKinds(rows, kinds)
}

// kind returns the kind that inspect found.
func (i info) kind() kind {
	if i.modified.IsZero() {
		return i.broken
	}
	return kindOf(i.mode)
}

func (i info) same(o info) bool {
	return i.known == o.known && i.silent == o.silent && i.size == o.size && i.modified.Equal(o.modified) &&
		i.mode == o.mode && i.target == o.target &&
		(i.problem == nil) == (o.problem == nil) && (i.problem == nil || i.problem.Error() == o.problem.Error())
}

// remote reports whether the entry may be on another disk than its folder.
func (e entry) remote() bool { return e.link || e.kind == kindFolder }

// stat is os.Stat for an entry. It uses d if the entry may be remote.
func (e entry) stat(d *disk, path string, patience time.Duration) (fs.FileInfo, error) {
	if e.remote() {
		return d.stat(path, patience)
	}
	return os.Stat(path)
}

// inspect returns the size and age of an entry and whether it can be used. It reads no content, opens nothing that could
// block, and does not reopen an unchanged entry.
func inspect(d *disk, path string, e entry, old info, patience time.Duration) info {
	i := info{known: true, size: -1}
	if e.link {
		i.target, _ = os.Readlink(path) // it may be gone
	}
	stat, err := e.stat(d, path, patience)
	if err == nil {
		i.modified, i.mode = stat.ModTime(), stat.Mode()
		if i.mode.IsRegular() {
			i.size = stat.Size()
		}
		if i.same(old) {
			return old
		}
	}
	switch {
	case errors.Is(err, errNoAnswer):
		i.silent, i.problem = true, noAnswer(path)
		return i
	case err != nil:
		_, i.problem = api.Identify(path) // says why
		i.broken = brokenKind(err)
		return i
	case stat.IsDir():
		dir, err := os.Open(path)
		if err != nil {
			i.problem = folderProblem(path, err)
		} else {
			_ = dir.Close()
		}
	default:
		_, i.problem = api.Identify(path)
	}
	return i
}

// note says in a word or two why an entry cannot be used.
func (i info) note(e entry) string {
	switch {
	case i.silent:
		return "no answer"
	case i.problem == nil, e.kind != kindFile && e.kind != kindFolder:
		return ""
	case i.modified.IsZero():
		return "gone"
	case i.size == 0:
		return "empty"
	}
	return "unreadable"
}
