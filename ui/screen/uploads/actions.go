package uploads

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
)

// Action groups in the help.
const (
	groupJob = "Upload"
	groupAll = "All uploads"
)

// Actions returns the actions of the focused part. Labels depend on the selection.
func (m *Model) Actions() []kit.Action { return m.list.Actions(m.actions()) }

// Catalog returns the actions of every part.
func (m *Model) Catalog() map[string][]kit.Action { return m.list.Catalog(m.actions()) }

// Capturing reports whether the filter has the keyboard.
func (m *Model) Capturing() bool { return m.list.Capturing() }

// Type edits the filter.
func (m *Model) Type(msg tea.Msg) (tea.Cmd, bool) { return m.list.Type(msg) }

func (m *Model) actions() []kit.Action {
	enter, pause, all := "whole error", "pause", "pause all"
	r, ok := m.current()
	switch {
	case !ok:
		enter = "fold or unfold"
	case hasDetails(r.Job):
		enter = "details"
	case r.Job.Failure == nil:
		enter = "more about it"
	}
	if ok && r.Paused {
		pause = "go on"
	}
	if t := m.rows.totals; t.Paused > 0 && t.Paused == t.Waiting+t.Offline+t.Sending {
		all = "go on with all"
	}
	one := func(id, words, key string, disabled func() string, do func() tea.Cmd) kit.Action {
		return kit.Action{ID: "uploads." + id, Keys: kit.Bind(words, "", key), Group: groupJob, Disabled: disabled, Do: do}
	}
	actions := []kit.Action{
		{ID: "uploads.open", Keys: kit.Bind(enter, "", "enter", "l", "right"), Group: groupJob, Disabled: m.list.NoEntry, Do: m.enter},
		m.many("retry", "send again", "r", mayRetry, count.unstored, m.retry),
		one("retry-all", "send all that failed again", "R", m.nothingFailed, m.retryAll),
		m.many("edit", "change its options", "e", mayRetry, count.unstored, compose),
		m.many("pause", pause, "p", mayStop, count.open, m.pause),
		m.many("cancel", "cancel", "x", mayStop, count.open, m.cancel),
		one("copy", "copy", "y", m.list.NoRow, m.openMenu),
	}
	for i := range actions {
		actions[i].Footer = true
	}
	return append(
		actions,
		one("look-up", "check whether it arrived", "L", m.aboutRow(mayCheck), m.check),
		m.many("first", "send before the others", "+", mayMove, count.open, func(rows []row) tea.Cmd {
			slices.Reverse(rows) // the last job moved ends up first
			return m.reorder(rows, m.o.Queue.First)
		}),
		m.many("last", "send after the others", "-", mayMove, count.open, func(rows []row) tea.Cmd { return m.reorder(rows, m.o.Queue.Last) }),
		one("browse", "open in the browser", "o", m.aboutRow(mayBrowse), m.browse),
		m.many("remove", "remove from the list", "d", mayRemove, count.total, m.remove),
		kit.Action{ID: "uploads.pause-all", Keys: kit.Bind(all, "", "P"), Group: groupAll, Disabled: m.nothingOpen, Do: m.pauseAll},
		kit.Action{ID: "uploads.remove-stored", Keys: kit.Bind("remove the stored from the list", "", "D"), Group: groupAll, Disabled: m.nothingStored, Do: m.removeStored},
		kit.Action{ID: "uploads.undo", Keys: kit.Bind("bring back what was removed", "", "z"), Group: groupAll, Disabled: m.nothingRemoved, Do: m.restore},
	)
}

// many returns an action on the selected jobs: the marked ones, the job under the cursor, or a batch.
// may returns why the action is disabled for a job. has counts the jobs of a batch that allow it.
func (m *Model) many(id, words, key string, may func(row) string, has func(count) int, do func([]row) tea.Cmd) kit.Action {
	return kit.Action{
		ID: "uploads." + id, Keys: kit.Bind(words, "", key), Group: groupJob,
		Disabled: func() string {
			// This runs for each frame, so it does not check every job.
			switch e, ok := m.list.Current(); {
			case m.list.Marked() > 0:
				return ""
			case !ok:
				return m.list.NoEntry()
			case !e.Head():
				return may(m.rows.row(e.Row))
			case has(m.rows.batches[e.Key].count) == 0:
				return may(m.rows.row(e.Rows[0]))
			}
			return ""
		},
		Do: func() tea.Cmd {
			var rows []row
			reason := "the marked uploads are gone"
			for _, n := range m.list.Chosen() {
				r := m.rows.row(n)
				if disabled := may(r); disabled != "" {
					reason = disabled
				} else {
					rows = append(rows, r)
				}
			}
			m.list.Hold()
			if len(rows) == 0 {
				return toast(text.Sentence(reason))
			}
			return do(rows)
		},
	}
}

// aboutRow returns the disabled reason for the job under the cursor.
func (m *Model) aboutRow(may func(row) string) func() string {
	return func() string {
		r, ok := m.current()
		if !ok {
			return m.list.NoRow()
		}
		return may(r)
	}
}

// These functions return why an action is disabled for a job, or "" if it is enabled.

func mayRetry(r row) string {
	switch {
	case r.Job.State == api.Stored:
		return "it is stored"
	case !r.Job.State.Final() && r.Job.State != api.Offline && r.Next.IsZero():
		return "it has no outcome yet"
	}
	return ""
}

func mayStop(r row) string {
	switch {
	case r.Job.State == api.Processing:
		return "the service has it"
	case r.Job.State.Final():
		return "this upload has ended: " + string(r.Job.State)
	case r.earlier:
		return "it is not in the queue of this program"
	}
	return ""
}

func mayMove(r row) string {
	if reason := mayStop(r); reason != "" {
		return reason
	}
	return text.If(r.Job.State == api.Sending, "it is being sent")
}

func mayCheck(r row) string {
	return text.If(r.Job.State != api.Unknown && r.Job.State != api.Processing, "its outcome is known, or to come")
}

func mayRemove(r row) string {
	return text.If(!r.Job.State.Final() && !r.earlier, "it has no outcome yet: cancel it first")
}

func mayBrowse(r row) string {
	return text.If(r.Job.File == nil || r.Job.File.URL == "", "it has no address")
}

func (m *Model) nothingOpen() string {
	if t := m.rows.totals; t.Waiting+t.Offline+t.Sending == 0 {
		return "nothing waits or is under way"
	}
	return ""
}

func (m *Model) nothingFailed() string {
	return text.If(m.rows.failed == 0, "nothing failed")
}

func (m *Model) nothingStored() string {
	return text.If(m.rows.totals.Stored == 0, "nothing was stored since the program was started")
}

func (m *Model) nothingRemoved() string {
	return text.If(len(m.rows.removed) == 0, "nothing was removed from the list")
}
