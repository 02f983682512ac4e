package library

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// askDownload asks for the folder.
func (m *Model) askDownload() tea.Cmd {
	files := m.chosen()
	p := kit.NewPrompt("Download "+edit.FilesLabel(files), "Type a local folder. Existing files are never overwritten.", m.o.Downloads, "")
	p.Verb = "download"
	p.Check = func(typed string) string {
		return text.If(strings.TrimSpace(typed) == "", "Type a local folder.")
	}
	p.Do = func(folder string) tea.Cmd { return m.startDownload(files, strings.TrimSpace(folder)) }
	return m.Open(p)
}

func (m *Model) startDownload(files []api.File, folder string) tea.Cmd {
	s := m.o.Session
	var good, bad []string
	return m.manage.Run(edit.Work{Label: "Downloading", Files: files, Do: func(ctx context.Context, t *edit.Task) []session.Edited {
		for _, f := range files {
			err := ctx.Err()
			path := ""
			if err == nil {
				path, err = s.Download(ctx, f, folder, t.Received)
			}
			if err != nil {
				bad = append(bad, f.Name+": "+err.Error())
			} else {
				good = append(good, path)
			}
			t.Count(session.Edited{FileID: f.FileID, Err: err})
		}
		return nil
	}, Then: func([]session.Edited, time.Time) tea.Cmd {
		done := page.Toast{Level: page.Good, Text: "Downloaded " + text.Plural(len(good), "file") + " to " + folder + ".", Detail: strings.Join(good, "\n")}
		if len(good) == 1 {
			done.Text = "Downloaded " + good[0] + "."
		}
		if len(bad) > 0 {
			done.Level = page.Warn
			done.Text = fmt.Sprintf("%s could not be downloaded; %d arrived.", text.Plural(len(bad), "file"), len(good))
			done.Detail = strings.Join(bad, "\n")
		}
		return page.Send(done)
	}})
}

// sentMsg has the uploads that stored files.
type sentMsg struct {
	jobs    []api.Job
	unknown []string // names of files not sent from this computer
	err     error
}

// sendAgain opens the form with the original uploads of the chosen files.
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
			Level: page.Warn, Text: text.Plural(len(msg.unknown), "file") + " not uploaded from this computer, skipped.", Detail: strings.Join(msg.unknown, "\n"),
		}))
	}
	return tea.Batch(append(cmds, page.Send(page.Compose{Jobs: msg.jobs}))...)
}

// noWork returns why files cannot be processed.
func (m *Model) noWork() string { return cmp.Or(m.manage.Busy(), m.noFile()) }
