package extensions

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/api/watch"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Groups of actions in the help.
const (
	groupRun  = "Run"
	groupView = "View"
)

func (m *Model) Actions() []kit.Action { return m.list.Actions(m.actions()) }

func (m *Model) Catalog() map[string][]kit.Action {
	parts := m.list.Catalog(m.actions())
	before := func(int) func(context.Context) (string, error) { return edit.Local("") }
	o := edit.ViewerOptions{Len: 1, Before: before}
	o.Actions = func() []kit.Action { return m.resultActions(job.Run{}, nil) }
	parts["result"] = edit.NewViewer(o).Actions()
	return parts
}

func (m *Model) Capturing() bool { return m.list.Capturing() }

func (m *Model) Type(msg tea.Msg) (tea.Cmd, bool) { return m.list.Type(msg) }

func (m *Model) actions() []kit.Action {
	next := m.runs.next()
	run, _ := m.current()
	words := text.Either(compares(run), "compare", "view")
	open := kit.Bind(words, "", "enter", "l", "right")
	grid := func() tea.Cmd { m.toggled = true; return m.sheet.Toggle() }
	var moves []kit.Action
	if m.sheet.On { // the arrows move among the tiles
		open, moves = kit.Bind(words, "", "enter"), m.sheet.Actions("extensions")
	}
	if m.runs.read && len(m.runs.all) == 0 {
		moves = append(moves, page.Go(groupRun, "pick files", page.Picker))
	}
	return append([]kit.Action{
		m.addTags("extensions.add-tags", m.chosen, nil),
		{ID: "extensions.result", Keys: open, Group: groupRun, Footer: true, Disabled: m.list.NoRow, Do: m.enter},
		{ID: "extensions.run-again", Keys: kit.Bind("run again", "", "r"), Group: groupRun, Footer: run.Status == api.StatusFailed, Disabled: m.noAgain, Do: func() tea.Cmd { return m.askAgain(m.againOf()) }},
		{ID: "extensions.rerun-failed", Keys: kit.Bind("run all failed again", "", "R"), Group: groupRun, Footer: m.runs.failed > 0, Main: run.Status == api.StatusFailed, Disabled: func() string { return text.If(len(m.failedNow()) == 0, "no failed run can be requested again") }, Do: func() tea.Cmd { return m.askAgain(m.failedNow()) }},
		{ID: "extensions.status-filter", Keys: kit.Bind("show "+statusNames[next], "", "f"), Group: groupView, Footer: next != m.runs.status, Disabled: func() string { return text.If(m.runs.next() == m.runs.status, "no run is pending or failed") }, Do: func() tea.Cmd { m.runs.status = next; m.list.Arrange(); return nil }},
		{ID: "extensions.grid", Keys: kit.Bind(text.Either(m.sheet.On, "list", "contact sheet"), "", "t"), Group: groupView, Footer: true, Disabled: m.list.NoRow, Do: grid},
		{ID: "extensions.details", Keys: kit.Bind("details of the file", "", "i", "o"), Group: groupRun, Footer: true, Disabled: m.list.NoRow, Do: m.inspect},
		{ID: "extensions.run-extension", Keys: kit.Bind("run another extension", "", "x"), Group: groupRun, Disabled: m.list.NoRow, Do: m.extend},
		{ID: "extensions.copy", Keys: kit.Bind("copy", "", "y"), Group: groupRun, Footer: true, Disabled: m.list.NoRow, Do: m.findCopies},
	}, moves...)
}

func (m *Model) inspect() tea.Cmd {
	run, _ := m.current()
	of := *run
	return func() tea.Msg { return page.Inspect{Files: []api.File{m.record(&of)}} }
}

// addTags is the action that opens the details of files with what extensions found added to their
// tags, not yet saved. leave is run first; it may be nil.
func (m *Model) addTags(id string, of func() []job.Run, leave func() tea.Cmd) kit.Action {
	found := func() bool {
		return slices.ContainsFunc(of(), func(run job.Run) bool {
			fresh := func(t api.AITag) bool { return !slices.Contains(m.file(&run).Tags.Or(nil), t.Name) }
			return slices.ContainsFunc(m.foundTags(&run), fresh)
		})
	}
	a := kit.Action{ID: id, Keys: kit.Bind(text.Either(leave == nil, "add the AI tags as tags", "add these tags"), "", "a"), Group: groupRun}
	a.Footer, a.Main = found(), m.runs.failed == 0
	a.Disabled = func() string { return text.If(!found(), "no extension found other tags in it") }
	a.Do = func() tea.Cmd {
		runs := of()
		open := func() tea.Msg {
			var files []api.File
			for _, run := range runs {
				file := m.record(&run)
				known := slices.ContainsFunc(files, func(f api.File) bool { return f.FileID == run.FileID })
				if len(m.foundTags(&run)) > 0 && !known {
					files = append(files, file)
				}
			}
			return page.Inspect{Files: files, AddTags: true}
		}
		if leave != nil {
			return tea.Batch(leave(), open)
		}
		return open
	}
	return a
}

func (m *Model) extend() tea.Cmd {
	run, _ := m.current()
	of := *run
	return func() tea.Msg {
		file := m.record(&of)
		return page.Then(func() tea.Cmd { return m.manage.Extend([]api.File{file}) })
	}
}

func (m *Model) widen(try bool) bool {
	narrow := m.runs.status != every
	if narrow && !try {
		m.runs.status = every
		m.list.Arrange()
	}
	return narrow
}

// findCopies finds copyable values; the file's URL is in its record.
func (m *Model) findCopies() tea.Cmd {
	run, _ := m.current()
	known := *run
	return func() tea.Msg {
		var copies page.Copies
		copies.Add("u", "URL", m.record(&known).URL)
		copies.Add("i", "file id", known.FileID)
		copies.Add("p", "path", known.FilePath)
		copies.Add("x", "extension", known.Extension)
		copies.Add("e", "error", known.Error)
		return page.Do(func() {
			if !m.Capturing() { // otherwise the user has moved on
				m.Open(copies.Menu(path.Base(known.FilePath)))
			}
		})
	}
}

func (m *Model) askAgain(runs []job.Run) tea.Cmd {
	title := "Run " + text.Plural(len(runs), "extension") + " again?"
	words := "Each is a new request to the service, with the same options."
	succeeded := slices.ContainsFunc(runs, func(r job.Run) bool { return r.Status == api.StatusSuccess })
	if len(runs) == 1 {
		title = "Run " + edit.LabelRun(&runs[0]) + " again?"
		words = text.If(succeeded, "It has already succeeded. ") +
			"This is a new request to the service, for " + m.fileOf(&runs[0]) + ", with the same options."
	}
	return page.Confirm(title, words,
		page.Choice{Label: "Cancel", Key: "l"},
		page.Choice{
			Label: "Run again", Key: "r", Default: !succeeded,
			Do: func() tea.Cmd { return m.rerun(runs) },
		})
}

func (m *Model) rerun(runs []job.Run) tea.Cmd {
	m.list.Unmark(nil)
	return func() tea.Msg {
		done := page.Toast{Level: page.Good, Text: "Requested " + text.Plural(len(runs), "extension") + " again."}
		for _, run := range runs {
			file, err := m.o.Session.Extend(m.o.Context, run.FileID, []api.Extension{*run.Requested})
			if err != nil {
				if job.OutcomeOf(err) == job.Unknown {
					err = fmt.Errorf("no answer came, it may be running: %w", err)
				}
				return page.Problem(fmt.Errorf("%s: %w", m.fileOf(&run), err))
			}
			if status, ok := file.ExtensionStatus[run.Extension]; ok && len(runs) == 1 {
				done.Level = text.Either(status == api.StatusFailed, page.Bad, page.Good)
				done.Text = text.Capital(edit.LabelRun(&run)) + " was requested for " + m.fileOf(&run) + "."
			}
		}
		return done
	}
}

func (m *Model) chosen() []job.Run {
	return rule.Mapped(m.list.Chosen(), func(n int) job.Run { return m.runs.all[n] })
}

// againOf returns the chosen runs that can be requested again.
func (m *Model) againOf() []job.Run {
	return slices.DeleteFunc(m.chosen(), func(run job.Run) bool { return m.fixed(&run) != "" })
}

// failedNow returns the failed runs that can be requested again, one for each file and extension:
// the newest counts.
func (m *Model) failedNow() (runs []job.Run) {
	newest := map[[2]string]int{}
	for i := range m.runs.all {
		newest[[2]string{m.runs.all[i].FileID, m.runs.all[i].Extension}] = i
	}
	for _, i := range slices.Sorted(maps.Values(newest)) {
		if run := &m.runs.all[i]; run.Status == api.StatusFailed && m.fixed(run) == "" {
			runs = append(runs, *run)
		}
	}
	return runs
}

// fixed returns why a run cannot be requested again, or "".
func (m *Model) fixed(run *job.Run) string {
	switch {
	case run.Requested == nil:
		return "its options are unknown: it was requested elsewhere. Use x to run it with other options"
	case !run.Status.Final() && m.o.Now().Sub(run.Started) < watch.HookTTL:
		return "it is still pending: a second request may run it twice"
	}
	return ""
}

func (m *Model) noAgain() string {
	run, ok := m.current()
	switch {
	case len(m.list.Marks()) > 0:
		return text.If(len(m.againOf()) == 0, "none of the marked runs can be requested again")
	case !ok:
		return m.list.NoRow()
	}
	return m.fixed(run)
}

// Commands returns the command that watches the current run's file, or all pending runs.
func (m *Model) Commands() [][]string {
	if r, ok := m.current(); ok {
		return [][]string{session.Command("watch", []string{r.FileID})}
	}
	return [][]string{{"watch"}}
}
