package settings

import (
	"cmp"
	"os/exec"

	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Action groups in the help.
const (
	groupAccounts = "Accounts"
	groupProgram  = "Preferences"
)

// Actions returns the actions for the row under the cursor.
func (m *Model) Actions() []kit.Action { return m.list.Actions(m.actionsOf(m.current().area)) }

// Catalog returns the actions of every part of the screen.
func (m *Model) Catalog() map[string][]kit.Action {
	catalog := m.list.Catalog(m.actionsOf(areaAccounts))
	catalog["preferences"] = m.list.Catalog(m.actionsOf(areaPreferences))[""]
	return catalog
}

func (m *Model) actionsOf(part area) []kit.Action {
	ask := func(mode account.Mode) func() tea.Cmd {
		return func() tea.Cmd {
			return m.ask(account.Options{Mode: mode, Name: text.If(mode != account.Add, m.selected().Name)})
		}
	}
	add := kit.Action{ID: "settings.add-account", Keys: kit.Bind("add an account", "", "a"), Group: groupAccounts, Footer: true, Disabled: m.noSettings, Do: ask(account.Add)}
	var actions []kit.Action
	switch part {
	case areaAccounts:
		actions = []kit.Action{
			{ID: "settings.use-account", Keys: kit.Bind("use this account", "", "enter"), Group: groupAccounts, Footer: true, Disabled: m.noUse, Do: m.useSelected},
			add,
			{ID: "settings.set-key", Keys: kit.Bind("set or replace its key", "", "K"), Group: groupAccounts, Footer: true, Disabled: m.noKey, Do: ask(account.Key)},
			{ID: "settings.edit-account", Keys: kit.Bind("edit this account", "", "e"), Group: groupAccounts, Footer: true, Disabled: m.noEdit, Do: ask(account.Edit)},
			{ID: "settings.remove-account", Keys: kit.Bind("remove from the settings", "", "d"), Group: groupAccounts, Disabled: m.noRemove, Do: m.askRemove},
			{ID: "settings.forget-key", Keys: kit.Bind("forget its key", "", "F"), Group: groupAccounts, Disabled: m.noKey, Do: m.askForget},
			{ID: "settings.refresh-key", Keys: kit.Bind("refresh where the key is", "", "r"), Group: groupAccounts, Disabled: m.noKey, Do: m.refreshKey},
		}
	default:
		choose := func(to func(at, n int) int) func() tea.Cmd { return func() tea.Cmd { return m.choose(to) } }
		actions = []kit.Action{
			{ID: "settings.change", Keys: kit.Bind("change", "← →", "right", "l"), Group: groupProgram, Footer: true, Disabled: m.noChange, Do: choose(func(at, _ int) int { return at + 1 })},
			{ID: "settings.change-back", Keys: kit.Bind("previous choice", "← h", "left", "h"), Group: groupProgram, Disabled: m.noChange, Do: choose(func(at, _ int) int { return at - 1 })},
			{ID: "settings.change-around", Keys: kit.Bind("next choice, or the first", "space enter", "space", "enter"), Group: groupProgram, Disabled: m.noChange, Do: choose(func(at, n int) int { return (at + 1) % n })},
			add,
		}
	}
	actions = append(actions,
		kit.Action{ID: "settings.terminal", Keys: kit.Bind("show what the terminal supports", "", "t"), Group: groupProgram, Footer: part != areaAccounts, Do: func() tea.Cmd {
			return m.Open(kit.NewReader("This terminal", m.describeTerminal()))
		}},
		kit.Action{ID: "settings.edit-file", Keys: kit.Bind("edit the settings file", "", "E"), Group: groupProgram, Footer: part != areaAccounts, Disabled: m.noEditor, Do: m.editFile},
	)
	return actions
}

// These functions return why an action is disabled, or "" if it is enabled.

func (m *Model) noUse() string {
	p := m.selected()
	return text.If(p.Name == m.o.Profile.Name && p.Name == m.config.Profile, "it is the account in use")
}

func (m *Model) noSettings() string {
	return text.If(m.broken != nil, "the settings file cannot be read: correct it first")
}

func (m *Model) noEdit() string {
	return cmp.Or(fixedReason(m.config.SetIn("profiles."+m.selected().Name)), m.noSettings())
}

// fixedReason tells the user where to change a setting that config.toml sets; "" if set is "".
func fixedReason(set string) string {
	return text.If(set != "", "it is "+set+": E edits that file")
}

// noChange says why the preference under the cursor cannot be changed.
func (m *Model) noChange() string {
	if p := m.current().pref; p != nil {
		return fixedReason(m.config.SetIn(p.key))
	}
	return "move to a preference first"
}

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

func (m *Model) noEditor() string {
	return text.If(edit.EditorCommand(m.o.Getenv) == nil, "set VISUAL or EDITOR to an editor first")
}

func (m *Model) useSelected() tea.Cmd { return m.use(m.selected().Name, nil) }

// edited reports that the editor exited.
type edited struct{ err error }

// editFile opens the settings file in the user's editor. A new file explains every setting in its
// comments.
func (m *Model) editFile() tea.Cmd {
	args, paths := edit.EditorCommand(m.o.Getenv), m.o.Paths
	return func() tea.Msg {
		if err := config.CreateFile(paths); err != nil {
			return page.Then(func() tea.Cmd { return page.Send(page.Problem(err)) })
		}
		run := exec.Command(args[0], append(args[1:], paths.Config)...)
		return kit.ExecProcess(run, func(err error) tea.Msg { return edited{err} })()
	}
}

// Commands returns the command that shows the selected profile.
func (m *Model) Commands() [][]string {
	if name := m.selected().Name; name != "" {
		return [][]string{{"profile", "show", name}}
	}
	return [][]string{{"profile", "list"}}
}
