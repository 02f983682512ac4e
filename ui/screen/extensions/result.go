package extensions

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// enter shows the result of a run: the picture before beside the one after a background removal,
// else the picture of the file. Of other files it shows the history.
func (m *Model) enter() tea.Cmd {
	run, ok := m.current()
	if !ok {
		return nil
	}
	of := *run
	return func() tea.Msg {
		file := m.record(&of)
		return page.Then(func() tea.Cmd {
			switch {
			case m.Capturing(), m.Overlays().Top() != nil: // the user has moved on
				return nil
			case !file.IsImage() && of.Extension != rule.RemoveBackground:
				return m.openHistory(of)
			}
			return m.openResult(of)
		})
	}
}

// compares reports whether a run has a picture before and one after.
func compares(run *job.Run) bool {
	return run.Extension == rule.RemoveBackground && run.Status == api.StatusSuccess
}

// openResult opens a result. The user can step through all listed ones, and the cursor follows.
func (m *Model) openResult(first job.Run) tea.Cmd {
	var runs []job.Run
	for i := range m.list.Len() {
		e, _ := m.list.At(i)
		runs = append(runs, m.runs.all[e.Row])
	}
	at := slices.IndexFunc(runs, func(r job.Run) bool { return r.ID == first.ID })
	if at < 0 { // the list changed while its record was read
		return nil
	}
	var v *edit.Viewer
	o := edit.ViewerOptions{
		Context: m.o.Context, Draw: m.preview.Options(), Images: m.o.Loader.Images(), Len: len(runs), At: at, Now: m.o.Now,
		Note: func() string {
			found := cmp.Or(runs[at].Error, strings.Join(m.names(&runs[at]), ", "))
			return edit.LabelRun(&runs[at]) + text.If(found != "", ": "+found)
		},
		Subject: func(i int) edit.Subject {
			s := edit.Subject{Name: path.Base(m.fileOf(&runs[i]))}
			s.Path = func(ctx context.Context) (string, error) {
				return m.o.Session.Picture(ctx, m.record(&runs[i]))
			}
			return s
		},
		Before: func(i int) func(context.Context) (string, error) {
			return text.Either(compares(&runs[i]), edit.Fetched(m.o.Session.Before, runs[i]), nil)
		},
		Moved: func(i int) tea.Cmd {
			at = i
			m.list.Go(runs[i].ID)
			return nil
		},
		Actions: func() []kit.Action { return m.resultActions(runs[at], v.Close) },
	}
	v = edit.NewViewer(o)
	return tea.Batch(m.Open(v), v.Read())
}

// resultActions returns the actions of a result, whose viewer close closes.
func (m *Model) resultActions(run job.Run, close func() tea.Cmd) []kit.Action {
	history := kit.Action{ID: "extensions.history", Keys: kit.Bind("history", "", "w"), Group: groupRun}
	history.Footer, history.Do = true, func() tea.Cmd { return m.openHistory(run) }
	details := kit.Action{ID: "extensions.result-details", Keys: kit.Bind("details of the file", "", "i", "o"), Group: groupRun}
	details.Footer, details.Do = true, func() tea.Cmd { return tea.Batch(close(), m.inspect()) }
	runs := func() []job.Run { return []job.Run{run} }
	return []kit.Action{m.addTags("extensions.result-add-tags", runs, close), details, history}
}

func (m *Model) openHistory(run job.Run) tea.Cmd {
	return func() tea.Msg {
		events, err := m.o.Watch.History(m.o.Context, run.ID)
		if err != nil {
			return page.Problem(err)
		}
		title := edit.LabelRun(&run) + " on " + m.fileOf(&run)
		return page.Do(func() { m.Open(kit.NewReader(title, rawHistory(events))) })
	}
}

func rawHistory(events []job.RunEvent) string {
	if len(events) == 0 {
		return "No history."
	}
	var b strings.Builder
	for _, e := range events {
		from := map[string]string{job.FromAnswer: "the answer to the request", job.FromWebhook: "a webhook", job.FromDetails: "the record of the file"}
		fmt.Fprintf(&b, "%s  %s, says %s\n", e.At.Local().Format("15:04:05.000"), e.Status, cmp.Or(from[e.From], e.From))
		if !e.Applied {
			b.WriteString("ignored: it changed nothing\n")
		}
		if e.Times > 1 {
			fmt.Fprintf(&b, "received %d times, counted once\n", e.Times)
		}
		if e.From == job.FromWebhook && len(e.Raw) > 0 {
			var pretty bytes.Buffer
			if json.Indent(&pretty, e.Raw, "", "  ") != nil {
				pretty.Write(e.Raw)
			}
			b.WriteString(pretty.String() + "\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}
