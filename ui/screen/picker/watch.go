package picker

import (
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
)

// watchedMsg tells the state of a folder. One is always on its way while folders are
// watched; that of an earlier watch is dropped.
type watchedMsg struct {
	watch   int
	folder  string // empty: nothing was checked
	changed time.Time
	gone    bool
}

// watch checks the folder shown a moment later; nil: folders are not watched.
func (m *Model) watch() tea.Cmd {
	if m.options.Watch <= 0 {
		return nil
	}
	check := m.check()
	return tea.Tick(m.options.Watch, func(time.Time) tea.Msg { return check() })
}

// check tells the state of the folder shown. While the terminal does not have the focus or
// a folder is read, nothing is checked.
func (m *Model) check() tea.Cmd {
	msg := watchedMsg{watch: m.watching}
	if !m.away && m.shown.done && m.opening == "" {
		msg.folder = m.shown.folder
	}
	return func() tea.Msg {
		if msg.folder == "" {
			return msg
		}
		info, err := os.Stat(msg.folder)
		if err == nil {
			msg.changed = info.ModTime()
		} else {
			msg.gone = missing(err)
		}
		return msg
	}
}

// watched reads the folder again if names came or went. The rows in view are read again
// in any case: a file that grows does not change its folder.
func (m *Model) watched(msg watchedMsg) tea.Cmd {
	switch {
	case msg.watch != m.watching:
		return nil
	case msg.folder == "" || m.away || msg.folder != m.shown.folder || m.opening != "":
	case msg.gone || !msg.changed.IsZero() && !msg.changed.Equal(m.reading.changed):
		return tea.Batch(m.reload(), m.watch())
	default:
		from, to := m.list.Visible()
		for i := from; i < to; i++ {
			if e, ok := m.entryAt(i); ok {
				delete(m.asked, e.name)
			}
		}
	}
	return m.watch()
}
