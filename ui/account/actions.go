package account

import (
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

const group = "Account"

// Actions returns the actions of the current step.
func (f *Flow) Actions() []kit.Action {
	back := kit.Action{Keys: kit.Bind("step back", "", "esc"), Footer: true, Group: group, Disabled: f.writing, Do: f.back}
	enter := kit.Action{Keys: kit.Bind("continue", "", "enter", "ctrl+s"), Footer: true, Group: group, Do: f.enter}
	switch f.step {
	case stepForm:
		return append(f.formActions(), back)
	case stepKey:
		other := kit.Action{Keys: kit.Bind("another place for the key", "", "ctrl+o"), Footer: true, Group: group, Disabled: f.noOther, Do: f.other}
		return []kit.Action{enter, other, back}
	case stepFile, stepCommand:
		return []kit.Action{enter, back}
	case stepWays:
		return append(f.ways.Actions(group), back)
	case stepLoading:
		if f.problem != nil {
			return []kit.Action{{Keys: kit.Bind("try again", "", "r", "enter"), Footer: true, Group: group, Do: f.Init}, back}
		}
	}
	return []kit.Action{back}
}

// formActions returns the actions that move between lines, change a choice and submit.
func (f *Flow) formActions() []kit.Action {
	next, submit := []string{"enter", "down", "tab"}, []string{"ctrl+s"}
	if f.form.at == entryGo {
		next, submit = next[1:], []string{"enter", "ctrl+s", "space"}
	}
	line := func(by int) func() tea.Cmd {
		return func() tea.Cmd { f.form.step(by); return nil }
	}
	actions := []kit.Action{
		{Keys: kit.Bind("next line", "", next...), Footer: true, Group: group, Do: line(1)},
		{Keys: kit.Bind("continue", "", submit...), Footer: true, Group: group, Do: f.submit},
	}
	if choice := f.form.choices[f.form.at]; choice != nil {
		actions = append(actions, kit.ChoiceActions(choice, func() tea.Cmd { f.typed(); return nil })...)
	}
	return append(actions, kit.Action{Keys: kit.Bind("line before", "↑", "up", "shift+tab"), Group: group, Do: line(-1)})
}

// writing returns why the dialog cannot be closed, or "".
func (f *Flow) writing() string {
	return text.If(f.step == stepSaving, "the settings are being written")
}

// noOther returns why the key cannot be stored elsewhere, or "".
func (f *Flow) noOther() string {
	return text.If(f.o.Mode == KeyForRun, "the settings do not have this account, so no key can be stored for it")
}

// other lists the places for the key.
func (f *Flow) other() tea.Cmd {
	f.closeInput()
	f.problem = nil
	f.askWay()
	return nil
}

// field returns the focused text field, or nil.
func (f *Flow) field() *kit.Field {
	switch f.step {
	case stepForm:
		return f.form.fields[f.form.at]
	case stepKey, stepFile, stepCommand:
		return f.input
	}
	return nil
}

// Capturing reports whether a text field has the keyboard.
func (f *Flow) Capturing() bool { return f.field() != nil }

// Type edits the text field in focus.
func (f *Flow) Type(msg tea.Msg) (tea.Cmd, bool) {
	field := f.field()
	if field == nil || !field.Update(msg) {
		return nil, false
	}
	f.typed()
	return nil, true
}

// typed updates the dialog after the form or a field changed.
func (f *Flow) typed() {
	f.problem = nil
	if f.step == stepForm {
		f.form.suggest()
	}
}

// Mouse focuses or selects the item under the mouse.
func (f *Flow) Mouse(msg tea.MouseMsg) tea.Cmd {
	if f.step == stepWays {
		f.ways.Wheel(msg)
	}
	click, ok := msg.(tea.MouseClickMsg)
	if !ok || click.Button != tea.MouseLeft {
		return nil
	}
	stop := f.sheet(f.room, &theme.Theme{}).StopAt(click.X, click.Y)
	if stop < 0 {
		return nil
	}
	switch f.step {
	case stepForm:
		f.form.focus(entry(stop))
		if f.form.at == entryGo {
			return f.submit()
		}
	case stepWays:
		return f.ways.Click(stop)
	case stepKey, stepFile, stepCommand:
		return f.enter()
	}
	return nil
}
