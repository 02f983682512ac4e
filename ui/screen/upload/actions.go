package upload

import (
	"image"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Action groups in the help.
const (
	groupForm  = "Upload form"
	groupFiles = "Files"
)

// emptyForm is the disabled reason of actions that need a file.
const emptyForm = "the form is empty; pick files first"

// then wraps do as an action without a follow-up command.
func then(do func()) func() tea.Cmd {
	return func() tea.Cmd { do(); return nil }
}

// Actions returns the actions of the focused part.
func (m *Model) Actions() []kit.Action {
	send := "send"
	if len(m.sum().stopped) > 0 {
		send = "go to what stops the sending"
	}
	actions := []kit.Action{{ID: "form.send", Keys: kit.Bind(send, "", "ctrl+s"), Group: groupForm, Footer: true, Do: m.send}}
	steps := []kit.Action{
		{ID: "form.next-part", Keys: kit.Bind("next field or part", "", "tab"), Group: groupForm, Footer: true, Do: then(func() { m.leaveForm(1) })},
		{ID: "form.previous-part", Keys: kit.Bind("previous field or part", "", "shift+tab"), Group: groupForm, Do: then(func() { m.leaveForm(-1) })},
	}
	switch m.part {
	case onList:
		actions = slices.Concat(actions, m.fileActions(), steps)
	case onForm:
		if m.form.Offering() {
			actions = append(m.form.Actions(), actions...)
		} else {
			actions = append(actions, m.form.Actions()...)
		}
		actions = append(actions, kit.Action{ID: "form.reset-field", Keys: kit.Bind("reset this field", "", "ctrl+x"), Group: groupForm, Disabled: m.noResetField, Do: then(m.resetField)})
	case onSide:
		actions = append(actions, steps...)
	}
	if m.keepable() != noField || m.part == onSide {
		keep := kit.Action{ID: "form.keep", Keys: kit.Bind("keep what would be lost", "", "ctrl+g"), Group: groupForm, Footer: true, Disabled: func() string {
			return text.If(m.keepable() == noField, "no switch would prevent a loss here")
		}, Do: then(m.keep)}
		if m.keepKey() == "k" {
			keep.Keys = kit.Bind(keep.Label(), "k", "k", "ctrl+g")
		}
		actions = append(actions, keep)
	}
	if actions = append(actions, m.toolActions()...); m.part == onSide {
		actions = append(actions, m.scrollActions()...)
	}
	actions = kit.Shadow(actions)
	for n := range actions {
		a := &actions[n]
		if a.ID == "form.back" || a.ID == "form.check-stored" && len(m.skipped) > 0 && !m.sending {
			continue
		}
		own := a.Disabled
		a.Disabled = func() string {
			if reason := m.noForm(); reason != "" || own == nil {
				return reason
			}
			return own()
		}
	}
	return actions
}

// Catalog returns the actions of every part.
func (m *Model) Catalog() map[string][]kit.Action {
	parts := map[string][]kit.Action{}
	var form *Model
	for name, where := range map[string]struct {
		part part
		row  field
	}{
		"": {onForm, fieldFolder}, "a choice": {onForm, fieldNaming}, "the region": {onForm, fieldRegion}, "files": {onList, noField}, "checks": {onSide, noField},
		"suggested tags": {onForm, fieldTags},
	} {
		form = New(Options{Sources: []api.Source{{Path: "x"}, {Path: "y"}}})
		form.tags = []string{"xy", "xyz"}
		form.sources[0].known = known{looked: true, facts: media.Facts{Kind: media.KindPicture, Stored: image.Pt(1, 1)}}
		if form.focus(where.part); where.row != noField {
			form.form.Focus(where.row, true)
		}
		if name == "suggested tags" {
			form.form.Type(kit.KeyMsg("x"))
		}
		parts[name] = form.Actions()
	}
	form.drawRegion()
	parts["the request"] = newRequest(form, form.current(), api.Request{}, nil).Beside
	parts["presets"] = form.presetMenu(nil).Beside
	parts["patterns"] = form.newPatterns().Actions()
	parts["the picture"] = form.page.Actions()
	parts["a suggested region"] = form.region.SuggestionActions()
	return parts
}

// fileActions returns the actions of the source list.
func (m *Model) fileActions() []kit.Action {
	if m.list.Capturing() {
		return m.list.Actions(nil)
	}
	return m.list.Actions([]kit.Action{
		{ID: "form.edit-alone", Keys: kit.Bind("edit this file alone", "", "enter"), Group: groupFiles, Footer: true, Do: m.editAlone},
		{ID: "form.remove", Keys: kit.Bind("remove from the form", "", "d"), Group: groupFiles, Do: then(func() { m.remove(m.current()) })},
	})
}

// editAlone marks only the file under the cursor.
func (m *Model) editAlone() tea.Cmd {
	for _, s := range m.sources {
		s.marked = s == m.current()
	}
	m.load()
	m.focus(onForm)
	m.form.End(false)
	return nil
}

// scrollActions returns the actions that scroll the side. There, k keeps.
func (m *Model) scrollActions() []kit.Action {
	actions := kit.ListActions(func() kit.Scroller { return &m.side }, nil)
	for i := range actions {
		actions[i].Disabled = func() string { return text.If(m.side.Len() <= m.side.Page(), "all of it is seen") }
		if actions[i].ID == "list.up" {
			actions[i].Keys = kit.Bind(actions[i].Label(), "↑", "up")
		}
	}
	return actions
}

// toolActions returns the actions of the whole form.
func (m *Model) toolActions() []kit.Action {
	edit := kit.Bind("edit all options in $EDITOR", "E", "E", "ctrl+o")
	if m.Capturing() {
		edit = kit.Bind("edit all options in $EDITOR", "", "ctrl+o")
	}
	check := []string{"ctrl+n"}
	if m.part == onSide {
		check = []string{"enter", "n", "ctrl+n"}
	}
	return []kit.Action{
		{ID: "form.request", Keys: kit.Bind("show the request", "", "ctrl+r"), Group: groupForm, Footer: true, Do: m.showRequest},
		{ID: "form.check-stored", Keys: kit.Bind(m.skipLabel(), "", "ctrl+v"), Group: groupForm, Footer: len(m.sum().stored) > 0, Disabled: m.noSkip, Do: m.skip},
		{ID: "form.add-extension", Keys: kit.Bind("add an extension", "", "ctrl+l"), Group: groupForm, Footer: true, Do: func() tea.Cmd { m.form.Blur(); return m.extensions().Add() }},
		{ID: "form.presets", Keys: kit.Bind("presets: save or load options", "", "ctrl+p"), Group: groupForm, Do: m.openPresets},
		{ID: "form.patterns", Keys: kit.Bind("name by patterns", "", "ctrl+t"), Group: groupForm, Do: func() tea.Cmd { m.form.Blur(); return m.Open(m.newPatterns()) }},
		{ID: "form.edit-text", Keys: edit, Group: groupForm, Do: func() tea.Cmd { m.form.Blur(); return m.text.Edit() }},
		{ID: "form.go-to-check", Keys: kit.Bind("go to the field of the next check", "", check...), Group: groupForm, Footer: m.part == onSide, Disabled: m.noCheck, Do: m.nextCheck},
		{ID: "form.back", Keys: kit.Bind("leave, keep entries", "", "esc"), Group: groupForm, Footer: true, Do: func() tea.Cmd { m.form.Blur(); return page.Send(page.Back{}) }},
	}
}

// noForm returns why the form cannot be used, or "".
func (m *Model) noForm() string {
	switch {
	case m.sending:
		return "the files are being queued"
	case len(m.sources) == 0:
		return emptyForm
	}
	return ""
}

// keepable returns the switch that prevents the first loss of the current source.
func (m *Model) keepable() field {
	s := m.current()
	if s == nil {
		return noField
	}
	if f := m.verdict(s).out.Keep(); f != noField {
		return f
	}
	return m.sum().keep
}

// keep switches off what would remove something, for the targets, or for the current source alone if it is not a
// target.
func (m *Model) keep() {
	f := m.keepable()
	if f == noField {
		return
	}
	s := m.current()
	if m.verdict(s).out.Keep() == f && !s.marked && len(m.targets()) > 0 && m.targets()[0] != s {
		m.set(s, f, off)
		m.changed()
		return
	}
	for _, s := range m.targets() {
		m.set(s, f, off)
	}
	m.load()
}
