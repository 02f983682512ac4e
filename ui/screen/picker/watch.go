package picker

import (
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
)

// watchedMsg reports the state of a folder. One is always pending while watching; those of an earlier watch are dropped.
type watchedMsg struct {
	watch   int
	folder  string // empty: nothing was checked
	changed time.Time
	gone    bool
}

// watch schedules the next check, or returns nil if folders are not watched.
func (m *Model) watch() tea.Cmd {
	if m.options.Watch <= 0 {
		return nil
	}
	check := m.check()
	return tea.Tick(m.options.Watch, func(time.Time) tea.Msg { return check() })
}

// check reports the state of the folder. It checks nothing while the terminal has no focus or a folder is being read.
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

// watched reloads the folder if names changed. It always inspects visible rows, because a growing file does not change its
// folder.
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
