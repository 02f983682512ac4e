package edit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Work is an operation on files in the background.
type Work struct {
	// Label names the running work, such as "Moving".
	Label string
	// Done describes the result in a sentence if nothing failed.
	Done string
	// Merged describes a file that has no record afterwards; empty if it was deleted.
	Merged string
	// Files are the affected files; none for a folder.
	Files []api.File
	// Do does the work, counts results in t and returns them in the order of Files.
	Do func(ctx context.Context, t *Task) []session.Edited
	// Then replaces the usual message; may be nil.
	Then func(list []session.Edited, at time.Time) tea.Cmd
	// Taken asks for another name of a single file if the service has a file of that name; may be nil.
	Taken func() tea.Cmd
}

// Task is running work. The working goroutine writes the counters; ticks read them.
type Task struct {
	label               string
	total               int
	done, failed, bytes atomic.Int64
	cancel              context.CancelFunc
}

// Count counts a result.
func (t *Task) Count(e session.Edited) {
	if e.Err != nil {
		t.failed.Add(1)
	}
	t.done.Add(1)
}

// Received counts bytes.
func (t *Task) Received(n int64) { t.bytes.Add(n) }

// String describes the progress.
func (t *Task) String() string {
	words := t.label
	if t.total > 1 {
		words += fmt.Sprintf(" %d of %d", t.done.Load(), t.total)
	}
	if n := t.bytes.Load(); n > 0 {
		words += ", " + text.Bytes(n)
	}
	if n := t.failed.Load(); n > 0 && t.total > 1 {
		words += fmt.Sprintf(", %d failed", n)
	}
	return words + "…"
}

const taskInterval = 100 * time.Millisecond

// tick redraws the progress of a task until it ends.
func (g *Manage) tick(t *Task) tea.Cmd {
	return page.After(taskInterval, page.Then(func() tea.Cmd {
		if t != g.task {
			return nil
		}
		return g.tick(t)
	}))
}

// Run does work in the background, unless other work is running.
func (g *Manage) Run(w Work) tea.Cmd {
	if reason := g.Busy(); reason != "" {
		return page.Tell(page.Info, text.Sentence(reason))
	}
	ctx, cancel := context.WithCancel(g.Context)
	t := &Task{label: w.Label, total: len(w.Files), cancel: cancel}
	g.task = t
	now := g.Now
	return tea.Batch(g.tick(t), func() tea.Msg {
		list, at := w.Do(ctx, t), now()
		return page.Then(func() tea.Cmd {
			cancel()
			g.task = nil
			if w.Then != nil {
				return w.Then(list, at)
			}
			if w.Taken != nil {
				if answer, ok := errors.AsType[*api.ServiceError](list[0].Err); ok && answer.Status == http.StatusConflict {
					return w.Taken()
				}
			}
			cmd, _ := g.took(list, at)
			return tea.Batch(cmd, announce(w.Files, list), page.Send(w.outcome(list)))
		})
	})
}

// Busy returns why no work can start, or "".
func (g *Manage) Busy() string {
	return text.If(g.task != nil, "another change or download is running")
}

// Stop stops the running task before the next file.
func (g *Manage) Stop() { g.task.cancel() }

// Progress describes the running task; empty if none.
func (g *Manage) Progress() string {
	if g.task == nil {
		return ""
	}
	return g.task.String()
}

func (g *Manage) took(list []session.Edited, at time.Time) (cmd tea.Cmd, what string) {
	if g.Took == nil {
		return nil, ""
	}
	return g.Took(list, at)
}

func announce(files []api.File, list []session.Edited) tea.Cmd {
	var cmds []tea.Cmd
	for i, e := range list {
		switch {
		case e.Err != nil || e.File != nil && e.File.IsFolder():
		case e.File != nil:
			cmds = append(cmds, page.Send(page.FileChanged{File: *e.File}))
		case i < len(files):
			cmds = append(cmds, page.Send(page.FileGone{FileID: files[i].FileID}))
		}
	}
	return tea.Batch(cmds...)
}

// outcome describes the result: for several files how many failed, with reasons in the detail.
func (w *Work) outcome(list []session.Edited) tea.Msg {
	var bad []string
	good, stopped, merged := 0, 0, 0
	for i, e := range list {
		switch {
		case errors.Is(e.Err, context.Canceled):
			stopped++
		case e.Err != nil && i < len(w.Files):
			bad = append(bad, Label(&w.Files[i])+": "+page.Explain(e.Err))
		case e.Err != nil:
			bad = append(bad, page.Explain(e.Err))
		default:
			good++
			if e.File == nil {
				merged++
			}
		}
	}
	if len(bad) == 1 && len(list) == 1 {
		return page.Toast{Level: page.Bad, Text: bad[0]}
	}
	done := page.Toast{Level: page.Good, Text: w.Done}
	if merged > 0 && w.Merged != "" {
		done.Level, done.Text = page.Warn, done.Text+" "+text.Plural(merged, "file")+" "+w.Merged
	}
	if len(bad)+stopped > 0 {
		done.Level, done.Detail = page.Warn, strings.Join(bad, "\n")
		done.Text = fmt.Sprintf("%s: %d of %d done", w.Label, good, len(list))
		if len(bad) > 0 {
			done.Text += fmt.Sprintf(", %d failed", len(bad))
		}
		if stopped > 0 {
			done.Text += fmt.Sprintf(", stopped before %d", stopped)
		}
		done.Text += "."
	}
	return done
}

// Replay undoes or redoes the newest change of a file, or of all if fileID is empty.
func (g *Manage) Replay(fileID string, redo bool, policy session.Policy) tea.Cmd {
	label, verb, past, do := "Undoing the last change", "undo", "Undid", g.Session.Undo
	if redo {
		label, verb, past, do = "Redoing the last undone change", "redo", "Redid", g.Session.Redo
	}
	var failed error
	return g.Run(Work{Label: label, Do: func(ctx context.Context, _ *Task) (list []session.Edited) {
		list, failed = do(ctx, fileID, policy)
		return list
	}, Then: func(list []session.Edited, at time.Time) tea.Cmd {
		var conflict *session.ConflictError
		switch {
		case errors.As(failed, &conflict):
			return askConflict(verb, conflict, func(policy session.Policy) tea.Cmd {
				return g.Replay(fileID, redo, policy)
			})
		case failed != nil:
			return page.Send(page.Problem(failed))
		case len(list) == 0:
			return page.Tell(page.Info, "Nothing more to "+verb+".")
		}
		cmd, what := g.took(list, at)
		return tea.Batch(cmd, announce(nil, list), page.Send(Summary(past+" the change to", list, what, "")))
	}})
}

// maxDetail limits the length of a detail within a toast.
const maxDetail = 90

// Summary describes a change: of one file what changed, of several how many, with failures in the
// detail. Without failures, a hint follows.
func Summary(verb string, list []session.Edited, what, hint string) page.Toast {
	var good, bad []string
	for _, e := range list {
		name := e.FileID
		if e.File != nil {
			name = Label(e.File)
		}
		if e.Err != nil {
			bad = append(bad, name+": "+page.Explain(e.Err))
		} else {
			good = append(good, name)
		}
	}
	words := verb + " " + text.Plural(len(good), "file")
	done := page.Toast{Level: page.Good, Text: words + "." + hint, Detail: strings.Join(good, "\n")}
	switch {
	case len(bad) > 0:
		done.Level, done.Detail = page.Warn, strings.Join(bad, "\n")
		done.Text = text.If(len(good) > 0, words+"; ") + text.Plural(len(bad), "file") + " failed."
	case len(good) == 1:
		done.Text, done.Detail = verb+" "+good[0]+"."+hint, what
		if what != "" && len(what) <= maxDetail {
			done.Text, done.Detail = done.Text+" "+text.Capital(what)+".", ""
		}
	}
	return done
}

// Label returns the name of a file or folder for sentences.
func Label(f *api.File) string {
	switch {
	case f.IsFolder():
		return "the folder " + f.FolderPath
	case f.Name != "":
		return f.Name
	case f.FilePath != "":
		return f.FilePath
	}
	return f.FileID
}

const maxNamed = 5

// askConflict asks what to do about changes by others; again repeats the undo or redo (verb) with
// the chosen policy.
func askConflict(verb string, found *session.ConflictError, again func(session.Policy) tea.Cmd) tea.Cmd {
	var lines []string
	for i, c := range found.Conflicts {
		if i == maxNamed {
			lines = append(lines, fmt.Sprintf("and %d more", len(found.Conflicts)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("%s: %s was %s and is %s now", c.Name, c.Field, cmp.Or(c.Left, "not set"), cmp.Or(c.Now, "not set")))
	}
	verb = text.Capital(verb)
	with := func(policy session.Policy) func() tea.Cmd { return func() tea.Cmd { return again(policy) } }
	return page.Confirm("Changed by others since", strings.Join(lines, "\n"),
		page.Choice{Label: "Cancel", Key: "l"},
		page.Choice{Label: verb + " the rest", Key: "t", Do: with(session.Theirs)},
		page.Choice{Label: verb + " everything", Key: "u", Danger: true, Do: with(session.Ours)})
}

// Signer creates temporary public URLs of private files.
type Signer interface {
	Signed(f api.File, ttl time.Duration) (string, error)
}

const signedTTL = 24 * time.Hour

// Address returns the URL of a file, signed if it is private.
func Address(f api.File, s Signer) (string, error) {
	if f.IsPrivateFile.Or(false) && f.URL != "" {
		return s.Signed(f, signedTTL)
	}
	return f.URL, nil
}

// Copies adds the copyable values of files, one per file.
func Copies(to *page.Copies, files []api.File, s Signer) {
	for _, row := range []struct {
		key, label string
		of         func(f *api.File) string
	}{
		{"u", "URL", func(f *api.File) string { return f.URL }},
		{"i", "ID", func(f *api.File) string { return f.FileID }},
		{"p", "path", func(f *api.File) string { return f.FilePath }},
		{"m", "Markdown", rule.Markdown},
		{"t", "tags", func(f *api.File) string { return rule.JoinTags(f.Tags.Or(nil)) }},
		{"x", "region", func(f *api.File) string { return f.CustomCoordinates.Or("") }},
		{"s", "signed URL, valid for a day", func(f *api.File) string {
			if address, err := s.Signed(*f, signedTTL); err == nil && f.URL != "" {
				return address
			}
			return ""
		}},
		{"r", "record as JSON", func(f *api.File) string { return string(f.Raw) }},
	} {
		var lines []string
		for i := range files {
			if line := row.of(&files[i]); line != "" {
				lines = append(lines, line)
			}
		}
		if list := strings.Join(lines, "\n"); list != "" {
			what := row.label + text.If(len(lines) > 1, " of "+text.Plural(len(lines), "file"))
			to.AddCommand(row.key, row.label, list, page.Send(page.Copy{What: what, Text: list}))
		}
	}
}
