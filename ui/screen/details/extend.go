package details

import (
	"encoding/json"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// extendMenu offers extensions to run on the file.
func (m *Model) extendMenu() tea.Cmd {
	edit.ChooseExtension(m.Overlays(), "Run an extension on "+text.Safe(name(&m.current().file)), m.askExtend)
	return nil
}

// askExtend asks whether to run an extension.
func (m *Model) askExtend(e api.Extension) tea.Cmd {
	f := &m.current().file
	id := f.FileID
	options, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return page.Send(page.Problem(err))
	}
	lines := []string{string(options), "", effectOf(e.Name)}
	if m.o.Profile.Receiver == "" {
		lines = append(lines, "The service cannot reach this computer. The result is found by polling the file; failures go unreported.")
	}
	return page.Send(page.Ask{
		Title: "Run " + e.Name + " on " + name(f) + "?",
		Text:  strings.Join(lines, "\n"),
		Choices: []page.Choice{
			{Label: "Cancel", Key: "l"},
			{Label: "Run it", Key: "r", Default: true, Do: func() tea.Cmd { return m.extend(id, e) }},
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

// extendedMsg has the answer.
type extendedMsg struct {
	name string // of the extension
	file *api.File
	err  error
}

func (m *Model) extend(id string, e api.Extension) tea.Cmd {
	if m.busy != "" {
		return nil
	}
	m.busy = "Requesting " + e.Name + "…"
	ctx, s := m.o.Context, m.o.Session
	return func() tea.Msg {
		file, err := s.Extend(ctx, id, []api.Extension{e})
		return extendedMsg{e.Name, file, err}
	}
}

func (m *Model) extended(msg extendedMsg) tea.Cmd {
	m.busy = ""
	switch {
	case msg.err != nil && api.OutcomeOf(msg.err) == api.Unknown:
		return page.Send(page.Toast{Level: page.Warn, Text: "No answer: " + msg.name + " may be running. Screen 3 shows it.", Detail: msg.err.Error()})
	case msg.err != nil:
		return page.Send(page.Failed(msg.err))
	case msg.file == nil:
		return page.Send(page.Problem(api.ErrNoRecord))
	}
	toast := page.Toast{Level: page.Good, Text: "Requested " + msg.name + ". Screen 3 shows its progress."}
	switch msg.file.ExtensionStatus[msg.name] {
	case api.StatusSuccess:
		toast.Text = msg.name + " is done."
	case api.StatusFailed:
		toast.Level, toast.Text = page.Bad, msg.name+" failed. The service does not retry it."
	}
	return tea.Batch(page.Send(page.FileChanged{File: *msg.file}), page.Send(toast))
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
