package details

import (
	"encoding/json"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// preset is an extension that is offered with usual options.
type preset struct{ key, words, element string }

var presets = []preset{
	{"r", "remove the background", `{"name":"remove-bg"}`},
	{"s", "remove the background, add a shadow", `{"name":"remove-bg","options":{"add_shadow":true}}`},
	{"g", "find tags (Google)", `{"name":"google-auto-tagging","maxTags":10,"minConfidence":60}`},
	{"w", "find tags (AWS)", `{"name":"aws-auto-tagging","maxTags":10,"minConfidence":60}`},
	{"d", "describe it", `{"name":"ai-auto-description"}`},
}

// extendMenu offers extensions to run on the file.
func (m *Model) extendMenu() tea.Cmd {
	rows := make([]kit.MenuRow, 0, len(presets)+1)
	for _, p := range presets {
		rows = append(rows, kit.MenuRow{Key: p.key, Words: p.words, Note: p.element})
	}
	rows = append(rows, kit.MenuRow{Key: "o", Words: "another, or other options…"})
	return m.openMenu("Run an extension on "+text.Safe(name(&m.current().file)), func(row int) tea.Cmd {
		if row < len(presets) {
			return m.askExtend(presets[row].element)
		}
		p := kit.NewPrompt("Run an extension", "Its name, or its element as JSON, options and all.", presets[2].element)
		p.Verb = "go on"
		p.Check = func(text string) string {
			if _, err := parseExtension(text); err != nil {
				return err.Error()
			}
			return ""
		}
		return m.openPrompt(p, m.askExtend)
	}, rows...)
}

// askExtend asks whether to run an extension, given by its name or its JSON.
func (m *Model) askExtend(text string) tea.Cmd {
	list, err := parseExtension(text)
	if err != nil {
		return page.Send(page.Problem(err))
	}
	f := &m.current().file
	e := list[0]
	options, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return page.Send(page.Problem(err))
	}
	lines := []string{string(options), "", effectWords(e.Name)}
	if m.o.Profile.Receiver == "" {
		lines = append(lines, "The service cannot reach this computer: its end is found by looking at the file, and a failure would not be told.")
	}
	return page.Send(page.Ask{
		Title: "Run " + e.Name + " on " + name(f) + "?",
		Text:  strings.Join(lines, "\n"),
		Choices: []page.Choice{
			{Label: "Leave it", Key: "l"},
			{Label: "Run it", Key: "r", Msg: extendMsg{f.FileID, list}},
		},
	})
}

// parseExtension reads the name of an extension, or its element as JSON.
func parseExtension(text string) ([]api.Extension, error) {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "["):
	case strings.HasPrefix(text, "{"):
		text = "[" + text + "]"
	default:
		element, err := json.Marshal(api.Extension{Name: text})
		if err != nil {
			return nil, err
		}
		text = "[" + string(element) + "]"
	}
	list, err := api.ParseExtensions(text)
	if err == nil && len(list) != 1 {
		err = &api.RuleError{Field: "extensions", Message: fmt.Sprintf("these are %d extensions", len(list)), Help: "Give one."}
	}
	return list, err
}

func effectWords(extension string) string {
	switch {
	case extension == api.RemoveBackground:
		return "The file gets a new version without its background. Its name, tags and region stay."
	case api.IsTagging(extension):
		return "Its AI tags of this extension are found anew. Its tags stay."
	case extension == api.AutoDescription:
		return "The file gets a description."
	}
	return "What it does is the service's affair."
}

// extendMsg says that the person wants an extension to run.
type extendMsg struct {
	id   string
	list []api.Extension
}

// extendedMsg has the answer.
type extendedMsg struct {
	name string // of the extension
	file *api.File
	err  error
}

func (m *Model) extend(msg extendMsg) tea.Cmd {
	if m.busy != "" {
		return nil
	}
	m.busy = "Asking for " + msg.list[0].Name + "…"
	ctx, s := m.o.Context, m.o.Session
	return func() tea.Msg {
		file, err := s.Change(ctx, msg.id, api.Details{Extensions: api.Set(msg.list)})
		return extendedMsg{msg.list[0].Name, file, err}
	}
}

func (m *Model) extended(msg extendedMsg) tea.Cmd {
	m.busy = ""
	switch {
	case msg.err != nil && api.OutcomeOf(msg.err) == api.Unknown:
		return page.Send(page.Toast{Level: page.Warn, Text: "No answer came: " + msg.name + " may run or not. Screen 3 watches it.", Detail: msg.err.Error()})
	case msg.err != nil:
		return page.Send(failed(msg.err))
	case msg.file == nil:
		return page.Send(page.Problem(api.ErrNoRecord))
	}
	toast := page.Toast{Level: page.Good, Text: msg.name + " is asked for. Screen 3 shows how it ends."}
	switch msg.file.ExtensionStatus[msg.name] {
	case api.StatusSuccess:
		toast.Text = msg.name + " is done."
	case api.StatusFailed:
		toast.Level, toast.Text = page.Bad, msg.name+" failed. The service does not try again."
	}
	return tea.Batch(page.Send(page.FileChanged{File: *msg.file}), page.Send(toast))
}

func (m *Model) noExtend() string {
	switch e := m.current(); {
	case m.busy != "":
		return "something is under way"
	case e == nil || e.file.FileID == "":
		return "the file has no id"
	}
	return ""
}
