package picker

import (
	"os"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
)

// info is what a look at an entry tells. The zero value is not known yet.
type info struct {
	known    bool
	size     int64
	modified time.Time
	target   string // of a link: where it leads, as it is written
	problem  error  // why it cannot be picked or opened; nil: it can
}

// infosMsg brings looks at some entries of a folder.
type infosMsg struct {
	folder string
	infos  map[string]info
}

// ahead is how many rows above and below the cursor are looked at: more than
// are in view, so that scrolling finds them ready.
const ahead = 100

// wantInfos looks at the rows around the cursor that are not known yet.
func (m *Model) wantInfos() tea.Cmd {
	if m.statting || len(m.shown.rows) == 0 {
		return nil
	}
	from, to := m.list.Visible()
	from = max(0, min(from, m.list.Cursor()-ahead))
	to = min(len(m.shown.rows), max(to, m.list.Cursor()+ahead))
	var want []entry
	for i := from; i < to; i++ {
		e, _ := m.entryAt(i)
		if !m.asked[e.name] {
			m.asked[e.name] = true
			want = append(want, e)
		}
	}
	if len(want) == 0 {
		return nil
	}
	m.statting = true
	folder := m.shown.folder
	return func() tea.Msg {
		found := make(map[string]info, len(want))
		for _, e := range want {
			found[e.name] = look(filepath.Join(folder, e.name))
		}
		return infosMsg{folder, found}
	}
}

func (m *Model) gotInfos(msg infosMsg) {
	m.statting = false
	if msg.folder != m.shown.folder {
		return
	}
	for name, i := range msg.infos {
		if old := m.infos[name]; !old.same(i) {
			m.cache.valid = false
			m.looks++
		}
		m.infos[name] = i
	}
}

// same tells whether both say the same of an entry.
func (i info) same(o info) bool {
	return i.known == o.known && i.size == o.size && i.modified.Equal(o.modified) && i.target == o.target &&
		(i.problem == nil) == (o.problem == nil) && (i.problem == nil || i.problem.Error() == o.problem.Error())
}

// look finds out the size and age of an entry and whether it can be used.
// Nothing is read, and nothing that would wait is opened.
func look(path string) info {
	i := info{known: true, size: -1}
	if to, err := os.Readlink(path); err == nil {
		i.target = to
	}
	stat, err := os.Stat(path)
	switch {
	case err != nil:
		_, i.problem = api.Identify(path) // says why, in the words of the rest
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
	i.modified = stat.ModTime()
	if stat.Mode().IsRegular() {
		i.size = stat.Size()
	}
	return i
}

// note is why an entry cannot be used, in a word for the list.
func (i info) note(e entry) string {
	switch {
	case i.problem == nil, e.kind != kindFile && e.kind != kindFolder:
		return ""
	case i.modified.IsZero():
		return "gone"
	case i.size == 0:
		return "empty"
	}
	return "unreadable"
}
