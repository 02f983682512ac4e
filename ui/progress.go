package ui

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/queue"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// runCounts counts the runs of a period in which at least one is pending.
type runCounts struct {
	known   bool      // the first count has been made
	newest  time.Time // start of the newest run in it and later counts
	began   time.Time // start of the oldest run of the period; zero: none pending
	pending int
	message page.Toast // about its end
	only    string     // the extension, if all that are done are of one
}

func (m *Model) countRuns() tea.Cmd {
	ctx, d := m.ctx, m.session // the profile may change before the command runs
	return func() tea.Msg {
		runs, err := d.Watch.Runs(ctx)
		if err != nil {
			return m.then(d, func() tea.Cmd { return page.Send(page.Problem(err)) })
		}
		return m.then(d, func() tea.Cmd { return m.counted(runs) })
	}
}

// count updates the period. At its end, it returns how many extensions ended in it.
func (w *runCounts) count(runs []job.Run) (success, failed int, ended bool) {
	oldest, newest := time.Time{}, w.newest
	w.pending = 0
	for i := range runs {
		run := &runs[i]
		// A short run can begin and end between two counts.
		counts := w.known && run.Started.After(w.newest) && !run.Started.Equal(run.At)
		if !run.Status.Final() {
			counts = true
			w.pending++
		}
		if counts && (oldest.IsZero() || run.Started.Before(oldest)) {
			oldest = run.Started
		}
		if run.Started.After(newest) {
			newest = run.Started
		}
	}
	w.known, w.newest = true, newest
	if w.began = cmp.Or(w.began, oldest); w.began.IsZero() || w.pending > 0 {
		return 0, 0, false
	}
	for i := range runs {
		switch run := &runs[i]; {
		case run.At.Before(w.began) || run.Started.Equal(run.At):
			// Over before, or within its request.
		case run.Status == api.StatusFailed:
			failed++
		default:
			label := edit.LabelRun(run)
			w.only = text.If(success == 0 || label == w.only, label)
			success++
		}
	}
	w.began = time.Time{}
	return success, failed, true
}

// counted updates the period. At its end, it says so, to an absent user also with the bell.
func (m *Model) counted(runs []job.Run) tea.Cmd {
	success, failed, ended := m.runs.count(runs)
	if !ended {
		if m.runs.pending > 0 {
			m.messages.Retract(m.runs.message) // more were requested
		}
		return nil
	}
	words, level := text.Plural(success, "extension")+" done", page.Good
	if only := m.runs.only; only != "" {
		words = "“" + only + "” is done for " + text.Plural(success, "file")
	}
	switch {
	case success == 0 && failed > 0:
		words, level = text.Plural(failed, "extension")+" failed", page.Warn
	case failed > 0:
		words, level = words+", "+text.Count(failed)+" failed", page.Warn
	}
	if m.focused && m.host.Front() == page.Extensions {
		return nil
	}
	words += ". Press " + page.Extensions.Key + " to see " + text.Either(success+failed == 1, "it.", "them.")
	m.runs.message = page.Toast{Level: level, Text: words}
	return tea.Batch(m.say(m.runs.message), text.Either(m.focused, nil, tea.Raw(bell)))
}

// bell rings the bell of the terminal for a user who is elsewhere.
const bell = "\a"

// uploading is the queue's state for the top line, the title and the messages.
type uploading struct {
	queue.Counts
	seen    time.Time  // when the user last saw the uploads
	started bool       // the first count has been made
	message page.Toast // about the last end
}

// countJobs counts the jobs, which is cheap even for 100,000.
func (m *Model) countJobs() tea.Cmd {
	return m.jobsCounted(m.session.Queue.Counts(m.uploading.seen), m.session.Queue.EndedBatches())
}

// jobsCounted stores a count. It reports what has ended since, or what continues from an earlier
// run.
func (m *Model) jobsCounted(counts queue.Counts, ended []queue.Batch) tea.Cmd {
	u := &m.uploading
	u.Counts = counts
	var cmds []tea.Cmd
	if !u.started && u.Open > 0 {
		words := text.Plural(u.Open, "upload") + text.Either(u.Open == 1, " continues (", " continue (")
		cmds = append(cmds, m.say(page.Toast{Level: page.Info, Text: words + page.Uploads.String() + ")."}))
	}
	u.started = true
	m.markUploadsSeen()
	return tea.Batch(append(cmds, rule.Mapped(ended, m.batchEnded)...)...)
}

// markUploadsSeen records when the user sees the uploads.
func (m *Model) markUploadsSeen() {
	if m.focused && m.host.Front() == page.Uploads {
		m.uploading.seen, m.uploading.Failed = m.o.Now(), 0
		m.messages.Retract(m.uploading.message)
	}
}

// batchEnded reports the end of a batch unless the user sees the uploads. It signals an absent
// user.
func (m *Model) batchEnded(b queue.Batch) tea.Cmd {
	if b.Total == 0 || m.focused && m.host.Front() == page.Uploads {
		return nil
	}
	words, level := text.Plural(b.Total, "upload")+" stored", page.Good
	switch {
	case b.Failed > 0:
		words, level = text.Count(b.Failed)+" of "+text.Plural(b.Total, "upload")+" failed", page.Warn
	case b.Stored < b.Total:
		words, level = text.Count(b.Stored)+" of "+words, page.Info
		words += text.If(b.Processing > 0, ", "+text.Count(b.Processing)+" processing")
	}
	u := &m.uploading
	u.message = page.Toast{Level: level, Text: words + text.If(m.host.Front() != page.Uploads, " ("+page.Uploads.String()+")") + "."}
	return tea.Batch(m.say(u.message), text.Either(m.focused, nil, tea.Raw(bell)))
}

func (m *Model) title() string {
	var words []string
	add := func(n int, word, rest string) {
		if n > 0 {
			words = append(words, text.Plural(n, word)+rest)
		}
	}
	add(m.uploading.Open, "upload", "")
	add(m.runs.pending, "run", " pending")
	if len(words) == 0 {
		return "mediadesk"
	}
	return "mediadesk: " + strings.Join(words, " · ")
}
