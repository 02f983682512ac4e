package settings

import (
	"errors"
	"fmt"
	"os/exec"
	"reflect"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

func (m *Model) add() tea.Cmd { return m.ask(account.Options{Mode: account.Add}) }

func (m *Model) editAccount() tea.Cmd {
	return m.ask(account.Options{Mode: account.Edit, Name: m.selected().Name})
}

func (m *Model) setKey() tea.Cmd {
	return m.ask(account.Options{Mode: account.Key, Name: m.selected().Name})
}

// ask opens the account dialog.
func (m *Model) ask(o account.Options) tea.Cmd {
	o.Context, o.Paths, o.Keys = m.o.Context, m.o.Paths, m.o.Keys
	o.Done = func(r account.Result) tea.Cmd { return m.finished(o.Mode, r) }
	flow := account.New(o)
	m.Overlays().Open(flow)
	return flow.Init()
}

// finished reports what the dialog did and offers to switch to the account.
func (m *Model) finished(mode account.Mode, r account.Result) tea.Cmd {
	place := m.keyPlaceOf(r.Name)
	place.tell("")
	if r.Key == nil {
		place.tell(r.Place)
	}
	read := m.read(r.Name)
	words := "Saved the account " + r.Name + "."
	switch mode {
	case account.Add:
		words = "Added the account " + r.Name + ", its key " + r.Place + "."
	case account.Key:
		words = "The key of the account " + r.Name + " is " + r.Place + "."
	}
	inUse := r.Name == m.o.Profile.Name
	if mode != account.Add && !inUse && r.Key == nil {
		return tea.Batch(read, page.Send(page.Toast{Level: page.Good, Text: words}))
	}
	text := words + "\nUse it now? " + leaving
	verb := "Use " + r.Name + " now"
	if inUse {
		text = words + "\nThe change applies when the account is opened again. " + leaving
		verb = "Open " + r.Name + " again"
	}
	if r.Key != nil {
		text += "\nIf you do not use it now, the key is lost."
	}
	return tea.Batch(read, page.Send(page.Ask{
		Title: "Account " + r.Name, Text: text,
		Choices: []page.Choice{
			{Label: "Not now", Key: "n"},
			{Label: verb, Key: "u", Default: true, Do: func() tea.Cmd { return m.use(r.Name, r.Key) }},
		},
	}))
}

// leaving tells what happens to the uploads of the account that the user leaves.
const leaving = "Unfinished uploads wait in the journal until you use their account again."

// askForget asks for confirmation to forget the selected account's key.
func (m *Model) askForget() tea.Cmd {
	name := m.selected().Name
	return page.Send(page.Ask{
		Title: "Forget the key of " + name + "?",
		Text:  "The keyring of this computer forgets it. A key file, a key command or the environment does not change.",
		Choices: []page.Choice{
			{Label: "Keep the key", Key: "n"},
			{Label: "Forget the key of " + name, Key: "f", Danger: true, Do: func() tea.Cmd { return m.forget(name) }},
		},
	})
}

// askRemove asks for confirmation to remove the selected account.
func (m *Model) askRemove() tea.Cmd {
	name := m.selected().Name
	return page.Send(page.Ask{
		Title: "Remove the account " + name + "?",
		Text:  "The settings of this computer forget it. The files at the service stay.",
		Choices: []page.Choice{
			{Label: "Keep " + name, Key: "n"},
			{Label: "Remove it, keep its key", Key: "r", Danger: true, Do: func() tea.Cmd { return m.remove(name, false) }},
			{Label: "Remove it and forget its key", Key: "f", Danger: true, Do: func() tea.Cmd { return m.remove(name, true) }},
		},
	})
}

// choose sets the choice under the cursor to the option that to returns, and saves it.
func (m *Model) choose(to func(at, n int) int) tea.Cmd {
	choice := m.choice()
	choice.SetIndex(to(choice.Index(), len(choice.Options)))
	return m.write()
}

// copyFact copies the value of the row under the cursor.
func (m *Model) copyFact() tea.Cmd {
	r := m.current()
	return page.Send(page.Copy{What: r.label, Text: r.value})
}

func (m *Model) showTerminal() tea.Cmd {
	m.Overlays().Open(kit.NewReader("This terminal", m.describeTerminal()))
	return nil
}

func (m *Model) useSelected() tea.Cmd { return m.use(m.selected().Name, nil) }

// write saves the chosen settings if they changed.
func (m *Model) write() tea.Cmd {
	c, want := m.config, m.chosen()
	if m.writing || reflect.DeepEqual(want, c.Choices) {
		return nil
	}
	m.writing = true
	return func() tea.Msg {
		next, err := c.Set(want)
		return page.Then(func() tea.Cmd { return m.wrote(next, err) })
	}
}

// chosen returns the settings that the screen shows.
func (m *Model) chosen() config.Choices {
	c := m.config.Choices
	value := func(part area) string { return m.choices[part].Value() }
	count, err := strconv.Atoi(value(areaUploads))
	if err == nil || value(areaUploads) == adaptive {
		c.Concurrency = count
	}
	c.Theme, c.Colors = config.Theme(value(areaTheme)), config.ColorDepth(value(areaColors))
	c.Pictures, c.Signal = config.Pictures(value(areaPictures)), config.Signal(value(areaSignal))
	return c
}

func (m *Model) wrote(c config.Config, err error) tea.Cmd {
	m.writing = false
	if err != nil {
		m.showChoices()
		return page.Send(page.Problem(err))
	}
	m.config = c
	more := m.write()
	return tea.Batch(more, page.Send(Changed{Theme: m.config.Theme, Themes: m.config.Themes, Pictures: m.config.Pictures, Signal: m.config.Signal, Concurrency: m.config.Concurrency}))
}

// done reports the result of an action on an account.
type done struct {
	words string // what happened
	err   error
	name  string  // account whose key changed; empty if none
	gone  bool    // the key is no longer in the keyring
	open  bool    // open the account
	key   api.Key // key to open it with; nil: look it up
}

func (m *Model) after(d done) page.Then { return func() tea.Cmd { return m.done(d) } }

func (m *Model) done(msg done) tea.Cmd {
	if msg.err != nil {
		return tea.Batch(m.read(""), page.Send(page.Toast{Level: page.Bad, Text: firstLine(account.Explain(msg.err)), Detail: account.Explain(msg.err)}))
	}
	if msg.open {
		open := page.Send(page.UseProfile{Name: msg.name, Key: msg.key})
		if msg.words != "" {
			open = tea.Batch(open, page.Send(page.Toast{Level: page.Info, Text: msg.words}))
		}
		return open
	}
	m.keyPlaceOf(msg.name).tell("")
	if msg.gone && msg.name == m.o.Profile.Name {
		m.keyPlaceOf(msg.name).tell("in use until you leave the account; no longer in the keyring")
	}
	return tea.Batch(m.read(""), page.Send(page.Toast{Level: page.Good, Text: msg.words}))
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// use opens an account and saves it as the one for the next start. If config.toml sets that one, use still
// opens the account for this run.
func (m *Model) use(name string, key api.Key) tea.Cmd {
	paths := m.o.Paths
	return func() tea.Msg {
		c, err := config.Load(paths)
		if err == nil {
			_, err = c.Use(name)
		}
		words := ""
		if readOnly, ok := errors.AsType[*config.ReadOnlyError](err); ok {
			words, err = "The next start opens another account: "+readOnly.Error()+".", nil
		}
		return m.after(done{words: words, name: name, key: key, open: true, err: err})
	}
}

// remove deletes an account from the settings and, if forgetKey is true, its key from the keyring.
func (m *Model) remove(name string, forgetKey bool) tea.Cmd {
	ctx, paths, keys := m.o.Context, m.o.Paths, m.o.Keys
	return func() tea.Msg {
		c, err := config.Load(paths)
		if err == nil {
			_, err = c.RemoveProfile(name)
		}
		words := "The account " + name + " is no longer in the settings."
		if err == nil && forgetKey {
			err = keys.Forget(ctx, config.Profile{Name: name})
			switch {
			case errors.Is(err, config.KeyringNotFound):
				err = nil
			case err != nil:
				err = fmt.Errorf("the account %s is removed, but its key is still there: %w", name, err)
			default:
				words += " Its key is deleted."
			}
		}
		return m.after(done{words: words, name: name, err: err})
	}
}

// forget deletes a key from the keyring.
func (m *Model) forget(name string) tea.Cmd {
	ctx, keys := m.o.Context, m.o.Keys
	return func() tea.Msg {
		err := keys.Forget(ctx, config.Profile{Name: name})
		return m.after(done{words: "The key of the account " + name + " is no longer in the keyring.", name: name, gone: true, err: err})
	}
}

// editorReady reports that the settings file exists and can be edited.
type editorReady struct {
	args []string
	err  error
}

// edited reports that the editor exited.
type edited struct{ err error }

// editFile opens the settings file in the user's editor.
func (m *Model) editFile() tea.Cmd {
	args := m.editor()
	paths := m.o.Paths
	return func() tea.Msg {
		// A new file explains every setting in its comments.
		if err := config.CreateFile(paths); err != nil {
			return editorReady{err: err}
		}
		return editorReady{args: append(args, paths.Config)}
	}
}

// editor returns the editor command from VISUAL or EDITOR.
func (m *Model) editor() []string {
	for _, variable := range []string{"VISUAL", "EDITOR"} {
		if args := strings.Fields(m.o.Getenv(variable)); len(args) > 0 {
			return args
		}
	}
	return nil
}

func (m *Model) openEditor(msg editorReady) tea.Cmd {
	if msg.err != nil {
		return page.Send(page.Problem(msg.err))
	}
	return kit.ExecProcess(exec.Command(msg.args[0], msg.args[1:]...), func(err error) tea.Msg { return edited{err: err} })
}

func (m *Model) closedEditor(msg edited) tea.Cmd {
	if msg.err != nil {
		return tea.Batch(m.read(""), page.Send(page.Toast{Level: page.Bad, Text: "The editor failed: " + msg.err.Error() + ". Check VISUAL and EDITOR."}))
	}
	return m.read("")
}
