package account

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
)

var (
	keyNext   = kit.Bind("next line", "", "enter", "down", "tab")
	keyPrev   = kit.Bind("line before", "↑", "up", "shift+tab")
	keySubmit = kit.Bind("go on", "", "ctrl+s")
	keyTake   = kit.Bind("go on", "", "enter", "ctrl+s")
	keyBack   = kit.Bind("step back", "", "esc")
	keyOther  = kit.Bind("another place for the key", "", "ctrl+o")
	keyAgain  = kit.Bind("try again", "", "r", "enter")
	keyKind   = kit.Bind("other service", "← →", "right", "left")
)

const group = "Account"

// Acts are what can be done now.
func (f *Flow) Acts() []kit.Act {
	back := kit.Act{Binding: keyBack, Hint: true, Group: group}
	switch f.step {
	case stepForm:
		acts := []kit.Act{
			{Binding: keyNext, Hint: true, Group: group},
			{Binding: keySubmit, Hint: true, Group: group},
		}
		if f.form.at == entryKind {
			acts = append(acts, kit.Act{Binding: keyKind, Hint: true, Group: group})
		}
		return append(acts, back, kit.Act{Binding: keyPrev, Group: group})
	case stepKey:
		return []kit.Act{
			{Binding: keyTake, Hint: true, Group: group},
			{Binding: keyOther, Hint: true, Group: group, Why: f.whyNoOther()},
			back,
		}
	case stepFile, stepCommand:
		return []kit.Act{{Binding: keyTake, Hint: true, Group: group}, back}
	case stepWays:
		return append(f.ways.Acts(group), back)
	case stepLoading:
		if f.problem != nil {
			return []kit.Act{{Binding: keyAgain, Hint: true, Group: group}, back}
		}
	case stepSaving:
		back.Why = "it is being written; this takes a moment"
	}
	return []kit.Act{back}
}

// whyNoOther says why the key can have no other place; empty: it can.
func (f *Flow) whyNoOther() string {
	if f.o.Mode == KeyForRun {
		return "the settings do not have this account: there is nothing to keep a key for"
	}
	return ""
}

// Capturing reports whether letters are text, or would leave something half
// done if they were the keys of the whole program.
func (f *Flow) Capturing() bool {
	switch f.step {
	case stepForm, stepKey, stepFile, stepCommand:
		return true
	}
	return false
}

func (f *Flow) press(msg tea.KeyPressMsg) (tea.Cmd, Event) {
	if key.Matches(msg, keyBack) {
		return nil, f.back()
	}
	switch f.step {
	case stepForm:
		return f.pressForm(msg), Open
	case stepWays:
		if taken, _ := f.ways.Update(msg); taken >= 0 {
			return f.take(f.offered[taken]), Open
		}
	case stepKey, stepFile, stepCommand:
		return f.pressInput(msg), Open
	case stepLoading:
		if f.problem != nil && key.Matches(msg, keyAgain) {
			return f.Init(), Open
		}
	}
	return nil, Open
}

func (f *Flow) pressForm(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(msg, keySubmit), f.form.at == entryGo && (msg.String() == "enter" || msg.String() == "space"):
		return f.submit()
	case f.form.update(msg):
		f.problem = nil
	case key.Matches(msg, keyNext):
		f.form.step(1)
	case key.Matches(msg, keyPrev):
		f.form.step(-1)
	}
	return nil
}

func (f *Flow) pressInput(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(msg, keyTake):
		return f.enter()
	case f.step == stepKey && key.Matches(msg, keyOther) && f.whyNoOther() == "":
		f.closeInput()
		f.problem = nil
		f.askWay()
	case f.input.Update(msg):
		f.problem = nil
	}
	return nil
}

func (f *Flow) paste(msg tea.PasteMsg) {
	used := false
	switch f.step {
	case stepForm:
		used = f.form.update(msg)
	case stepKey, stepFile, stepCommand:
		used = f.input.Update(msg)
	}
	if used {
		f.problem = nil
	}
}

// click focuses what is under the mouse, or takes it.
func (f *Flow) click(msg tea.MouseClickMsg) (tea.Cmd, Event) {
	if msg.Button != tea.MouseLeft || f.sheet == nil {
		return nil, Open
	}
	stop := f.sheet.StopAt(msg.X, msg.Y)
	if stop < 0 {
		return nil, Open
	}
	switch f.step {
	case stepForm:
		f.form.focus(entry(stop))
		if f.form.at == entryGo {
			return f.submit(), Open
		}
	case stepWays:
		if taken := f.ways.Take(stop); taken >= 0 {
			return f.take(f.offered[taken]), Open
		}
	case stepKey, stepFile, stepCommand:
		return f.enter(), Open
	}
	return nil, Open
}
