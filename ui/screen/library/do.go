package library

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// work is a download or a change of files under way. The goroutine that works writes
// the counters, the clock reads them.
type work struct {
	label               string // "Downloading"
	total               int    // files; 0: it is about a folder
	done, failed, bytes atomic.Int64
	cancel              context.CancelFunc
}

func (w *work) String() string {
	words := w.label
	if w.total > 0 {
		words += fmt.Sprintf(" %d of %s", w.done.Load(), text.Plural(w.total, "file"))
	}
	if n := w.bytes.Load(); n > 0 {
		words += ", " + text.Bytes(n)
	}
	if n := w.failed.Load(); n > 0 {
		words += fmt.Sprintf(", %d failed", n)
	}
	return words + ". esc stops."
}

// count counts a result.
func (w *work) count(e session.Edited) {
	if e.Err != nil {
		w.failed.Add(1)
	}
	w.done.Add(1)
}

// begin starts work on so many files.
func (m *Model) begin(label string, total int) (*work, context.Context) {
	ctx, cancel := context.WithCancel(m.o.Context)
	m.work = &work{label: label, total: total, cancel: cancel}
	return m.work, ctx
}

// end ends it, and reports whether it was still under way.
func (m *Model) end(w *work) bool {
	if w != m.work {
		return false
	}
	w.cancel()
	m.work = nil
	return true
}

type (
	// workTicked is the clock of work.
	workTicked struct{ of *work }
	// downloadedMsg has the result of a download.
	downloadedMsg struct {
		of     *work
		folder string
		good   []string
		bad    []string
	}
)

// askDownload asks for the folder.
func (m *Model) askDownload() tea.Cmd {
	files := m.chosen()
	what := text.Plural(len(files), "file")
	if len(files) == 1 {
		what = files[0].Name
	}
	p := kit.NewPrompt("Download "+what, "Type a folder of this computer. Existing files are never overwritten.", m.o.Downloads, "")
	p.Verb = "download"
	p.Check = func(text string) string {
		if strings.TrimSpace(text) == "" {
			return "Type a folder of this computer."
		}
		return ""
	}
	p.Do = func(folder string) tea.Cmd { return m.startDownload(files, strings.TrimSpace(folder)) }
	return m.Open(p)
}

func (m *Model) startDownload(files []api.File, folder string) tea.Cmd {
	d, ctx := m.begin("Downloading", len(files))
	s := m.o.Session
	return tea.Batch(d.tick(), func() tea.Msg {
		out := downloadedMsg{of: d, folder: folder}
		for _, f := range files {
			err := ctx.Err()
			path := ""
			if err == nil {
				path, err = s.Download(ctx, f, folder, func(n int64) { d.bytes.Add(n) })
			}
			if err != nil {
				out.bad = append(out.bad, f.Name+": "+err.Error())
			} else {
				out.good = append(out.good, path)
			}
			d.done.Add(1)
		}
		return out
	})
}

func (w *work) tick() tea.Cmd {
	return tea.Tick(200*time.Millisecond, func(time.Time) tea.Msg { return workTicked{w} })
}

func (m *Model) downloaded(msg downloadedMsg) tea.Cmd {
	if !m.end(msg.of) {
		return nil
	}
	done := page.Toast{Level: page.Good, Text: "Downloaded " + text.Plural(len(msg.good), "file") + " to " + msg.folder + ".", Detail: strings.Join(msg.good, "\n")}
	if len(msg.good) == 1 {
		done.Text = "Downloaded " + msg.good[0] + "."
	}
	if len(msg.bad) > 0 {
		done.Level = page.Warn
		done.Text = fmt.Sprintf("%s could not be downloaded; %d arrived.", text.Plural(len(msg.bad), "file"), len(msg.good))
		done.Detail = strings.Join(msg.bad, "\n")
	}
	return page.Send(done)
}

// sentMsg has the uploads that stored files.
type sentMsg struct {
	jobs    []api.Job
	unknown []string // names of files that this computer did not send
	err     error
}

// sendAgain opens the form for the uploads that stored the chosen files, with their
// options.
func (m *Model) sendAgain() tea.Cmd {
	files := m.chosen()
	ctx, s := m.o.Context, m.o.Session
	return func() tea.Msg {
		out := sentMsg{}
		for _, f := range files {
			job, ok, err := s.Sent(ctx, f.FileID)
			switch {
			case err != nil:
				out.err = err
			case ok:
				job.Failure = nil
				out.jobs = append(out.jobs, job)
			default:
				out.unknown = append(out.unknown, f.Name)
			}
		}
		return out
	}
}

func gotSent(msg sentMsg) tea.Cmd {
	var cmds []tea.Cmd
	switch {
	case msg.err != nil:
		return page.Send(page.Failed(msg.err))
	case len(msg.jobs) == 0:
		return page.Tell(page.Info, "This file was not uploaded from this computer, so there is no source to upload again.")
	case len(msg.unknown) > 0:
		cmds = append(cmds, page.Send(page.Toast{
			Level: page.Warn, Text: text.Plural(len(msg.unknown), "file") + " not uploaded from this computer, left out.", Detail: strings.Join(msg.unknown, "\n"),
		}))
	}
	return tea.Batch(append(cmds, page.Send(page.Compose{Jobs: msg.jobs}))...)
}

// isBusy says that something is under way.
func (m *Model) isBusy() string {
	if m.work != nil {
		return "another change or download is under way"
	}
	return ""
}

// noWork says why nothing can be done with files.
func (m *Model) noWork() string { return cmp.Or(m.isBusy(), m.noFile()) }
