package extensions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// askAgain asks whether to run the extension again with the same options.
func (m *Model) askAgain() tea.Cmd {
	run, _ := m.current()
	options, err := json.MarshalIndent(run.Asked, "", "  ")
	if err != nil {
		return page.Send(page.Problem(err))
	}
	text := "This is a new request to the service, for " + folderOf(run) + ", with the same options:\n" + string(options)
	if run.Status == api.StatusSuccess {
		text = "It has already succeeded. " + text
	}
	wanted := *run
	return page.Send(page.Ask{
		Title: "Run " + run.Extension + " again?",
		Text:  text,
		Choices: []page.Choice{
			{Label: "Cancel", Key: "l"},
			{Label: "Run it again", Key: "r", Default: run.Status != api.StatusSuccess, Do: func() tea.Cmd { return m.rerun(wanted) }},
		},
	})
}

func (m *Model) rerun(run api.Run) tea.Cmd {
	s, ctx := m.o.Session, m.o.Context
	return func() tea.Msg {
		file, err := s.Extend(ctx, run.FileID, []api.Extension{*run.Asked})
		if err != nil {
			toast := page.Problem(err)
			if api.OutcomeOf(err) == api.Unknown {
				toast.Text = "No answer came: it may be running. " + toast.Text
			}
			return toast
		}
		words := "was requested"
		if status, ok := file.ExtensionStatus[run.Extension]; ok {
			words = "was requested: " + string(status)
		}
		return page.Toast{Level: page.Good, Text: fmt.Sprintf("%s of %s %s.", run.Extension, folderOf(&run), words)}
	}
}

func (m *Model) noAgain() string {
	run, ok := m.current()
	switch {
	case !ok:
		return m.noRun()
	case run.Asked == nil:
		return "its options are unknown: it was requested elsewhere, or by an older mediadesk. Use the details (i, then x) to run it with other options"
	case !run.Status.Final() && m.o.Now().Sub(run.Started) < session.HookLife:
		return "it is still pending: a second request may run it twice"
	}
	return ""
}

// askCancel asks whether to cancel a run, which loses its work so far.
func (m *Model) askCancel() tea.Cmd {
	run, _ := m.current()
	wanted := *run
	return page.Send(page.Ask{
		Title: "Cancel this run?",
		Text:  text.Safe(run.Extension+" of "+folderOf(run)) + " ends as failed, with the reason \"" + api.RunCanceled + "\".",
		Choices: []page.Choice{
			{Label: "Keep running", Key: "l"},
			{Label: "Cancel the run", Key: "c", Danger: true, Do: func() tea.Cmd { return m.cancelRun(wanted) }},
		},
	})
}

func (m *Model) cancelRun(run api.Run) tea.Cmd {
	s, ctx := m.o.Session, m.o.Context
	return func() tea.Msg {
		if err := s.CancelRun(ctx, run.FileID, run.Extension); err != nil {
			return page.Problem(err)
		}
		return page.Toast{Level: page.Good, Text: "Canceled " + run.Extension + " of " + folderOf(&run) + "."}
	}
}

func (m *Model) noCancel() string {
	run, ok := m.current()
	switch {
	case !ok:
		return m.noRun()
	case !m.o.Profile.Local:
		return session.ErrNotLocal.Error()
	case run.Status.Final():
		return "it has ended"
	}
	return ""
}

// readTags rereads the file to add its AI tags as tags.
func (m *Model) readTags() tea.Cmd {
	run, _ := m.current()
	known, s, ctx, wanted := m.record(run), m.o.Session, m.o.Context, *run
	return func() tea.Msg {
		out := tagsRead{run: wanted}
		file, err := s.Read(ctx, wanted.FileID)
		switch {
		case err == nil:
			out.file = *file
		case api.Unavailable(err):
			out.file, out.old = known(), true
		default:
			return page.Problem(err)
		}
		return page.Then(func() tea.Cmd { return m.offerTags(out) })
	}
}

// tagsRead is the record whose AI tags are to be added.
type tagsRead struct {
	run  api.Run
	file api.File
	old  bool // as last seen: the service does not let us read
}

// offerTags shows the difference and asks.
func (m *Model) offerTags(msg tagsRead) tea.Cmd {
	before := msg.file.Tags.Or(nil)
	tags, lines := slices.Clone(before), []string(nil)
	for _, tag := range aiTagsOf(&msg.file, msg.run.Extension) {
		if slices.Contains(tags, tag.Name) || tag.Name == "" {
			continue
		}
		tags = append(tags, tag.Name)
		lines = append(lines, fmt.Sprintf("+%s  (%.0f %%)", tag.Name, tag.Confidence))
	}
	if len(lines) == 0 {
		return page.Send(page.Toast{Level: page.Info, Text: "All AI tags of " + msg.run.Extension + " are already tags."})
	}
	if err := api.CheckDetailTags(tags); err != nil {
		return page.Send(page.Problem(err))
	}
	if msg.old {
		lines = append(lines, "", "Compared with the file as last seen; this service does not return records.")
	}
	return page.Send(page.Ask{
		Title: "Add " + text.Plural(len(tags)-len(before), "AI tag") + " of " + folderOf(&msg.run) + " as tags?",
		Text:  strings.Join(lines, "\n"),
		Choices: []page.Choice{
			{Label: "Cancel", Key: "l"},
			{Label: "Add tags", Key: "t", Default: true, Do: func() tea.Cmd { return m.addTags(msg.file.FileID, tags) }},
		},
	})
}

func (m *Model) addTags(fileID string, tags []string) tea.Cmd {
	s, ctx := m.o.Session, m.o.Context
	return func() tea.Msg {
		file, err := s.Change(ctx, fileID, api.Details{Tags: api.Set(tags)})
		if err != nil {
			return page.Problem(err)
		}
		return tea.BatchMsg{ // FileChanged makes the history stale
			page.Send(page.FileChanged{File: *file}),
			page.Send(page.Toast{
				Level: page.Good, Text: "Added the AI tags of " + file.Name + " as tags. z in its details undoes it.",
				Detail: strings.Join(file.Tags.Or(nil), ", "),
			}),
		}
	}
}

// aiTagsOf returns the AI tags that an extension found, or all if it is not a tagging extension.
func aiTagsOf(file *api.File, extension string) []api.AITag {
	all := file.AITags.Or(nil)
	if !api.IsTagging(extension) {
		return all
	}
	var own []api.AITag
	for _, tag := range all {
		if strings.EqualFold(tag.Source, extension) {
			own = append(own, tag)
		}
	}
	return own
}

func (m *Model) noTags() string {
	run, ok := m.current()
	switch {
	case !ok:
		return m.noRun()
	case !api.IsTagging(run.Extension):
		return "it is not a tagging extension"
	case run.Status != api.StatusSuccess:
		return "it has found no tags yet"
	}
	return ""
}
