package upload

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Presets stores options by name.
type Presets interface {
	Presets(ctx context.Context) ([]session.Preset, error)
	SavePreset(ctx context.Context, p session.Preset) error
	RemovePreset(ctx context.Context, name string) error
}

// presetFields returns the upload fields of a preset of the extensions or of all options, never the name.
func presetFields(extensionsOnly bool) []*api.UploadField {
	return slices.DeleteFunc(slices.Clone(api.UploadFields), func(f *api.UploadField) bool {
		return f.Name == api.FieldName || extensionsOnly && f.Kind != api.KindExtensions
	})
}

// applyPreset sets the options that the preset names.
func (m *Model) applyPreset(o *options, body []byte) error {
	var preset api.UploadOptions
	if err := json.Unmarshal(body, &preset); err != nil {
		return fmt.Errorf("the preset cannot be read: %w", err)
	}
	name, naming := o.entry.FileName, o.entry.Naming
	preset.Apply(&o.entry)
	o.entry.FileName = name
	o.entry.Naming = cmp.Or(o.entry.Naming, naming)
	o.typed = maps.Clone(o.typed)
	for _, f := range api.UploadFields {
		if preset.Has(f) {
			delete(o.typed, f.Key)
		}
	}
	return nil
}

// describePreset describes what a preset sets.
func (m *Model) describePreset(body []byte) string {
	var o options
	if m.applyPreset(&o, body) != nil {
		return "cannot be read"
	}
	var set []string
	for _, f := range api.UploadFields {
		if s := f.Text(&o.entry); s != "" && (f.Key != fieldNaming || s != string(api.NameHere)) {
			s = strings.Join(strings.Fields(s), " ")
			set = append(set, f.Key+"="+text.Truncate(text.Safe(s), 30))
		}
	}
	if len(set) == 0 {
		return "the service's defaults"
	}
	return strings.Join(set, "  ")
}

// openPresets loads the presets and opens their menu.
func (m *Model) openPresets() tea.Cmd {
	return func() tea.Msg {
		list, err := m.o.Session.Presets(m.o.Context)
		if err != nil {
			return page.Problem(err)
		}
		return page.Do(func() { m.form.Blur(); m.Open(m.presetMenu(list)) })
	}
}

// presetMenu returns the menu that loads, saves and removes presets.
func (m *Model) presetMenu(list []session.Preset) *kit.Menu {
	const group = "Presets"
	menu := kit.NewMenu("Presets")
	none := func() string {
		return text.If(len(list) == 0, "there is no preset yet")
	}
	fill := func() {
		files := text.Plural(len(m.targets()), "file")
		menu.Words = "Press enter to load a preset into " + files + ": it sets what it names and leaves the rest."
		if len(list) == 0 {
			menu.Words = "There is no preset yet. Press s to save the options of " + files + " as one, or x to save the extensions alone."
		}
		rows := make([]kit.MenuRow, len(list))
		for i, p := range list {
			rows[i] = kit.MenuRow{Label: p.Name, Note: m.describePreset(p.Body), Do: func() tea.Cmd { return m.loadPreset(p) }}
		}
		menu.SetRows(rows...)
	}
	menu.Beside = []kit.Action{
		{ID: "form.save-preset", Keys: kit.Bind("save these options", "", "s"), Group: group, Footer: true, Do: func() tea.Cmd { return m.askPreset(menu, false) }},
		{ID: "form.save-extensions", Keys: kit.Bind("save the extensions alone", "", "x"), Group: group, Footer: true, Do: func() tea.Cmd { return m.askPreset(menu, true) }},
		{ID: "form.remove-preset", Keys: kit.Bind("remove the preset", "", "d"), Group: group, Footer: true, Disabled: none, Do: func() tea.Cmd {
			name := menu.Row().Label
			list = slices.DeleteFunc(slices.Clone(list), func(p session.Preset) bool { return p.Name == name })
			fill()
			return func() tea.Msg { return presetDone("Removed", name, m.o.Session.RemovePreset(m.o.Context, name)) }
		}},
	}
	fill()
	return menu
}

// askPreset asks for a name, saves the options of the first target and closes the menu.
func (m *Model) askPreset(menu *kit.Menu, extensionsOnly bool) tea.Cmd {
	what := "all options"
	if extensionsOnly {
		what = "the extensions alone"
	}
	p := kit.NewPrompt("Save a preset", "Saves "+what+" of "+m.targets()[0].entry.Source.Name()+". A preset of the same name is replaced.", "", "such as web pictures")
	p.Verb = "save under this name"
	p.Check = func(name string) string {
		switch name = strings.TrimSpace(name); {
		case name == "":
			return "A preset needs a name."
		case len(name) > longestName:
			return "The name is too long."
		}
		return ""
	}
	p.Do = func(name string) tea.Cmd {
		menu.Close()
		return m.savePreset(extensionsOnly, strings.TrimSpace(name))
	}
	return m.Open(p)
}

// longestName limits the name of a preset, in bytes.
const longestName = 200

// savePreset saves the options of the first target.
func (m *Model) savePreset(extensionsOnly bool, name string) tea.Cmd {
	body, err := json.Marshal(api.OptionsOf(&m.targets()[0].entry, presetFields(extensionsOnly)...))
	if err != nil {
		return page.Send(page.Problem(err))
	}
	return func() tea.Msg {
		err := m.o.Session.SavePreset(m.o.Context, session.Preset{Name: name, Body: body})
		return presetDone("Saved", name, err)
	}
}

// loadPreset applies a preset to the targets.
func (m *Model) loadPreset(p session.Preset) tea.Cmd {
	for _, s := range m.targets() {
		if err := m.applyPreset(&s.options, p.Body); err != nil {
			return page.Send(page.Problem(err))
		}
		s.checked, s.failed = nil, nil
	}
	m.note()
	m.load()
	return page.Send(page.Toast{Level: page.Good, Text: "Loaded the preset " + text.Safe(p.Name) + " into " + text.Plural(len(m.targets()), "file") + "."})
}

func presetDone(verb, name string, err error) tea.Msg {
	if err != nil {
		return page.Problem(err)
	}
	return page.Toast{Level: page.Good, Text: verb + " the preset " + text.Safe(name) + "."}
}
