package upload

import (
	"image"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
)

// Action groups in the help.
const (
	groupForm       = "Upload form"
	groupFiles      = "Files"
	groupChecks     = "Checks"
	groupExtensions = "Extensions"
)

// emptyForm is the disabled reason of actions that need a file.
const emptyForm = "the form is empty; pick files first"

// then wraps do as an action without a follow-up command.
func then(do func()) func() tea.Cmd {
	return func() tea.Cmd { do(); return nil }
}

// Actions returns the actions of the focused part.
func (m *Model) Actions() []kit.Action {
	i := m.focused()
	actions := []kit.Action{{ID: "form.send", Keys: kit.Bind("send", "", "ctrl+s"), Group: groupForm, Footer: true, Disabled: m.noSend, Do: m.send}}
	if m.focus.stop == stopList {
		actions = append(actions, m.fileActions()...)
	}
	if m.keepable() != noField || m.focus.stop == stopSide {
		keep := kit.Action{ID: "form.keep", Keys: kit.Bind("keep what would be lost", "", "ctrl+g"), Group: groupForm, Footer: true, Disabled: m.noKeep, Do: then(m.keep)}
		if m.keepKey() == "k" {
			keep.Keys = kit.Bind(keep.Label(), "k", "k", "ctrl+g")
		}
		actions = append(actions, keep)
	}
	if i != nil && i.pick != nil {
		actions = append(actions, kit.ChoiceActions(i.pick, m.chosen)...)
	}
	actions = append(
		actions,
		kit.Action{ID: "form.next-section", Keys: kit.Bind("next section", "", "tab"), Group: groupForm, Footer: true, Do: then(func() { m.jump(1) })},
		kit.Action{ID: "form.previous-section", Keys: kit.Bind("previous section", "", "shift+tab"), Group: groupForm, Do: then(func() { m.jump(-1) })},
	)
	switch m.focus.stop {
	case stopItem:
		actions = append(actions, m.itemActions(i)...)
	case stopSide:
		actions = append(actions, m.checkActions()...)
	case stopList:
	}
	actions = append(actions, m.toolActions()...)
	if m.focus.stop == stopSide {
		actions = append(actions, m.scrollActions()...)
	}
	actions = before(m.suggestionActions(i), actions)
	for n := range actions {
		a := &actions[n]
		if a.ID == "form.back" || a.ID == "form.check-stored" && len(m.skipped) > 0 && !m.sending {
			continue
		}
		own, do, jump := a.Disabled, a.Do, a.ID == "form.go-to-check"
		a.Disabled = func() string {
			if reason := m.noForm(); reason != "" || own == nil {
				return reason
			}
			return own()
		}
		a.Do = func() tea.Cmd {
			m.jumped = m.jumped && jump
			return do()
		}
	}
	return actions
}

// before puts the actions in first ahead of the others and removes their keys from the others.
func before(first, actions []kit.Action) []kit.Action {
	taken := map[string]bool{}
	for _, a := range first {
		for _, k := range a.Keys.Keys() {
			taken[k] = true
		}
	}
	for _, a := range actions {
		keys := a.Keys.Keys()
		rest := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return taken[k] })
		switch len(rest) {
		case 0:
			continue
		case len(keys):
		default:
			a.Keys = kit.Bind(a.Label(), "", rest...)
		}
		first = append(first, a)
	}
	return first
}

// Catalog returns the actions of every part.
func (m *Model) Catalog() map[string][]kit.Action {
	parts := map[string][]kit.Action{}
	at := func(stop stopKind, f field) *Model {
		form := New(Options{Sources: []api.Source{{Path: "x"}, {Path: "y"}}})
		form.sources[0].known = known{looked: true, facts: media.Facts{Kind: media.KindPicture, Stored: image.Pt(1, 1)}}
		form.focus = focus{stop: stop, field: f}
		return form
	}
	for name, where := range map[string]focus{
		"": {stopItem, fieldName}, "a choice": {stopItem, fieldNaming}, "an extension": {stopItem, fieldRemove},
		"the region": {stopItem, fieldRegion}, "files": {stop: stopList}, "checks": {stop: stopSide},
	} {
		parts[name] = at(where.stop, where.field).Actions()
	}
	form := at(stopItem, fieldTags)
	tags := form.item(fieldTags).chips
	tags.Complete = func(string) []string { return []string{"xy", "xyz"} }
	tags.Focus()
	tags.Update(kit.KeyMsg("x"))
	parts["suggested tags"] = form.Actions()
	over := overlay{m: form}
	parts["the request"] = newRequest(form, form.current(), api.Request{}, nil).Beside
	parts["presets"] = form.presetMenu(nil).Beside
	parts["patterns"] = (&patternView{overlay: over}).Actions()
	parts["the picture"] = (&regionView{overlay: over}).Actions()
	parts["a suggested region"] = form.region.SuggestionActions()
	return parts
}

// suggestionActions select a suggested tag or folder. Their keys take precedence over all others.
func (m *Model) suggestionActions(i *item) []kit.Action {
	apply := func() { m.apply(i) }
	switch {
	case i == nil:
		return nil
	case i.chips != nil:
		return kit.OfferActions(i.chips, "Tags", apply)
	case i.text != nil:
		return kit.OfferActions(i.text, "Folders", apply)
	}
	return nil
}

// fileActions returns the actions of the source list.
func (m *Model) fileActions() []kit.Action {
	actions := m.list.Actions()
	if m.list.Capturing() {
		return actions
	}
	return append([]kit.Action{
		{ID: "form.edit-alone", Keys: kit.Bind("edit this file alone", "", "enter"), Group: groupFiles, Footer: true, Do: func() tea.Cmd {
			for _, s := range m.sources {
				s.marked = s == m.current()
			}
			m.load()
			m.setFocus(focus{stop: stopItem, field: firstField})
			return nil
		}},
		{ID: "form.remove", Keys: kit.Bind("remove from the form", "", "d"), Group: groupFiles, Do: then(func() { m.remove(m.current()) })},
		{ID: "form.reset-file", Keys: kit.Bind("make this file like the others", "", "r"), Group: groupFiles, Disabled: m.noReset, Do: func() tea.Cmd { return m.resetFile(m.current()) }},
	}, actions...)
}

// itemActions returns the actions of a field.
func (m *Model) itemActions(i *item) []kit.Action {
	var actions []kit.Action
	down := []string{"down", "enter"}
	if i != nil && i.section == sectionRegion {
		if m.noDraw() == "" {
			down = down[:1] // enter draws
		}
		actions = append(actions, kit.Action{ID: "form.draw-region", Keys: kit.Bind("draw it on the picture", "", "enter"), Group: "Region", Footer: true, Disabled: m.noDraw, Do: m.drawRegion})
	}
	if i != nil && i.known != nil {
		actions = append(
			actions,
			kit.Action{ID: "form.extension-earlier", Keys: kit.Bind("run this extension earlier", "", "<"), Group: groupExtensions, Disabled: m.noOrder, Do: then(func() { m.moveExtension(-1) })},
			kit.Action{ID: "form.extension-later", Keys: kit.Bind("run this extension later", "", ">"), Group: groupExtensions, Disabled: m.noOrder, Do: then(func() { m.moveExtension(1) })},
		)
	}
	return append(
		actions,
		kit.Action{ID: "form.reset-field", Keys: kit.Bind("reset this field", "", "ctrl+x"), Group: groupForm, Disabled: m.noResetField, Do: then(m.resetField)},
		kit.Action{ID: "form.next-field", Keys: kit.Bind("next field", "", down...), Group: groupForm, Do: then(func() { m.step(1) })},
		kit.Action{ID: "form.previous-field", Keys: kit.Bind("previous field", "", "up"), Group: groupForm, Do: then(func() { m.step(-1) })},
	)
}

// checkActions returns the actions that go from a check to its field.
func (m *Model) checkActions() []kit.Action {
	return []kit.Action{
		{ID: "form.open-check", Keys: kit.Bind("go to its field", "", "enter"), Group: groupChecks, Footer: true, Disabled: m.noCheck, Do: then(m.openCheck)},
		{ID: "form.next-check", Keys: kit.Bind("next check", "", "n"), Group: groupChecks, Footer: true, Disabled: m.oneCheck, Do: then(func() { m.turnCheck(1) })},
		{ID: "form.previous-check", Keys: kit.Bind("previous check", "", "N"), Group: groupChecks, Disabled: m.oneCheck, Do: then(func() { m.turnCheck(-1) })},
	}
}

// scrollActions returns the actions that scroll the side. There, k keeps.
func (m *Model) scrollActions() []kit.Action {
	actions := kit.ListActions(func() kit.Scroller { return sideScroller{m} }, nil)
	for i := range actions {
		actions[i].Disabled = m.noScroll
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
	return []kit.Action{
		{ID: "form.request", Keys: kit.Bind("show the request", "", "ctrl+r"), Group: groupForm, Footer: true, Do: m.showRequest},
		{ID: "form.check-stored", Keys: kit.Bind(m.skipLabel(), "", "ctrl+v"), Group: groupForm, Footer: len(m.sum().stored) > 0, Disabled: m.noSkip, Do: m.skip},
		{ID: "form.add-extension", Keys: kit.Bind("add an extension", "", "ctrl+l"), Group: groupForm, Do: m.askExtension},
		{ID: "form.presets", Keys: kit.Bind("presets: save or load options", "", "ctrl+p"), Group: groupForm, Do: m.openPresets},
		{ID: "form.patterns", Keys: kit.Bind("name by patterns", "", "ctrl+t"), Group: groupForm, Do: m.openPatterns},
		{ID: "form.edit-text", Keys: edit, Group: groupForm, Do: m.openEditor},
		{ID: "form.go-to-check", Keys: kit.Bind("go to the field of the next check", "", "ctrl+n"), Group: groupForm, Disabled: m.noCheck, Do: m.nextProblem},
		// The same key, if something blocks sending.
		{ID: "form.send", Keys: kit.Bind("go to what stops the sending", "", "ctrl+s"), Group: groupForm, Disabled: m.noProblem, Do: m.refuse},
		{ID: "form.back", Keys: kit.Bind("leave, keep entries", "", "esc"), Group: groupForm, Footer: true, Do: m.goBack},
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

func (m *Model) noKeep() string {
	return text.If(m.keepable() == noField, "no switch would prevent a loss here")
}

func (m *Model) noScroll() string {
	return text.If((sideScroller{m}).most() == 0, "all of it is seen")
}

// listMoved follows the list's cursor. Without marks, the form edits the file under it.
func (m *Model) listMoved() tea.Cmd {
	m.scroll = 0
	m.load()
	return nil
}

// chosen applies the focused choice. If it was mixed, any key sets it.
func (m *Model) chosen() tea.Cmd {
	if i := m.focused(); i.value() != i.loaded || i.mixed {
		m.apply(i)
	}
	return nil
}

// keepable returns the switch that prevents the first loss of the current source.
func (m *Model) keepable() field {
	s := m.current()
	if s == nil {
		return noField
	}
	if f := m.predict(s).keep(); f != noField {
		return f
	}
	return m.sum().all.keepable()
}

// keep switches off what would remove something, for the targets, or for the current source alone if it is not a
// target.
func (m *Model) keep() {
	f := m.keepable()
	if f == noField {
		return
	}
	s := m.current()
	if m.predict(s).keep() == f && !s.marked && len(m.targets()) > 0 && m.targets()[0] != s {
		m.set(s, f, off)
		m.changed()
		return
	}
	for _, s := range m.targets() {
		m.set(s, f, off)
	}
	i := m.item(f)
	i.load(off, false)
	m.changed()
}
