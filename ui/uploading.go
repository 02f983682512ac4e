package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/session"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// uploading is what the top line, the title and the messages say of the queue.
type uploading struct {
	session.Counts
	seen     time.Time // when the user last saw the uploads
	started  bool      // the first count was taken
	counting bool      // a count is under way
	again    bool      // and there was news since it began
	// done says how the last batch ended, until somebody looks; empty: there is
	// nothing to be told.
	done string
}

// countPause is the time between two counts while jobs change.
const countPause = 100 * time.Millisecond

// jobsCounted is the answer to countJobs.
type jobsCounted struct {
	session *session.Session
	counts  session.Counts
	ended   []session.Batch
}

// countJobs counts the jobs off the event loop, one count at a time.
func (m *Model) countJobs(after time.Duration) tea.Cmd {
	u := &m.uploading
	if m.session == nil || u.counting {
		u.again = true
		return nil
	}
	u.counting, u.again = true, false
	d, first := m.session, !u.started
	count := func(seen time.Time) jobsCounted {
		out := jobsCounted{session: d, counts: d.Queue.Counts(seen), ended: d.EndedBatches()}
		if first && out.counts.Open >= session.MaxClaim {
			// The queue takes up what an earlier run left in portions.
			if open, err := d.OpenJobs(m.ctx); err == nil {
				out.counts.Open = open
			}
		}
		return out
	}
	seen := u.seen
	if after == 0 {
		return func() tea.Msg { return count(seen) }
	}
	return tea.Tick(after, func(time.Time) tea.Msg { return count(seen) })
}

// jobsCounted takes a count over and tells what ended since the one before, or
// what goes on from an earlier run.
func (m *Model) jobsCounted(msg jobsCounted) tea.Cmd {
	if msg.session != m.session {
		return nil
	}
	u := &m.uploading
	u.Counts, u.counting = msg.counts, false
	var cmds []tea.Cmd
	if u.again {
		cmds = append(cmds, m.countJobs(countPause))
	}
	if !u.started && u.Open > 0 {
		cmds = append(cmds, m.messages.Push(page.Toast{Level: page.Info, Text: continues(u.Open) + ". 2 shows them."}))
	}
	u.started = true
	m.see()
	for _, b := range msg.ended {
		cmds = append(cmds, m.batchEnded(b))
	}
	return tea.Batch(cmds...)
}

// continues says how many uploads of an earlier run go on.
func continues(n int) string {
	if n == 1 {
		return "1 upload continues"
	}
	return text.Count(n) + " uploads continue"
}

// see notes that the user sees the uploads, if they do.
func (m *Model) see() {
	if m.focused && m.host.Front() == page.Uploads {
		m.uploading.seen, m.uploading.Failed, m.uploading.done = m.o.Now(), 0, ""
	}
}

// batchEnded tells how a batch ended: not to somebody who sees the uploads, by a
// signal to somebody who is elsewhere.
func (m *Model) batchEnded(b session.Batch) tea.Cmd {
	if b.Total == 0 || m.focused && m.host.Front() == page.Uploads {
		return nil
	}
	words, level := describeBatch(b), page.Good
	if b.Failed > 0 {
		level = page.Warn
	}
	told := m.messages.Push(page.Toast{Level: level, Text: words + " · 2 shows them"})
	if m.focused {
		return told
	}
	m.uploading.done = words
	return tea.Batch(told, signalEnd(m.o.Signal, words))
}

// describeBatch say how a batch ended.
func describeBatch(b session.Batch) string {
	switch {
	case b.Failed > 0:
		return text.Count(b.Failed) + " of " + text.Count(b.Total) + " failed"
	case b.Stored < b.Total:
		return text.Count(b.Stored) + " of " + text.Plural(b.Total, "upload") + " stored"
	}
	return text.Plural(b.Total, "upload") + " stored"
}

// title is that of the window.
func (m *Model) title() string {
	var words []string
	add := func(n int, word, rest string) {
		if n > 0 {
			words = append(words, text.Plural(n, word)+rest)
		}
	}
	add(m.uploading.Open, "upload", "")
	add(m.wave.pending, "run", " pending")
	for _, done := range []string{m.uploading.done, m.wave.done} {
		if done != "" {
			words = append(words, done)
		}
	}
	if len(words) == 0 {
		return "mediadesk"
	}
	return "mediadesk: " + strings.Join(words, " · ")
}
