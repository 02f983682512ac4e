package uploads

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/job"
	"mediadesk/api/queue"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Action groups in the help.
const (
	groupJob = "Upload"
	groupAll = "All uploads"
)

// Actions returns the actions of the focused part. Labels depend on the selection.
func (m *Model) Actions() []kit.Action { return m.list.Actions(m.actions()) }

func (m *Model) Catalog() map[string][]kit.Action { return m.list.Catalog(m.actions()) }

func (m *Model) Capturing() bool { return m.list.Capturing() }

func (m *Model) Type(msg tea.Msg) (tea.Cmd, bool) { return m.list.Type(msg) }

func (m *Model) actions() []kit.Action {
	enter, drop := "read the details", text.Either(m.busy(), "cancel or remove from the list", "remove from the list")
	r, ok := m.current()
	if !ok {
		enter = "fold or unfold"
	} else if drop = text.Either(mayStop(r) == "", "cancel", "remove from the list"); hasDetails(r.Job) {
		enter = "details"
	}
	action := func(id, words, key string, disabled func() string, do func() tea.Cmd) kit.Action {
		return kit.Action{
			ID: "uploads." + id, Keys: kit.Bind(words, "", key), Group: groupJob, Disabled: disabled, Do: do,
		}
	}
	undo := action("undo", "bring back what was removed", "z", func() string {
		return text.If(len(m.rows.removed) == 0, "nothing was removed from the list")
	}, m.restore)
	undo.Group = groupAll
	actions := []kit.Action{
		{ID: "uploads.open", Keys: kit.Bind(enter, "", "enter", "l", "right"), Group: groupJob, Disabled: m.list.NoEntry, Do: m.enter},
		m.many("retry", "send again", "r", mayRetry, m.retry),
		action("retry-all", "send all failed again", "R", func() string { return text.If(m.rows.failed == 0, "nothing failed") }, m.askRetryAll),
		m.many("edit", "change options", "e", mayRetry, func(rows []row) tea.Cmd {
			return page.Send(page.Compose{Jobs: rule.Mapped(rows, func(r row) job.Job { return *r.Job })})
		}),
		m.many("drop", drop, "d", func(r row) string {
			return text.If(!r.Job.State.Final() && !r.earlier, mayStop(r))
		}, m.drop),
		action("copy", "copy", "y", m.list.NoRow, m.openMenu),
	}
	c := count(m.rows.Totals.Count)
	all := c.total() > 0 && c[job.Stored] == c.total()
	for i := range actions {
		main := text.If(!all, "uploads.open")
		if !ok || failed(r.Job.State) {
			main = text.Either(ok && r.Job.State == job.Refused, "uploads.edit", "uploads.retry-all")
		}
		actions[i].Footer = i > 0 || !ok || hasDetails(r.Job) || !m.list.InPane() && !m.list.PaneWhole() // else it goes to the pane
		actions[i].Main = actions[i].ID == main
	}
	if all {
		see := page.Go(groupJob, "see them in the library", page.Library)
		see.Do = m.reveal
		actions = append(actions, see)
	} else if m.rows.read && m.rows.all == 0 {
		actions = append(actions, page.Go(groupJob, "pick files", page.Picker))
	}
	return append(
		actions,
		m.many("run-extension", "run an extension", "x", func(r row) string {
			return text.If(!hasDetails(r.Job), "it is not stored")
		}, func(rows []row) tea.Cmd {
			return m.manage.Extend(rule.Mapped(rows, func(r row) api.File { return *r.Job.File }))
		}),
		action("look-up", "check whether it arrived", "L", m.aboutRow(func(r row) string {
			known := r.Job.State != job.Unknown && r.Job.State != job.Processing
			return text.If(known, "its outcome is known, or to come")
		}), m.checkArrival),
		action("browse", "open in the browser", "o", m.aboutRow(func(r row) string {
			return text.If(r.Job.File == nil || r.Job.File.URL == "", "it has no URL")
		}), m.browse),
		undo,
	)
}

// many returns an action on the selected jobs: the marked ones, the job under the cursor, or a
// folder. may returns why the action is disabled for a job.
func (m *Model) many(id, words, key string, may func(row) string, do func([]row) tea.Cmd) kit.Action {
	return kit.Action{
		ID: "uploads." + id, Keys: kit.Bind(words, "", key), Group: groupJob,
		Disabled: func() string {
			switch e, ok := m.list.Current(); {
			case len(m.list.Marks()) > 0:
				return ""
			case !ok:
				return m.list.NoEntry()
			case !e.Head():
				return may(m.rows.row(e.Row))
			case !slices.ContainsFunc(e.Rows, func(n int) bool { return may(m.rows.row(n)) == "" }):
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
				return page.Tell(page.Info, text.Sentence(reason))
			}
			return do(rows)
		},
	}
}

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
	case r.Job.State == job.Stored:
		return "it is stored"
	case !r.Job.State.Final() && r.Job.State != job.Offline && r.Next.IsZero():
		return "it has no outcome yet"
	}
	return ""
}

func mayStop(r row) string {
	switch {
	case r.Job.State == job.Processing:
		return "the service has it"
	case r.Job.State.Final():
		return "this upload has ended: " + string(r.Job.State)
	case r.earlier:
		return "it is not in the queue of this program"
	}
	return ""
}

func hasDetails(j *job.Job) bool { return j.State == job.Stored && j.File != nil }

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

// reveal shows the folder under the cursor in the library, or the file in it.
func (m *Model) reveal() tea.Cmd {
	e, _ := m.list.Current()
	to := page.Reveal{Folder: cmp.Or(e.Key, "/")}
	if r, ok := m.current(); ok && hasDetails(r.Job) {
		to.FileID = r.Job.File.FileID
	}
	return page.Send(to)
}

// inspect shows the details of a stored file. It prefers the file's last known record, which may
// be newer than the response to the upload.
func (m *Model) inspect(j *job.Job) tea.Cmd {
	return func() tea.Msg {
		seen, ok, err := m.o.Session.LastSeen(m.o.Context, j.File.FileID)
		if err != nil || !ok {
			seen.File = *j.File // fall back to the response
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
	var state *queue.StateError
	if errors.As(err, &state) {
		// The job moved on before the key press.
		return page.Tell(page.Info, "Too late: it is "+string(state.State)+".")
	}
	return page.Send(page.Problem(err))
}

// drop cancels jobs without an outcome. If there are none, it takes jobs off the list.
func (m *Model) drop(rows []row) tea.Cmd {
	open := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return mayStop(r) != "" })
	if len(open) > 0 {
		return m.cancel(open)
	}
	return m.remove(rows)
}

func (m *Model) checkArrival() tea.Cmd {
	r, _ := m.current()
	m.list.Hold()
	ctx, id := m.o.Context, r.Job.ID
	return func() tea.Msg {
		err := m.o.Session.Queue.Check(ctx, id)
		return page.Then(func() tea.Cmd { return m.done(err) })
	}
}

// cancel cancels jobs. It asks first if one is being sent.
func (m *Model) cancel(rows []row) tea.Cmd {
	if !slices.ContainsFunc(rows, func(r row) bool { return r.Job.State == job.Sending }) {
		return m.cancelJobs(rows)
	}
	return page.Confirm("Cancel "+text.Plural(len(rows), "upload")+"?", "What was sent completely may be stored already.",
		page.Choice{Label: "Keep sending", Key: "g"},
		page.Choice{
			Label: "Cancel", Key: "c", Danger: true,
			Do: func() tea.Cmd { return m.cancelJobs(rows) },
		})
}

func (m *Model) cancelJobs(rows []row) tea.Cmd {
	m.list.Unmark(nil)
	var first error
	for _, r := range rows {
		first = cmp.Or(first, m.o.Session.Queue.Cancel(r.Job.ID))
	}
	return m.done(first)
}

// retry sends jobs again. It asks before it sends a single job that could be stored twice, and
// skips such jobs in a selection.
func (m *Model) retry(rows []row) tea.Cmd {
	all := len(rows)
	if r := rows[0]; all == 1 && r.storesTwice() {
		return page.Confirm("Send it again?",
			text.Safe(name(r.Job))+" may have arrived. If you send it again, it may be stored twice, because the service makes its name. Look in the library first.",
			page.Choice{Label: "Leave it", Key: "l"},
			page.Choice{
				Label: "Send again", Key: "s", Danger: true,
				Do: func() tea.Cmd { return m.retryJobs(rows, 0) },
			})
	}
	rows = slices.DeleteFunc(rows, row.storesTwice)
	return m.retryJobs(rows, all-len(rows))
}

func (r row) storesTwice() bool { return !r.Job.MayRepeat() }

// retryJobs sends jobs again, but not the ambiguous ones, which could be stored twice.
func (m *Model) retryJobs(rows []row, ambiguous int) tea.Cmd {
	m.list.Unmark(nil)
	ctx, ids := m.o.Context, rule.Mapped(rows, func(r row) int64 { return r.Job.ID })
	return func() tea.Msg {
		var err error
		if len(ids) > 0 {
			_, err = m.o.Session.Queue.Retry(ctx, ids)
		}
		return page.Then(func() tea.Cmd { return m.retried(len(ids), ambiguous, err) })
	}
}

// askRetryAll resends all failed jobs that cannot be stored twice. If some are of earlier starts,
// it says so first.
func (m *Model) askRetryAll() tea.Cmd {
	if m.rows.failedEarlier == 0 {
		return m.retryAll()
	}
	return page.Confirm("Send "+text.Plural(m.rows.failed, "failed upload")+" again?",
		text.Count(m.rows.failedEarlier)+" of them are of earlier starts of mediadesk.",
		page.Choice{Label: "Cancel", Key: "l"},
		page.Choice{Label: "Send again", Key: "s", Default: true, Do: m.retryAll})
}

func (m *Model) retryAll() tea.Cmd {
	return func() tea.Msg {
		jobs, ambiguous, err := m.o.Session.Queue.RetryFailed(m.o.Context)
		return page.Then(func() tea.Cmd { return m.retried(len(jobs), ambiguous, err) })
	}
}

func (m *Model) retried(count, ambiguous int, err error) tea.Cmd {
	if err != nil {
		return m.done(err)
	}
	m.refresh()
	var words []string
	if count > 0 {
		words = append(words, "Sending "+text.Plural(count, "upload")+" again.")
	}
	if ambiguous > 0 {
		words = append(words, text.Plural(ambiguous, "upload")+" of unknown outcome could be stored twice: decide about each with r.")
	}
	if len(words) == 0 {
		words = []string{"No failed uploads."}
	}
	return page.Tell(page.Info, strings.Join(words, " "))
}

func (m *Model) remove(rows []row) tea.Cmd {
	var gone []job.Job
	var first error
	for _, r := range rows {
		switch {
		case !r.earlier:
			if err := m.o.Session.Queue.Remove(r.Job.ID); err != nil {
				first = cmp.Or(first, err)
				continue
			}
		case r.Job.Failed():
			m.o.Session.Queue.Dismiss(*r.Job, true)
		}
		gone = append(gone, *r.Job)
	}
	at := m.list.Cursor()
	m.rows.remove(gone)
	m.list.Unmark(nil)
	cmd := m.done(first)
	m.list.GoTo(at)
	return cmd
}

func (m *Model) restore() tea.Cmd {
	jobs := m.rows.restore()
	for _, j := range jobs {
		if j.Failed() {
			m.o.Session.Queue.Dismiss(j, false)
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

func (m *Model) openMenu() tea.Cmd {
	r, _ := m.current()
	j, s := *r.Job, m.o.Session
	file, copies := cmp.Or(j.File, &api.File{}), page.Copies{}
	copies.Add("u", "URL", file.URL)
	copies.Add("i", "file id", file.FileID)
	copies.Add("p", "path", target(&j))
	copies.Add("m", "Markdown", rule.Markdown(file))
	copies.Add("s", "source", j.Upload.Source.String())
	if f := j.Failure; f != nil {
		copies.Add("e", "error", strings.TrimSpace(text.If(f.Status != 0, strconv.Itoa(f.Status))+" "+f.Message+"\n"+f.Help))
		copies.Add("r", "request id", f.RequestID)
	}
	copies.AddCommand("c", "curl command", "the request, with the key as a variable", func() tea.Msg {
		request := s.Client.DescribeUpload(&j.Upload)
		if request.Err != nil {
			return page.Problem(request.Err)
		}
		return page.Copy{What: "curl command", Text: request.Curl()}
	})
	return m.Open(copies.Menu(name(&j)))
}

// Commands returns the command that uploads the selected job's source again, or the command that
// resumes unfinished uploads.
func (m *Model) Commands() [][]string {
	if r, ok := m.current(); ok {
		j := *r.Job
		if j.Naming == job.NameHere {
			j.Naming = job.NameExact // the name already has its suffix
		}
		e := entry.Of(&j, true)
		return [][]string{session.UploadArgs(&e, m.o.Profile)}
	}
	return [][]string{{"resume"}}
}
