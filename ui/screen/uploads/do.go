package uploads

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// hasDetails reports whether a job has a file to be shown.
func hasDetails(job *api.Job) bool { return job.State == api.Stored && job.File != nil }

// enter shows the stored file, or all that is known of the job.
func (m *Model) enter() tea.Cmd {
	r, _ := m.current()
	if hasDetails(r.Job) {
		return m.inspect(r.Job)
	}
	m.open, m.focus = true, onPane
	m.pane.Reset()
	return nil
}

// inspect asks for the details of a stored file, with its record as last seen:
// the answer to the upload may be older.
func (m *Model) inspect(job *api.Job) tea.Cmd {
	s, ctx := m.o.Session, m.o.Context
	return func() tea.Msg {
		seen, ok, err := s.LastSeen(ctx, job.File.FileID)
		if err != nil || !ok {
			seen.File = *job.File // the answer is good enough
		}
		return page.Inspect{Files: []api.File{seen.File}}
	}
}

// done reads the queue again after an action, and tells what went wrong.
func (m *Model) done(err error) tea.Cmd {
	m.look()
	if err == nil {
		return nil
	}
	var state *session.StateError
	if errors.As(err, &state) {
		// It went on between the look and the key.
		return toast(page.Info, "Too late: it is "+string(state.State)+".")
	}
	return page.Send(page.Problem(err))
}

func (m *Model) pause() tea.Cmd {
	r, _ := m.current()
	m.moved = true
	if r.Paused {
		return m.done(m.o.Queue.Continue(r.Job.ID))
	}
	return m.done(m.o.Queue.Pause(r.Job.ID))
}

// placed is the answer to place.
type placed struct{ err error }

// place moves a job in the line of those that wait.
func (m *Model) place(move func(context.Context, int64) error) tea.Cmd {
	r, _ := m.current()
	m.moved = true
	ctx, id := m.o.Context, r.Job.ID
	return func() tea.Msg { return placed{move(ctx, id)} }
}

// lookAgain asks the service what became of a job whose outcome is unknown.
func (m *Model) lookAgain() tea.Cmd {
	r, _ := m.current()
	m.moved = true
	return m.done(m.o.Queue.Look(r.Job.ID))
}

func (m *Model) pauseAll() tea.Cmd {
	if t := m.rows.totals; t.Paused == t.Waiting+t.Sending {
		m.o.Queue.ContinueAll()
	} else {
		m.o.Queue.PauseAll()
	}
	return m.done(nil)
}

// cancel takes a job back; where bytes have gone out it asks first.
func (m *Model) cancel() tea.Cmd {
	r, _ := m.current()
	m.moved = true
	if r.Job.State != api.Sending {
		return m.cancelJob(r.Job)
	}
	words := text.Bytes(r.Sent) + " of " + text.Bytes(r.Total) + " have gone out."
	if r.Answer {
		words = "Everything has gone out: it may be stored already. If so, it is shown as stored, or as unknown where that cannot be found out."
	}
	return page.Send(page.Ask{
		Title: "Cancel this upload?",
		Text:  text.Safe(name(r.Job)) + ": " + words,
		Choices: []page.Choice{
			{Label: "Go on sending", Key: "g"},
			{Label: "Cancel the upload", Key: "c", Danger: true, Do: func() tea.Cmd { return m.cancelJob(r.Job) }},
		},
	})
}

func (m *Model) cancelJob(job *api.Job) tea.Cmd { return m.done(m.o.Queue.Cancel(job.ID)) }

// mend brings the upload form back as it was for a job that was not stored, so
// that what the service said can be mended.
func (m *Model) mend() tea.Cmd {
	r, _ := m.current()
	return page.Send(page.Compose{Jobs: []api.Job{*r.Job}})
}

// retry sends a job again; where that could store it twice it asks first.
func (m *Model) retry() tea.Cmd {
	r, _ := m.current()
	m.moved = true
	if r.Job.State != api.Unknown || r.Job.RepeatsSafely() {
		return m.retryJob(r.Job)
	}
	return page.Send(page.Ask{
		Title: "Send it again?",
		Text:  text.Safe(name(r.Job)) + " may have arrived. Sent again it may be stored twice, because the service decides about its name. Look in the library first.",
		Choices: []page.Choice{
			{Label: "Leave it", Key: "l"},
			{Label: "Send again", Key: "s", Danger: true, Do: func() tea.Cmd { return m.retryJob(r.Job) }},
		},
	})
}

func (m *Model) retryJob(job *api.Job) tea.Cmd {
	err := m.o.Queue.Retry(job.ID)
	if !errors.Is(err, session.ErrNoJob) {
		return m.done(err)
	}
	return m.resend(*job)
}

// resent is the answer to resend.
type resent struct {
	id  int64 // of the job that was sent again
	err error
}

// resend hands a job of a former run to the queue anew. It keeps its name and
// what is known of its attempts, so that it cannot be stored twice; where the
// service makes the name, that is what the person was asked about.
func (m *Model) resend(job api.Job) tea.Cmd {
	jobs, ctx, old := m.o.Queue, m.o.Context, job.ID
	if !job.RepeatsSafely() {
		job.Evidence = api.NotSent
	}
	job.ID, job.Failure, job.File = 0, nil, nil
	return func() tea.Msg {
		_, err := jobs.Add(ctx, []api.Job{job})
		return resent{old, err}
	}
}

// resent takes the old job off the list: the new one stands for it.
func (m *Model) resent(msg resent) tea.Cmd {
	if msg.err == nil {
		m.rows.gone[msg.id] = true
	}
	return m.done(msg.err)
}

// retryAll sends everything again that failed since the program was started
// and that cannot be stored twice.
func (m *Model) retryAll() tea.Cmd {
	var first error
	sent, left := 0, 0
	for i := range m.rows.live {
		switch job := m.rows.live[i].Job; {
		case !failed(job.State):
		case job.State == api.Unknown && !job.RepeatsSafely():
			left++
		default:
			if err := m.o.Queue.Retry(job.ID); err == nil {
				sent++
			} else if first == nil {
				first = err
			}
		}
	}
	var words []string
	if sent > 0 {
		words = append(words, "Sending "+text.Plural(sent, "upload")+" again.")
	}
	if left > 0 {
		words = append(words, text.Plural(left, "upload")+" of unknown outcome could be stored twice: decide about each with r.")
	}
	cmd := m.done(first)
	if len(words) > 0 {
		cmd = tea.Batch(cmd, toast(page.Info, strings.Join(words, " ")))
	}
	return cmd
}

// remove takes a row off the list. The service and the journal keep theirs.
func (m *Model) remove() tea.Cmd {
	r, _ := m.current()
	if !r.earlier {
		if err := m.o.Queue.Remove(r.Job.ID); err != nil {
			return m.done(err)
		}
	}
	at := m.list.Cursor()
	m.rows.remove(*r.Job)
	m.look()
	m.list.SetCursor(at)
	m.landed()
	return nil
}

func (m *Model) removeStored() tea.Cmd {
	count := 0
	for i := range m.rows.live {
		job := m.rows.live[i].Job
		if job.State == api.Stored && m.o.Queue.Remove(job.ID) == nil {
			m.rows.remove(*job)
			count++
		}
	}
	return tea.Batch(m.done(nil), toast(page.Info, "Took "+text.Plural(count, "stored file")+" off the list. The library has them."))
}

func (m *Model) restore() tea.Cmd {
	job, _ := m.rows.restore()
	m.arrange(0)
	if at := m.rows.find(job.ID); at >= 0 {
		m.list.SetCursor(at)
		m.landed()
	}
	return nil
}

func (m *Model) browse() tea.Cmd {
	r, _ := m.current()
	return page.Send(page.Open{Address: r.Job.File.URL})
}

func (m *Model) startFilter() tea.Cmd {
	m.focus = onFilter
	m.filter.Focus()
	return nil
}

func (m *Model) keepFilter() tea.Cmd {
	m.focus = onList
	m.filter.Blur()
	return nil
}

func (m *Model) clearFilter() tea.Cmd {
	m.change(func() { m.filter.SetValue("") })
	return m.keepFilter()
}

// turn goes to the next row that was found, round and round.
func (m *Model) turn(by int) tea.Cmd {
	n := m.list.Len()
	m.list.SetCursor((m.list.Cursor() + by + n) % n)
	m.landed()
	return nil
}

func (m *Model) nextPart() tea.Cmd {
	if m.focus == onPane {
		m.focus = onList
		return nil
	}
	m.open, m.focus = true, onPane
	return nil
}

// back is one step back: out of the pane, then out of the filter.
func (m *Model) back() tea.Cmd {
	switch {
	case m.focus == onPane || m.open:
		m.focus, m.open = onList, false
	default:
		return m.clearFilter()
	}
	return nil
}

func toast(level kit.Level, text string) tea.Cmd {
	return page.Send(page.Toast{Level: level, Text: text})
}
