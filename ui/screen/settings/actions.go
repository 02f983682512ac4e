package settings

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Action groups in the help.
const (
	groupAccounts = accounts
	groupProgram  = "Preferences"
)

// Actions returns the actions for the row under the cursor.
func (m *Model) Actions() []kit.Action {
	return m.list.Actions(m.actionsOf(m.current()))
}

func (m *Model) Catalog() map[string][]kit.Action {
	catalog := m.list.Catalog(m.actionsOf(row{}))
	catalog["preferences"] = m.list.Catalog(m.actionsOf(row{group: groupProgram}))[""]
	catalog["files"] = m.list.Catalog(m.actionsOf(row{group: files, path: "/"}))[""]
	return catalog
}

func (m *Model) actionsOf(r row) []kit.Action {
	ofAccount := r.group == "" || r.group == accounts
	action := func(id, words, shown string, footer bool, disabled func() string, do func() tea.Cmd,
		keys ...string,
	) kit.Action {
		a := kit.Action{ID: "settings." + id, Keys: kit.Bind(words, shown, keys...), Group: groupAccounts}
		a.Footer, a.Disabled, a.Do = footer, disabled, do
		return a
	}
	ask := func(mode account.Mode) func() tea.Cmd {
		return func() tea.Cmd {
			return m.ask(account.Options{Mode: mode, Name: text.If(mode != account.Add, m.selected().Name)})
		}
	}
	add := action("add-account", "add an account", "", true, m.noSettings, ask(account.Add), "a")
	var actions []kit.Action
	switch {
	case ofAccount:
		actions = []kit.Action{
			action("use-account", "use this account", "", true, func() string {
				used, name := m.o.Profile.Name, m.selected().Name
				return text.If(name == used && used == m.config.Profile, "it is the account in use")
			}, func() tea.Cmd { return m.use(m.selected().Name, nil) }, "enter"),
			action("edit-account", "edit this account", "", true, m.noEdit, ask(account.Edit), "e"),
			add,
			action("set-key", "set or replace its key", "", true, m.noKey, ask(account.Key), "K"),
			action("remove-account", "remove from the settings", "", false, m.noRemove, m.askRemove, "d"),
			action("forget-key", "forget its key", "", false, m.noKey, m.askForget, "F"),
			action("refresh-key", "refresh where the key is", "", false, func() string {
				used := m.selected().Name == m.o.Profile.Name && m.o.Profile.KeySource != ""
				return cmp.Or(m.noKey(), text.If(used, "the key of this account is in use"))
			}, func() tea.Cmd { return m.findKey(m.selected()) }, "r"),
		}
	case r.path != "":
		copied := page.Send(page.Copy{What: "path", Text: r.path})
		actions = []kit.Action{action("copy-path", "copy the path", "", true, nil, func() tea.Cmd { return copied }, "enter", "y"), add}
	default:
		choose := func(to func(at, n int) int) func() tea.Cmd {
			return func() tea.Cmd { return m.choose(to) }
		}
		actions = []kit.Action{
			action("change-around", "next choice, then the first", "", false, m.noChange,
				choose(func(at, n int) int { return (at + 1) % n }), "enter", "space"),
			action("change", "change the value", "enter/←/→", true, m.noChange,
				choose(func(at, _ int) int { return at + 1 }), "right", "l"),
			action("change-back", "previous choice", "←/h", false, m.noChange,
				choose(func(at, _ int) int { return at - 1 }), "left", "h"),
			add,
		}
		actions[0].Aside, actions[2].Aside = true, true
	}
	actions = append(actions,
		action("edit-file", "edit the settings file", "", !ofAccount, func() string {
			return text.If(edit.EditorCommand(m.o.Getenv) == nil, "set VISUAL or EDITOR to an editor first")
		}, m.editFile, "E"))
	for i := range actions {
		if i == len(actions)-1 || !ofAccount && actions[i].ID != "settings.add-account" {
			actions[i].Group = groupProgram
		}
	}
	for _, p := range preferences { // the palette finds them
		actions = append(actions, kit.Action{
			ID: "settings." + p.key, Keys: kit.Bind("change "+strings.ToLower(p.label)+" ("+p.about+")", ""), Group: groupProgram, Aside: true,
			Do: func() tea.Cmd { m.list.Show(groupProgram + p.label); return nil },
		})
	}
	return actions
}

// These functions return why an action is disabled, or "" if it is enabled.

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
	return text.Either(m.selected().Kind == config.KindLocal, "the local library has a key of its own", m.noSettings())
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

func (m *Model) ask(o account.Options) tea.Cmd {
	o.Context, o.Paths, o.Keys, o.TryKey = m.o.Context, m.o.Paths, m.o.Keys, m.o.TryKey
	o.Done = func(r account.Result) tea.Cmd { return m.finished(o.Mode, r) }
	flow := account.New(o)
	m.Overlays().Open(flow)
	return flow.Init()
}

// leaving tells what happens to the uploads of the account that the user leaves.
const leaving = "Unfinished uploads wait in the journal until you use their account again."

func (m *Model) finished(mode account.Mode, r account.Result) tea.Cmd {
	m.keyIs(r.Name, text.If(r.Key == nil, r.Place))
	read := m.read(r.Name)
	words := "Saved the account " + r.Name + "."
	switch mode {
	case account.Add:
		words = "Added the account " + r.Name + ", its key " + r.Place + "."
	case account.Key:
		words = "The key of the account " + r.Name + " is " + r.Place + "."
	}
	if r.Tried != "" {
		words += " " + r.Tried
	}
	inUse := r.Name == m.o.Profile.Name
	if mode != account.Add && !inUse && r.Key == nil {
		return tea.Batch(read, page.Tell(page.Good, words))
	}
	question, verb := "Use it now? ", "Use "+r.Name+" now"
	if inUse {
		question, verb = "The change applies when the account is opened again. ", "Open "+r.Name+" again"
	}
	words += "\n\n" + question + leaving + text.If(r.Key != nil, "\n\nIf you do not use it now, the key is lost.")
	use := page.Choice{Label: verb, Key: "u", Default: true}
	use.Do = func() tea.Cmd { return m.use(r.Name, r.Key) }
	return tea.Batch(read,
		page.Confirm("Account "+r.Name, words, page.Choice{Label: "Not now", Key: "n"}, use))
}

func (m *Model) askForget() tea.Cmd {
	name := m.selected().Name
	forget := func() tea.Cmd { return m.forget(name) }
	return page.Confirm("Forget the key of "+name+"?",
		"The keyring of this computer forgets it. A key file, a key command or the environment does not change.",
		page.Choice{Label: "Keep the key", Key: "n"},
		page.Choice{Label: "Forget the key of " + name, Key: "f", Danger: true, Do: forget})
}

func (m *Model) askRemove() tea.Cmd {
	name := m.selected().Name
	remove := func(key bool) func() tea.Cmd { return func() tea.Cmd { return m.remove(name, key) } }
	return page.Confirm("Remove the account "+name+"?",
		"The settings of this computer forget it. The files at the service stay.",
		page.Choice{Label: "Keep " + name, Key: "n"},
		page.Choice{Label: "Remove it, keep its key", Key: "r", Danger: true, Do: remove(false)},
		page.Choice{Label: "Remove it and forget its key", Key: "f", Danger: true, Do: remove(true)})
}

// done reports the result of an action on an account, whose key is looked for again.
func (m *Model) done(name, words string, err error) tea.Cmd {
	if err != nil {
		first, detail, _ := strings.Cut(account.Explain(err), "\n")
		return tea.Batch(m.read(""), page.Send(page.Toast{Level: page.Bad, Text: first, Detail: detail}))
	}
	m.keyIs(name, "")
	return tea.Batch(m.read(""), page.Tell(page.Good, words))
}

// use opens an account and saves it as the one for the next start. If config.toml sets that one,
// use still opens the account for this run.
func (m *Model) use(name string, key api.Key) tea.Cmd {
	return func() tea.Msg {
		c, err := config.Load(m.o.Paths)
		if err == nil {
			_, err = c.Use(name)
		}
		return page.Then(func() tea.Cmd {
			open := page.Send(page.UseProfile{Name: name, Key: key})
			if readOnly, ok := errors.AsType[*config.ReadOnlyError](err); ok {
				return tea.Batch(open, page.Tell(page.Info, "The next start opens another account: "+readOnly.Error()+"."))
			}
			if err != nil {
				return m.done(name, "", err)
			}
			return open
		})
	}
}

func (m *Model) remove(name string, forgetKey bool) tea.Cmd {
	return func() tea.Msg {
		c, err := config.Load(m.o.Paths)
		if err == nil {
			_, err = c.RemoveProfile(name)
		}
		words := "The account " + name + " is no longer in the settings."
		if err == nil && forgetKey {
			err = m.o.Keys.Keyring.Delete(m.o.Context, name)
			switch {
			case errors.Is(err, config.KeyringNotFound):
				err = nil
			case err != nil:
				err = fmt.Errorf("the account %s is removed, but its key is still there: %w", name, err)
			default:
				words += " Its key is deleted."
			}
		}
		return page.Then(func() tea.Cmd { return m.done(name, words, err) })
	}
}

func (m *Model) forget(name string) tea.Cmd {
	return func() tea.Msg {
		err := m.o.Keys.Keyring.Delete(m.o.Context, name)
		return page.Then(func() tea.Cmd {
			cmd := m.done(name, "The key of the account "+name+" is no longer in the keyring.", err)
			if err == nil && name == m.o.Profile.Name {
				m.keyIs(name, "in use until you leave the account; no longer in the keyring")
			}
			return cmd
		})
	}
}

// place describes where an account's key is stored.
type place struct {
	words string
	bad   bool // missing or unreadable
}

// keyIs sets where a key is and drops a pending lookup. With "", the next searchKey looks again.
func (m *Model) keyIs(name, words string) {
	if delete(m.places, name); words != "" {
		m.places[name] = place{words: words}
	}
	if m.searching == name {
		m.lookups.Drop()
		m.searching = ""
	}
}

// searchKey looks once for the key of the selected account. It does not run a key command, which
// could ask for a password.
func (m *Model) searchKey() tea.Cmd {
	p := m.selected()
	_, known := m.places[p.Name]
	switch {
	case p.Kind == "" || known || m.searching == p.Name:
	case p.Kind == config.KindLocal:
		m.keyIs(p.Name, "created by the library")
	case p.Name == m.o.Profile.Name && m.o.Profile.KeySource != "":
		m.keyIs(p.Name, "in use: "+m.o.Profile.KeySource)
	case p.KeyFile == "" && len(p.KeyCommand) > 0:
		m.keyIs(p.Name, "from the command "+p.KeyCommand[0]+" (not run yet)")
	default:
		return m.findKey(p)
	}
	return nil
}

// findKey looks for an account's key in the same way as opening the account does.
func (m *Model) findKey(p config.Profile) tea.Cmd {
	m.keyIs(p.Name, "")
	m.searching = p.Name
	return m.lookups.Ask(func() tea.Msg {
		_, source, err := m.o.Keys.Find(m.o.Context, p)
		found := place{describeKey(source, err), err != nil}
		return page.Do(func() { m.searching, m.places[p.Name] = "", found })
	})
}

func describeKey(source config.Source, err error) string {
	problem, inKeyring := errors.AsType[config.KeyringProblem](err)
	missing := inKeyring && problem == config.KeyringNotFound
	switch {
	case err == nil:
		return "from: " + source.String()
	case missing, errors.Is(err, config.ErrNoKey) && !inKeyring:
		return "none yet: K sets it"
	case errors.Is(err, config.ErrNoKey):
		return "none found: " + problem.Error()
	}
	return account.Explain(err)
}
