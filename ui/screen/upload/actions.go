package upload

import (
	"cmp"
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/media"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Action groups in the help.
const (
	groupForm  = "Upload form"
	groupFiles = "Files"
)

const emptyForm = "the form is empty; pick files first"

// then wraps do as an action without a follow-up command.
func then(do func()) func() tea.Cmd {
	return func() tea.Cmd { do(); return nil }
}

func (m *Model) Actions() []kit.Action {
	send := "send" + text.If(len(m.Targets()) < len(m.Items), " all "+text.Count(len(m.Items)))
	if all := m.sum().checks; len(all) > 0 && all[0].stop {
		send = "go to the error"
	}
	keepable := m.keepable(m.Targets())
	actions := []kit.Action{
		{ID: "form.send", Keys: kit.Bind(send, "", "ctrl+s"), Group: groupForm, Footer: true, Main: true, Do: m.send},
		{
			ID: "form.keep", Keys: kit.Bind("keep "+cmp.Or(keeps(keepable), "what would be lost"), "", "ctrl+g"), Group: groupForm, Footer: len(keepable) > 0,
			Disabled: func() string { return text.If(len(keepable) == 0, "nothing would be lost") },
			Do: then(func() {
				for _, s := range m.Targets() {
					s.keep(keepable)
				}
				m.Touch(m.Targets()...)
			}),
		},
		{ID: "form.patterns", Keys: kit.Bind("fill by pattern", "", "ctrl+t"), Group: groupForm, Footer: true, Do: func() tea.Cmd { m.Focus(m.On); return m.Open(m.newPatterns()) }},
	}
	steps := []kit.Action{
		{ID: "form.next-part", Keys: kit.Bind("next field", "", "tab"), Group: groupForm, Footer: true, Do: then(func() { m.leaveForm(1) })},
		{ID: "form.previous-part", Keys: kit.Bind("previous field", "", "shift+tab"), Group: groupForm, Do: then(func() { m.leaveForm(-1) })},
	}
	switch m.On {
	case edit.OnFiles:
		actions = slices.Concat(actions, m.fileActions(), steps)
	case edit.OnForm:
		if m.Form.Offering() {
			actions = append(m.Form.Actions(), actions...)
		} else {
			actions = append(actions, m.Form.Actions()...)
		}
	case edit.OnSide:
		actions = append(actions, steps...)
	}
	if actions = append(actions, m.toolActions()...); m.On == edit.OnSide {
		actions = append(actions, kit.ListActions(func() kit.Scroller { return &m.side }, nil)...)
	}
	actions = kit.Shadow(actions)
	for n := range actions {
		a := &actions[n]
		if a.ID == "form.back" {
			continue
		}
		disabled := a.Disabled
		a.Disabled = func() string {
			switch {
			case m.sending:
				return "the files are being queued"
			case len(m.Items) == 0:
				return emptyForm
			case disabled == nil:
				return ""
			}
			return disabled()
		}
	}
	return actions
}

func (m *Model) Catalog() map[string][]kit.Action {
	parts := map[string][]kit.Action{}
	var form *Model
	for name, where := range map[string]struct {
		part edit.Part
		row  string
	}{
		"": {edit.OnForm, "folder"}, "a choice": {edit.OnForm, "unique"}, "the region": {edit.OnForm, "region"}, "files": {edit.OnFiles, ""}, "checks": {edit.OnSide, ""},
		"suggested tags": {edit.OnForm, "tags"},
	} {
		form = New(Options{Sources: []api.Source{{Path: "x"}, {Path: "y"}}})
		form.tags = []string{"xy", "xyz"}
		facts := media.Facts{Picture: true, Stored: image.Pt(1, 1)}
		form.Items[0].known = known{inspected: true, facts: facts}
		if form.focus(where.part); where.row != "" {
			form.Form.Focus(where.row, true)
		}
		if name == "suggested tags" {
			form.Form.Type(kit.KeyMsg("x"))
		}
		parts[name] = form.Actions()
	}
	form.drawRegion()
	parts["presets"] = form.presetMenu(nil).Beside
	parts["patterns"] = form.newPatterns().Actions()
	parts["the picture"] = form.Page.Actions()
	parts["a suggested region"] = form.Region.SuggestionActions()
	return parts
}

func (m *Model) fileActions() []kit.Action {
	if m.Files.Capturing() {
		return m.Files.Actions(nil)
	}
	return m.Files.Actions([]kit.Action{
		{ID: "form.edit-alone", Keys: kit.Bind("edit this file alone", "", "enter"), Group: groupFiles, Footer: true, Disabled: m.Files.NoRow, Do: m.EditAlone},
		{ID: "form.remove", Keys: kit.Bind("remove from the form", "", "d"), Group: groupFiles, Disabled: m.Files.NoRow, Do: then(func() { s, _ := m.Current(); m.setSources(m.without(map[*source]bool{s: true})) })},
	})
}

func (m *Model) toolActions() []kit.Action {
	keys := text.Either(m.Capturing(), []string{"ctrl+o"}, []string{"E", "ctrl+o"})
	return []kit.Action{
		{ID: "form.add-extension", Keys: kit.Bind("add an extension", "", "ctrl+l"), Group: groupForm, Footer: true, Do: m.AddExtension},
		{ID: "form.presets", Keys: kit.Bind("presets: save or load options", "", "ctrl+p"), Group: groupForm, Do: m.openPresets},
		{ID: "form.edit-text", Keys: kit.Bind("edit all options in $EDITOR", "", keys...), Group: groupForm, Do: func() tea.Cmd { m.Focus(m.On); return m.Document.Edit() }},
		{ID: "form.back", Keys: kit.Bind("back", "", "esc"), Group: groupForm, Footer: true, Do: func() tea.Cmd { m.Focus(m.On); return page.Send(page.Back{}) }},
	}
}

// keep sets the switches of [Model.keepable], and keeps names what they keep.
func (s *source) keep(switches []string) {
	for _, name := range switches {
		s.SetText(entry.FieldByName(name), "false")
	}
}

func keeps(switches []string) string {
	return strings.Join(rule.Mapped(switches, func(name string) string {
		return strings.TrimPrefix(entry.FieldByName(name).Label, "Overwrite ")
	}), " and ")
}

// keepable returns the switches that prevent losses of what new versions of sources replace.
func (m *Model) keepable(of []*source) (fields []string) {
	for _, s := range of {
		if m.locate(s).File != nil {
			fields = append(fields, m.decision(s).out.Keeps()...)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(fields)))
}
