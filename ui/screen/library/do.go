package library

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// download is a download under way. The goroutine that downloads writes the
// counters, the clock reads them.
type download struct {
	total       int
	done, bytes atomic.Int64
	cancel      context.CancelFunc
}

func (d *download) String() string {
	return fmt.Sprintf("Downloading %d of %s, %s. esc stops.", d.done.Load(), text.Plural(d.total, "file"), text.Bytes(d.bytes.Load()))
}

type (
	// downloadTicked is the clock of a download.
	downloadTicked struct{ of *download }
	// downloadedMsg has its result.
	downloadedMsg struct {
		of     *download
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
	ctx, cancel := context.WithCancel(m.o.Context)
	d := &download{total: len(files), cancel: cancel}
	m.fetching = d
	s := m.o.Session
	return tea.Batch(d.tick(), func() tea.Msg {
		defer cancel()
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

func (d *download) tick() tea.Cmd {
	return tea.Tick(200*time.Millisecond, func(time.Time) tea.Msg { return downloadTicked{d} })
}

func (m *Model) downloaded(msg downloadedMsg) tea.Cmd {
	if msg.of != m.fetching {
		return nil
	}
	m.fetching = nil
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

func (m *Model) noDownload() string {
	if m.fetching != nil {
		return "another download is under way"
	}
	return m.noFile()
}
