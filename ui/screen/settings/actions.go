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
func (m *Model) Actions() []kit.Action {
	group := m.current().group
	return m.list.Actions(m.actionsOf(group == "" || group == accounts))
}

func (m *Model) Catalog() map[string][]kit.Action {
	catalog := m.list.Catalog(m.actionsOf(true))
	catalog["preferences"] = m.list.Catalog(m.actionsOf(false))[""]
	return catalog
}

func (m *Model) actionsOf(ofAccount bool) []kit.Action {
	action := func(id, words, shown string, footer bool, disabled func() string, do func() tea.Cmd,
		keys ...string,
	) kit.Action {
		return kit.Action{ID: "settings." + id, Keys: kit.Bind(words, shown, keys...), Group: groupAccounts, Footer: footer, Disabled: disabled, Do: do}
	}
	ask := func(mode account.Mode) func() tea.Cmd {
		return func() tea.Cmd {
			return m.ask(account.Options{Mode: mode, Name: text.If(mode != account.Add, m.selected().Name)})
		}
	}
	add := action("add-account", "add an account", "", true, m.noSettings, ask(account.Add), "a")
	var actions []kit.Action
	if ofAccount {
		actions = []kit.Action{
			action("use-account", "use this account", "", true, m.noUse, func() tea.Cmd { return m.use(m.selected().Name, nil) }, "enter"),
			add,
			action("set-key", "set or replace its key", "", true, m.noKey, ask(account.Key), "K"),
			action("edit-account", "edit this account", "", true, m.noEdit, ask(account.Edit), "e"),
			action("remove-account", "remove from the settings", "", false, m.noRemove, m.askRemove, "d"),
			action("forget-key", "forget its key", "", false, m.noKey, m.askForget, "F"),
			action("refresh-key", "refresh where the key is", "", false, m.noRefresh, func() tea.Cmd { return m.findKey(m.selected()) }, "r"),
		}
	} else {
		choose := func(to func(at, n int) int) func() tea.Cmd { return func() tea.Cmd { return m.choose(to) } }
		actions = []kit.Action{
			action("change-around", "change", "", true, m.noChange, choose(func(at, n int) int { return (at + 1) % n }), "enter", "space"),
			action("change", "next choice", "→ l", false, m.noChange, choose(func(at, _ int) int { return at + 1 }), "right", "l"),
			action("change-back", "previous choice", "← h", false, m.noChange, choose(func(at, _ int) int { return at - 1 }), "left", "h"),
			add,
		}
	}
	actions = append(actions,
		action("terminal", "show what the terminal supports", "", !ofAccount, nil, func() tea.Cmd {
			return m.Open(kit.NewReader("This terminal", m.describeTerminal()))
		}, "t"),
		action("edit-file", "edit the settings file", "", !ofAccount, m.noEditor, m.editFile, "E"))
	for i := range actions {
		if i >= len(actions)-2 || !ofAccount && actions[i].ID != "settings.add-account" {
			actions[i].Group = groupProgram
		}
	}
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

func (m *Model) noRefresh() string {
	inUse := m.selected().Name == m.o.Profile.Name && m.o.Profile.KeySource != ""
	return cmp.Or(m.noKey(), text.If(inUse, "the key of this account is in use"))
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
