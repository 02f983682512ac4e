package picker

import (
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
)

// watchDueMsg is the time to look whether the folder changed, and watchedMsg
// what was seen. One of the two is always on its way while the folder is watched; that
// of an earlier watch is dropped.
type (
	watchDueMsg struct{ watch int }
	watchedMsg  struct {
		watch   int
		folder  string
		changed time.Time
		gone    bool
	}
)

// watch waits for the next look; nil where the folder is not watched.
func (m *Model) watch() tea.Cmd {
	if m.options.Watch <= 0 {
		return nil
	}
	number := m.watching
	return tea.Tick(m.options.Watch, func(time.Time) tea.Msg { return watchDueMsg{number} })
}

// watchDue looks at the folder, unless nobody does.
func (m *Model) watchDue(msg watchDueMsg) tea.Cmd {
	if msg.watch != m.watching {
		return nil
	}
	if m.away || m.shown.folder == "" || !m.shown.done || m.opening != "" {
		return m.watch()
	}
	folder := m.shown.folder
	return func() tea.Msg {
		info, err := os.Stat(folder)
		if err != nil {
			return watchedMsg{watch: msg.watch, folder: folder, gone: missing(err)}
		}
		return watchedMsg{watch: msg.watch, folder: folder, changed: info.ModTime()}
	}
}

// watched reads the folder again where names came or went. The rows in view are
// looked at again in any case: a file that grows changes no folder.
func (m *Model) watched(msg watchedMsg) tea.Cmd {
	if msg.watch != m.watching {
		return nil
	}
	if msg.folder != m.shown.folder || m.opening != "" {
		return m.watch()
	}
	if msg.gone || !msg.changed.IsZero() && !msg.changed.Equal(m.reading.changed) {
		return tea.Batch(m.reload(), m.watch())
	}
	from, to := m.list.Visible()
	for i := from; i < to; i++ {
		if e, ok := m.entryAt(i); ok {
			delete(m.asked, e.name)
		}
	}
	return m.watch()
}
