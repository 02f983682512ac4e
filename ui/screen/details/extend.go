package details

import (
	"context"
	"encoding/json"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// extendMenu offers extensions to run on the targets.
func (m *Model) extendMenu() tea.Cmd {
	edit.ChooseExtension(m.Overlays(), "Run an extension on "+text.Safe(subjectOf(filesOf(m.targets()))), m.askExtend)
	return nil
}

// askExtend asks whether to run an extension.
func (m *Model) askExtend(e api.Extension) tea.Cmd {
	files := filesOf(m.targets())
	options, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return page.Send(page.Problem(err))
	}
	lines := []string{string(options), "", effectOf(e.Name)}
	if m.o.Profile.Receiver == "" {
		lines = append(lines, "The service cannot reach this computer. The result is found by polling the file; failures go unreported.")
	}
	return page.Send(page.Ask{
		Title: "Run " + e.Name + " on " + subjectOf(files) + "?",
		Text:  strings.Join(lines, "\n"),
		Choices: []page.Choice{
			{Label: "Cancel", Key: "l"},
			{Label: "Run it", Key: "r", Default: true, Do: func() tea.Cmd { return m.extend(files, e) }},
		},
	})
}

func effectOf(extension string) string {
	switch {
	case extension == api.RemoveBackground:
		return "The file gets a new version without its background. Its name, tags and region stay."
	case api.IsTagging(extension):
		return "Its AI tags of this extension are replaced. Its tags stay."
	case extension == api.AutoDescription:
		return "The file gets a description."
	}
	return "mediadesk does not know what this extension does."
}

func (m *Model) extend(files []api.File, e api.Extension) tea.Cmd {
	return m.manage(job{
		label: "Requesting " + e.Name, files: files, verb: "Requested " + e.Name + " for",
		one: func(done session.Edited) tea.Msg { return extended(e.Name, done) },
		do: func(ctx context.Context, report func(session.Edited)) []session.Edited {
			return m.o.Session.ExtendAll(ctx, files, []api.Extension{e}, report)
		},
	})
}

// extended says what became of an extension that was requested for one file.
func extended(extension string, done session.Edited) tea.Msg {
	switch {
	case done.Err != nil && api.OutcomeOf(done.Err) == api.Unknown:
		return page.Toast{Level: page.Warn, Text: "No answer: " + extension + " may be running. Screen 3 shows it.", Detail: done.Err.Error()}
	case done.Err != nil:
		return page.Failed(done.Err)
	case done.File == nil:
		return page.Problem(api.ErrNoRecord)
	}
	switch done.File.ExtensionStatus[extension] {
	case api.StatusSuccess:
		return page.Toast{Level: page.Good, Text: extension + " is done."}
	case api.StatusFailed:
		return page.Toast{Level: page.Bad, Text: extension + " failed. The service does not retry it."}
	}
	return page.Toast{Level: page.Good, Text: "Requested " + extension + ". Screen 3 shows its progress."}
}

func (m *Model) noExtend() string {
	switch e := m.current(); {
	case m.busy != "":
		return m.isBusy()
	case e == nil || e.file.FileID == "":
		return "this file has no ID"
	}
	return ""
}
