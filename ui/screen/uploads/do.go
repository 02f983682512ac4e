package uploads

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// hasDetails reports whether the job has a stored file to show.
func hasDetails(job *api.Job) bool { return job.State == api.Stored && job.File != nil }

// enter folds a batch, shows the stored file, or shows the job's details.
func (m *Model) enter() tea.Cmd {
	if m.list.Fold() {
		return nil
	}
	if r, ok := m.current(); ok && hasDetails(r.Job) {
		return m.inspect(r.Job)
	}
	m.list.OpenPane()
	return nil
}

// inspect shows the details of a stored file. It prefers the file's last known record, which may be newer than
// the response to the upload.
func (m *Model) inspect(job *api.Job) tea.Cmd {
	s, ctx := m.o.Session, m.o.Context
	return func() tea.Msg {
		seen, ok, err := s.LastSeen(ctx, job.File.FileID)
		if err != nil || !ok {
			seen.File = *job.File // fall back to the response
		}
		return page.Inspect{Files: []api.File{seen.File}}
	}
}

// done refreshes the list after an action and shows an error.
func (m *Model) done(err error) tea.Cmd {
	m.refresh()
	if err == nil {
		return nil
	}
	var state *session.StateError
	if errors.As(err, &state) {
		// The job moved on before the key press.
		return toast("Too late: it is " + string(state.State) + ".")
	}
	return page.Send(page.Problem(err))
}

// pause pauses the jobs, or resumes them if all are paused.
func (m *Model) pause(rows []row) tea.Cmd {
	do := m.o.Queue.Continue
	if slices.ContainsFunc(rows, func(r row) bool { return !r.Paused }) {
		do = m.o.Queue.Pause
	}
	return m.each(rows, do)
}

// each calls do for each job and reports the first error.
func (m *Model) each(rows []row, do func(id int64) error) tea.Cmd {
	var first error
	for _, r := range rows {
		first = cmp.Or(first, do(r.Job.ID))
	}
	return m.done(first)
}

// placed reports that reorder finished.
type placed struct{ err error }

// reorder moves waiting jobs in the queue.
func (m *Model) reorder(rows []row, move func(context.Context, int64) error) tea.Cmd {
	ctx := m.o.Context
	return func() tea.Msg {
		var first error
		for _, r := range rows {
			first = cmp.Or(first, move(ctx, r.Job.ID))
		}
		return placed{first}
	}
}

// check asks the service about a job whose outcome is unknown.
func (m *Model) check() tea.Cmd {
	r, _ := m.current()
	m.list.Hold()
	ctx, id := m.o.Context, r.Job.ID
	return func() tea.Msg { return retried{err: m.o.Queue.Check(ctx, id)} }
}

func (m *Model) pauseAll() tea.Cmd {
	if t := m.rows.totals; t.Paused == t.Waiting+t.Offline+t.Sending {
		m.o.Queue.ContinueAll()
	} else {
		m.o.Queue.PauseAll()
	}
	return m.done(nil)
}

// cancel cancels jobs. It asks first if one is being sent.
func (m *Model) cancel(rows []row) tea.Cmd {
	sending := 0
	var last row
	for _, r := range rows {
		if r.Job.State == api.Sending {
			sending, last = sending+1, r
		}
	}
	if sending == 0 {
		return m.cancelJobs(rows)
	}
	title, words := "Cancel this upload?", text.Bytes(last.Sent)+" of "+text.Bytes(last.Total)+" were sent."
	if last.Answer {
		words = "All of it was sent, so it may be stored already. mediadesk then shows it as stored, or as unknown if the service does not say."
	}
	words = text.Safe(name(last.Job)) + ": " + words
	if len(rows) > 1 {
		title = "Cancel " + text.Plural(len(rows), "upload") + "?"
		words = text.Count(sending) + " of them are being sent. Those that were sent completely may be stored already."
	}
	return page.Send(page.Ask{
		Title: title,
		Text:  words,
		Choices: []page.Choice{
			{Label: "Go on sending", Key: "g"},
			{Label: "Cancel", Key: "c", Danger: true, Do: func() tea.Cmd { return m.cancelJobs(rows) }},
		},
	})
}

func (m *Model) cancelJobs(rows []row) tea.Cmd {
	m.list.Unmark()
	return m.each(rows, m.o.Queue.Cancel)
}

// compose reopens the upload form with jobs that were not stored, so that the user can fix them.
func compose(rows []row) tea.Cmd {
	jobs := make([]api.Job, len(rows))
	for i, r := range rows {
		jobs[i] = *r.Job
	}
	return page.Send(page.Compose{Jobs: jobs})
}

// retry sends jobs again. It asks before it sends a single job that could be stored twice, and skips such jobs
// in a selection.
func (m *Model) retry(rows []row) tea.Cmd {
	all := len(rows)
	if r := rows[0]; all == 1 && r.storesTwice() {
		return page.Send(page.Ask{
			Title: "Send it again?",
			Text:  text.Safe(name(r.Job)) + " may have arrived. If you send it again, it may be stored twice, because the service makes its name. Look in the library first.",
			Choices: []page.Choice{
				{Label: "Leave it", Key: "l"},
				{Label: "Send again", Key: "s", Danger: true, Do: func() tea.Cmd { return m.retryJobs(rows, retried{}) }},
			},
		})
	}
	rows = slices.DeleteFunc(rows, row.storesTwice)
	return m.retryJobs(rows, retried{say: all > 1, ambiguous: all - len(rows)})
}

// storesTwice reports whether sending the job again could store it twice.
func (r row) storesTwice() bool { return !r.Job.MayRepeat() }

// retried reports the result of a retry. The jobs are in the journal by then.
type retried struct {
	say       bool // show the number
	count     int
	ambiguous int // uploads that could be stored twice
	err       error
}

func (m *Model) retryJobs(rows []row, done retried) tea.Cmd {
	m.list.Unmark()
	ctx, ids := m.o.Context, make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.Job.ID
	}
	return func() tea.Msg {
		if len(ids) > 0 {
			_, done.err = m.o.Queue.Retry(ctx, ids)
			done.count = len(ids)
		}
		return done
	}
}

// retryAll resends all failed jobs that cannot be stored twice, including jobs of earlier runs.
func (m *Model) retryAll() tea.Cmd {
	ctx := m.o.Context
	return func() tea.Msg {
		jobs, ambiguous, err := m.o.Queue.RetryFailed(ctx)
		return retried{say: true, count: len(jobs), ambiguous: ambiguous, err: err}
	}
}

func (m *Model) retried(msg retried) tea.Cmd {
	cmd := m.done(msg.err)
	if !msg.say || msg.err != nil {
		return cmd
	}
	var words []string
	if msg.count > 0 {
		words = append(words, "Sending "+text.Plural(msg.count, "upload")+" again.")
	}
	if msg.ambiguous > 0 {
		words = append(words, text.Plural(msg.ambiguous, "upload")+" of unknown outcome could be stored twice: decide about each with r.")
	}
	if len(words) == 0 {
		words = []string{"No failed uploads."}
	}
	return tea.Batch(cmd, toast(strings.Join(words, " ")))
}

// remove takes jobs off the list. The service and the journal keep their data.
func (m *Model) remove(rows []row) tea.Cmd {
	var gone []api.Job
	var first error
	for _, r := range rows {
		switch {
		case !r.earlier:
			if err := m.o.Queue.Remove(r.Job.ID); err != nil {
				first = cmp.Or(first, err)
				continue
			}
		case r.Job.Failed():
			m.o.Queue.Dismiss(*r.Job, true)
		}
		gone = append(gone, *r.Job)
	}
	at := m.list.Cursor()
	m.rows.remove(gone)
	m.list.Unmark()
	cmd := m.done(first)
	m.list.GoTo(at)
	return cmd
}

func (m *Model) removeStored() tea.Cmd {
	var gone []api.Job
	for i := range m.rows.live {
		if job := m.rows.live[i].Job; job.State == api.Stored && m.o.Queue.Remove(job.ID) == nil {
			gone = append(gone, *job)
		}
	}
	m.rows.remove(gone)
	return tea.Batch(m.done(nil), toast("Removed "+text.Plural(len(gone), "stored file")+" from the list. The library keeps them."))
}

func (m *Model) restore() tea.Cmd {
	jobs := m.rows.restore()
	for _, job := range jobs {
		if job.Failed() {
			m.o.Queue.Dismiss(job, false)
		}
	}
	m.list.Arrange()
	m.list.Go(jobs[0].ID)
	return nil
}

func (m *Model) browse() tea.Cmd {
	r, _ := m.current()
	return page.Send(page.Open{Address: r.Job.File.URL})
}

func toast(words string) tea.Cmd { return page.Send(page.Toast{Level: page.Info, Text: words}) }
