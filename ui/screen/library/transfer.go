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

// background runs do, then calls then, or shows the error.
func (m *Model) background(label string, do func(ctx context.Context) error, then func() tea.Cmd) tea.Cmd {
	return m.manage.Run(edit.Work{
		Label: label,
		Do:    func(ctx context.Context, _ *edit.Task) []session.Edited { return []session.Edited{{Err: do(ctx)}} },
		Then: func(list []session.Edited, _ time.Time) tea.Cmd {
			if err := list[0].Err; err != nil {
				return page.Send(page.Problem(err))
			}
			return then()
		},
	})
}

func (m *Model) askTransfer() tea.Cmd {
	items := m.Chosen()
	title := "Send " + edit.FilesLabel(items) + " to profile"
	if f, ok := m.current(); len(items) == 0 && ok {
		folder := folderPath(m.shown.folder, f)
		items = []api.File{{Type: api.TypeFolder, FolderPath: folder}}
		title = "Send the folder " + folder + " to profile"
	}
	var names []string
	return m.background("Reading the profiles", func(context.Context) (err error) {
		names, err = m.o.Session.OtherProfiles()
		return err
	}, func() tea.Cmd {
		if len(names) == 0 {
			return page.Tell(page.Info, "No other account. Add one on "+page.Settings.String()+".")
		}
		rows := make([]kit.MenuRow, len(names))
		for i, name := range names {
			rows[i] = kit.MenuRow{Label: name, Do: func() tea.Cmd {
				var plan *session.Transfer
				return m.background("Comparing with "+name, func(ctx context.Context) (err error) {
					var o session.TransferOptions
					plan, err = m.o.Session.PlanTransfer(ctx, m.o.Profile.Name, name, items, o)
					return err
				}, func() tea.Cmd { return m.confirmTransfer(plan) })
			}}
		}
		return m.Open(kit.NewMenu(title, rows...))
	})
}

func (m *Model) confirmTransfer(plan *session.Transfer) tea.Cmd {
	var skipped, words []string
	for _, file := range plan.Skipped {
		skipped = append(skipped, file.Path+": "+file.Reason.Error())
	}
	waiting, detail := len(plan.Unfinished), strings.Join(skipped, "\n")
	if len(plan.Jobs)+waiting == 0 {
		words := "Nothing to send to " + plan.To + "."
		return page.Send(page.Toast{Level: page.Info, Text: words, Detail: detail})
	}
	what := text.Plural(len(plan.Jobs), "file")
	words = append(words, fmt.Sprintf("%s (%s) with tags, region, description and custom metadata, in the same folders. The files here stay, unless you move them.", what, text.Bytes(plan.Bytes)))
	if waiting > 0 {
		words = append(words, text.Plural(waiting, "upload")+" of an earlier transfer will continue.")
	}
	lost := session.LostOf(plan.Jobs)
	if lost != "" {
		words = append(words, "Left behind: "+lost+".")
	}
	if n := len(skipped); n > 0 {
		words = append(words, "Skipped: "+text.Plural(n, "file")+". "+text.Sentence(skipped[0]))
	}
	words = append(words, "mediadesk then changes to the profile "+plan.To+".")
	start := func(verb string) tea.Cmd {
		queue := func(ctx context.Context) error { return m.o.Session.Enqueue(ctx, plan) }
		return m.background("Queueing", queue, func() tea.Cmd {
			toast := page.Toast{Level: page.Good, Detail: detail}
			toast.Text = verb + " " + what + " to " + plan.To + "."
			if lost != "" {
				toast.Text += " Left behind: " + lost + "."
			}
			return tea.Batch(page.Send(toast), page.Send(page.UseProfile{Name: plan.To, Show: page.Uploads}))
		})
	}
	send := func() tea.Cmd { return start("Sending") }
	choices := []page.Choice{{Label: "Cancel", Key: "k"}, {Label: "Send", Key: "s", Default: true, Do: send}}
	if len(plan.Jobs) > 0 {
		choices = append(choices, page.Choice{Label: "Move…", Key: "m", Do: func() tea.Cmd {
			return m.confirmMove(plan, what, lost, func() tea.Cmd { plan.Move(); return start("Moving") })
		}})
	}
	title := "Send " + what + " to " + plan.To + "?"
	return page.Send(page.Ask{Title: title, Text: strings.Join(words, "\n\n"), Choices: choices})
}

func (m *Model) confirmMove(plan *session.Transfer, what, lost string, do func() tea.Cmd) tea.Cmd {
	words := "Each file with all its versions is deleted from " + plan.From + " once " + plan.To + " has it: its record is read back and the sizes agree. " +
		"A file that fails stays. This cannot be undone."
	if lost != "" {
		words += "\n\nLost by the move: " + lost + "."
	}
	return page.Confirm("Move "+what+" to "+plan.To+"?", words,
		page.Choice{Label: "Cancel", Key: "k"},
		page.Choice{Label: "Move " + what, Key: "m", Danger: true, Do: do})
}

func (m *Model) askDownload() tea.Cmd {
	files, size := m.Chosen(), int64(0)
	for _, f := range files {
		size += f.Size.Or(0)
	}
	title := "Download " + edit.FilesLabel(files) + text.If(size > 0, ", "+text.Bytes(size))
	p := kit.NewPrompt(title, "Save to this folder. A name that is taken gets a number.", "Folder", m.o.Downloads, "")
	p.Verb = "download"
	p.Check = func(typed string) string {
		return text.If(strings.TrimSpace(typed) == "", "Type a folder on this computer.")
	}
	p.Do = func(folder string) tea.Cmd { return m.startDownload(files, strings.TrimSpace(folder)) }
	return m.Open(p)
}

func (m *Model) startDownload(files []api.File, folder string) tea.Cmd {
	var good, bad []string
	download := func(ctx context.Context, t *edit.Task) []session.Edited {
		for _, f := range files {
			err := ctx.Err()
			path := ""
			if err == nil {
				path, err = m.o.Session.Download(ctx, f, folder, t.Received)
			}
			if err != nil {
				bad = append(bad, f.Name+": "+err.Error())
			} else {
				good = append(good, path)
			}
			t.Count(session.Edited{FileID: f.FileID, Err: err})
		}
		return nil
	}
	report := func([]session.Edited, time.Time) tea.Cmd {
		words := "Downloaded " + text.Plural(len(good), "file") + " to " + folder + "."
		done := page.Toast{Level: page.Good, Text: words, Detail: strings.Join(good, "\n")}
		if len(good) == 1 {
			done.Text, done.Detail = "Downloaded "+good[0]+".", ""
		}
		if len(bad) > 0 {
			done.Level = page.Warn
			done.Text = fmt.Sprintf("%s could not be downloaded; %d arrived.", text.Plural(len(bad), "file"), len(good))
			done.Detail = strings.Join(bad, "\n")
		}
		return page.Send(done)
	}
	return m.manage.Run(edit.Work{Label: "Downloading", Files: files, Do: download, Then: report})
}

func (m *Model) noWork() string { return cmp.Or(m.manage.Busy(), m.noFile()) }
