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

// sendAgain opens the form with the original uploads of the chosen files.
func (m *Model) sendAgain() tea.Cmd {
	files := m.chosen()
	ctx, s := m.o.Context, m.o.Session
	return func() tea.Msg {
		var jobs []api.Job
		var unknown []string // names of files not sent from this computer
		for _, f := range files {
			job, ok, err := s.Sent(ctx, f.FileID)
			switch {
			case err != nil:
				return page.Failed(err)
			case ok:
				job.Failure = nil
				jobs = append(jobs, job)
			default:
				unknown = append(unknown, f.Name)
			}
		}
		compose := page.Compose{Jobs: jobs}
		switch {
		case len(jobs) == 0:
			return page.Toast{Level: page.Info, Text: "This file was not uploaded from this computer, so there is no source to upload again."}
		case len(unknown) > 0:
			return tea.BatchMsg{page.Send(page.Toast{
				Level: page.Warn, Text: text.Plural(len(unknown), "file") + " not uploaded from this computer, skipped.", Detail: strings.Join(unknown, "\n"),
			}), page.Send(compose)}
		}
		return compose
	}
}

// noWork returns why files cannot be processed.
func (m *Model) noWork() string { return cmp.Or(m.manage.Busy(), m.noFile()) }
