package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/session"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// uploading is the queue's state for the top line, the title and the messages.
type uploading struct {
	session.Counts
	seen     time.Time // when the user last saw the uploads
	started  bool      // the first count has arrived
	counting bool      // a count is running
	again    bool      // something changed since it began
	// done describes how the last batch ended until the user looks; empty if there is nothing to report.
	done string
}

// countPause is the time between two counts while jobs change.
const countPause = 100 * time.Millisecond

// countJobs counts the jobs in the background, one count at a time.
func (m *Model) countJobs(after time.Duration) tea.Cmd {
	u := &m.uploading
	if m.session == nil || u.counting {
		u.again = true
		return nil
	}
	u.counting, u.again = true, false
	d, ctx, first, seen := m.session, m.ctx, !u.started, u.seen
	count := func(time.Time) tea.Msg {
		counts, ended := d.Queue.Counts(seen), d.EndedBatches()
		if first && counts.Open >= session.MaxClaim {
			// The queue loads the jobs of earlier runs in portions.
			if open, err := d.Journal.OpenJobs(ctx, d.Profile.Name); err == nil {
				counts.Open = open
			}
		}
		return m.then(d, func() tea.Cmd { return m.jobsCounted(counts, ended) })
	}
	if after == 0 {
		return func() tea.Msg { return count(time.Time{}) }
	}
	return tea.Tick(after, count)
}

// jobsCounted stores a count. It reports what has ended since, or what continues from an earlier run.
func (m *Model) jobsCounted(counts session.Counts, ended []session.Batch) tea.Cmd {
	u := &m.uploading
	u.Counts, u.counting = counts, false
	var cmds []tea.Cmd
	if u.again {
		cmds = append(cmds, m.countJobs(countPause))
	}
	if !u.started && u.Open > 0 {
		cmds = append(cmds, m.say(page.Toast{Level: page.Info, Text: continues(u.Open) + " (" + page.Uploads.String() + ")."}, false))
	}
	u.started = true
	m.markSeen()
	for _, b := range ended {
		cmds = append(cmds, m.batchEnded(b))
	}
	return tea.Batch(cmds...)
}

// continues tells how many uploads of an earlier run continue.
func continues(n int) string {
	if n == 1 {
		return "1 upload continues"
	}
	return text.Count(n) + " uploads continue"
}

// markSeen records when the user sees the uploads.
func (m *Model) markSeen() {
	if m.focused && m.host.Front() == page.Uploads {
		m.uploading.seen, m.uploading.Failed, m.uploading.done = m.o.Now(), 0, ""
	}
}

// batchEnded reports the end of a batch unless the user sees the uploads. It signals an absent user.
func (m *Model) batchEnded(b session.Batch) tea.Cmd {
	if b.Total == 0 || m.focused && m.host.Front() == page.Uploads {
		return nil
	}
	words, level := describeBatch(b), page.Good
	switch {
	case b.Failed > 0:
		level = page.Warn
	case b.Stored < b.Total:
		level = page.Info
	}
	shown := m.say(page.Toast{Level: level, Text: words + " (" + page.Uploads.String() + ")."}, false)
	if m.focused {
		return shown
	}
	m.uploading.done = words
	return tea.Batch(shown, signalEnd(m.o.Signal, words))
}

// describeBatch says how a batch ended.
func describeBatch(b session.Batch) string {
	switch {
	case b.Failed > 0:
		return text.Count(b.Failed) + " of " + text.Plural(b.Total, "upload") + " failed"
	case b.Stored < b.Total:
		words := text.Count(b.Stored) + " of " + text.Plural(b.Total, "upload") + " stored"
		return words + text.If(b.Processing > 0, ", "+text.Count(b.Processing)+" processing")
	}
	return text.Plural(b.Total, "upload") + " stored"
}

// title returns the window title.
func (m *Model) title() string {
	var words []string
	add := func(n int, word, rest string) {
		if n > 0 {
			words = append(words, text.Plural(n, word)+rest)
		}
	}
	add(m.uploading.Open, "upload", "")
	add(m.runs.pending, "run", " pending")
	for _, done := range []string{m.uploading.done, m.runs.done} {
		if done != "" {
			words = append(words, done)
		}
	}
	if len(words) == 0 {
		return "mediadesk"
	}
	return "mediadesk: " + strings.Join(words, " · ")
}
