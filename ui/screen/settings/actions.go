package settings

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
)

// Action groups in the help.
const (
	groupAccounts = "Accounts"
	groupProgram  = "Program"
	groupMove     = "Move"
)

// Actions returns the actions for the row under the cursor.
func (m *Model) Actions() []kit.Action { return m.actionsOf(m.current().area) }

// Catalog returns the actions of every part of the screen.
func (m *Model) Catalog() map[string][]kit.Action {
	return map[string][]kit.Action{
		"accounts": m.actionsOf(areaAccounts), "program": m.actionsOf(areaTheme), "files": m.actionsOf(areaFacts),
	}
}

func (m *Model) actionsOf(part area) []kit.Action {
	add := kit.Action{ID: "settings.add-account", Keys: kit.Bind("add an account", "", "a"), Group: groupAccounts, Footer: true, Disabled: m.noSettings, Do: m.add}
	var actions []kit.Action
	switch part {
	case areaAccounts:
		actions = []kit.Action{
			{ID: "settings.use-account", Keys: kit.Bind("use this account", "", "enter"), Group: groupAccounts, Footer: true, Disabled: m.noUse, Do: m.useSelected},
			add,
			{ID: "settings.set-key", Keys: kit.Bind("set or replace its key", "", "K"), Group: groupAccounts, Footer: true, Disabled: m.noKey, Do: m.setKey},
			{ID: "settings.edit-account", Keys: kit.Bind("edit this account", "", "e"), Group: groupAccounts, Footer: true, Disabled: m.noEdit, Do: m.editAccount},
			{ID: "settings.remove-account", Keys: kit.Bind("remove from the settings", "", "d"), Group: groupAccounts, Disabled: m.noRemove, Do: m.askRemove},
			{ID: "settings.forget-key", Keys: kit.Bind("forget its key", "", "F"), Group: groupAccounts, Disabled: m.noKey, Do: m.askForget},
			{ID: "settings.refresh-key", Keys: kit.Bind("refresh where the key is", "", "r"), Group: groupAccounts, Disabled: m.noKey, Do: func() tea.Cmd { return m.findKey(m.selected()) }},
		}
	case areaFacts:
		actions = []kit.Action{
			{ID: "settings.copy", Keys: kit.Bind("copy", "", "y"), Group: groupProgram, Footer: true, Disabled: m.noCopy, Do: m.copyFact},
			add,
		}
	default:
		choose := func(to func(at, n int) int) func() tea.Cmd {
			return func() tea.Cmd { return m.choose(to) }
		}
		actions = []kit.Action{
			{ID: "settings.change", Keys: kit.Bind("change", "← →", "right", "l"), Group: groupProgram, Footer: true, Disabled: m.noChange, Do: choose(func(at, _ int) int { return at + 1 })},
			{ID: "settings.change-back", Keys: kit.Bind("previous choice", "← h", "left", "h"), Group: groupProgram, Disabled: m.noChange, Do: choose(func(at, _ int) int { return at - 1 })},
			{ID: "settings.change-around", Keys: kit.Bind("next choice, or the first", "space enter", "space", "enter"), Group: groupProgram, Disabled: m.noChange, Do: choose(func(at, n int) int { return (at + 1) % n })},
			add,
		}
	}
	actions = append(actions,
		kit.Action{ID: "settings.terminal", Keys: kit.Bind("show what the terminal supports", "", "t"), Group: groupProgram, Footer: part == areaPictures || part == areaFacts, Do: m.showTerminal},
		kit.Action{ID: "settings.webhooks", Keys: kit.Bind("test webhooks, set up a tunnel", "", "w"), Group: groupAccounts, Do: m.testWebhooks},
		kit.Action{ID: "settings.edit-file", Keys: kit.Bind("edit the settings file", "", "E"), Group: groupProgram, Footer: part != areaAccounts, Disabled: m.noEditor, Do: m.editFile},
		kit.Action{ID: "settings.next-part", Keys: kit.Bind("next part", "", "tab"), Group: groupMove, Do: func() tea.Cmd { return m.jump(1) }},
		kit.Action{ID: "settings.previous-part", Keys: kit.Bind("previous part", "", "shift+tab"), Group: groupMove, Do: func() tea.Cmd { return m.jump(-1) }},
	)
	return append(actions, kit.ListActions(func() kit.Scroller { return &m.list }, m.moved)...)
}

// These functions return why an action is disabled, or "" if it is enabled.

func (m *Model) noUse() string {
	if p := m.selected(); p.Name == m.o.Profile.Name && p.Name == m.config.Profile {
		return "it is the account in use"
	}
	return ""
}

func (m *Model) noSettings() string {
	return text.If(m.broken != nil, "the settings file cannot be read: correct it first")
}

func (m *Model) noEdit() string {
	return cmp.Or(fixedReason(m.config.SetIn("profiles."+m.selected().Name)), m.noSettings())
}

// fixedReason tells the user where to change a setting that config.toml sets; "" if set is "".
func fixedReason(set string) string {
	if set == "" {
		return ""
	}
	return "it is " + set + ": E edits that file"
}

// noChange says why the choice under the cursor cannot be changed.
func (m *Model) noChange() string { return fixedReason(m.choice().Fixed) }

func (m *Model) noKey() string {
	if m.selected().Kind == config.KindLocal {
		return "the local library has a key of its own"
	}
	return m.noSettings()
}

func (m *Model) noRemove() string {
	p := m.selected()
	switch {
	case p.Kind == config.KindLocal:
		return "the local library cannot be removed"
	case p.Name == m.o.Profile.Name, p.Name == m.config.Profile:
		return "it is in use: use another account first"
	}
	return m.noEdit()
}

func (m *Model) noCopy() string {
	return text.If(m.current().value == "", "there is nothing to copy")
}

func (m *Model) noEditor() string {
	return text.If(len(m.editor()) == 0, "set VISUAL or EDITOR to an editor first")
}
