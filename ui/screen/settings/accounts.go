package settings

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// ask opens the account dialog.
func (m *Model) ask(o account.Options) tea.Cmd {
	o.Context, o.Paths, o.Keys, o.TryKey = m.o.Context, m.o.Paths, m.o.Keys, m.o.TryKey
	o.Done = func(r account.Result) tea.Cmd { return m.finished(o.Mode, r) }
	flow := account.New(o)
	m.Overlays().Open(flow)
	return flow.Init()
}

// leaving tells what happens to the uploads of the account that the user leaves.
const leaving = "Unfinished uploads wait in the journal until you use their account again."

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
	if r.Tried != "" {
		words += " " + r.Tried
	}
	inUse := r.Name == m.o.Profile.Name
	if mode != account.Add && !inUse && r.Key == nil {
		return tea.Batch(read, page.Tell(page.Good, words))
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
	return tea.Batch(read, page.Confirm("Account "+r.Name, text,
		page.Choice{Label: "Not now", Key: "n"},
		page.Choice{Label: verb, Key: "u", Default: true, Do: func() tea.Cmd { return m.use(r.Name, r.Key) }}))
}

// askForget asks for confirmation to forget the selected account's key.
func (m *Model) askForget() tea.Cmd {
	name := m.selected().Name
	return page.Confirm("Forget the key of "+name+"?",
		"The keyring of this computer forgets it. A key file, a key command or the environment does not change.",
		page.Choice{Label: "Keep the key", Key: "n"},
		page.Choice{Label: "Forget the key of " + name, Key: "f", Danger: true, Do: func() tea.Cmd { return m.forget(name) }})
}

// askRemove asks for confirmation to remove the selected account.
func (m *Model) askRemove() tea.Cmd {
	name := m.selected().Name
	return page.Confirm("Remove the account "+name+"?",
		"The settings of this computer forget it. The files at the service stay.",
		page.Choice{Label: "Keep " + name, Key: "n"},
		page.Choice{Label: "Remove it, keep its key", Key: "r", Danger: true, Do: func() tea.Cmd { return m.remove(name, false) }},
		page.Choice{Label: "Remove it and forget its key", Key: "f", Danger: true, Do: func() tea.Cmd { return m.remove(name, true) }})
}

// done reports the result of an action on an account, whose key is looked for again.
func (m *Model) done(name, words string, err error) tea.Cmd {
	if err != nil {
		first, detail, _ := strings.Cut(account.Explain(err), "\n")
		return tea.Batch(m.read(""), page.Send(page.Toast{Level: page.Bad, Text: first, Detail: detail}))
	}
	m.keyPlaceOf(name).tell("")
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

// remove deletes an account from the settings and, if forgetKey is true, its key from the keyring.
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

// forget deletes a key from the keyring.
func (m *Model) forget(name string) tea.Cmd {
	return func() tea.Msg {
		err := m.o.Keys.Keyring.Delete(m.o.Context, name)
		return page.Then(func() tea.Cmd {
			cmd := m.done(name, "The key of the account "+name+" is no longer in the keyring.", err)
			if err == nil && name == m.o.Profile.Name {
				m.keyPlaceOf(name).tell("in use until you leave the account; no longer in the keyring")
			}
			return cmd
		})
	}
}

// usageTime limits the request for the usage.
const usageTime = 20 * time.Second

// readUsage asks the service for this month's usage.
func (m *Model) readUsage() tea.Cmd {
	if m.o.Session == nil {
		return nil
	}
	s, now := m.o.Session, m.o.Now().UTC()
	return page.Within(m.o.Context, usageTime, func(ctx context.Context) tea.Msg {
		today := now.Truncate(24 * time.Hour)
		used, err := s.Usage(ctx, today.AddDate(0, 0, 1-today.Day()), today.AddDate(0, 0, 1))
		return page.Do(func() {
			if m.usage = ""; err == nil { // no usage, no row
				m.usage = usageLabel(used)
			}
			if api.KeyRefused(err) {
				place := m.keyPlaceOf(m.o.Profile.Name)
				place.tell("refused by the service: K sets another one")
				place.bad = true
			}
		})
	})
}

// usageLabel formats the usage that the service reports.
func usageLabel(used api.Usage) string {
	var parts []string
	if n, ok := used.StorageBytes.Get(); ok {
		parts = append(parts, text.Bytes(n)+" stored")
	}
	if n, ok := used.BandwidthBytes.Get(); ok {
		parts = append(parts, text.Bytes(n)+" delivered")
	}
	if n, ok := used.ExtensionUnits.Get(); ok {
		parts = append(parts, text.Plural(int(n), "extension unit"))
	}
	return strings.Join(parts, ", ")
}

// place describes where an account's key is stored.
type place struct {
	requested page.Questions // pending lookups
	known     bool           // found, or being looked up
	words     string
	bad       bool // missing or unreadable
}

// keyPlaceOf returns the place of an account's key, and adds an empty one if needed.
func (m *Model) keyPlaceOf(name string) *place {
	if m.places[name] == nil {
		m.places[name] = &place{}
	}
	return m.places[name]
}

// tell sets the description and drops pending lookups. With "", the next searchKey looks again.
func (p *place) tell(words string) {
	p.requested.Drop()
	p.known, p.words, p.bad = words != "", words, false
}

// searchKey looks once for the key of the selected account. It does not run a key command, which
// could ask for a password.
func (m *Model) searchKey() tea.Cmd {
	p := m.selected()
	place := m.keyPlaceOf(p.Name)
	switch {
	case p.Kind == "" || place.known:
		return nil
	case p.Kind == config.KindLocal:
		place.tell("made by the library, in its folder")
		return nil
	case p.Name == m.o.Profile.Name && m.o.Profile.KeySource != "":
		place.tell("in use: " + m.o.Profile.KeySource)
		return nil
	case p.KeyFile == "" && len(p.KeyCommand) > 0:
		place.tell("from the command " + p.KeyCommand[0] + " (not run yet)")
		return nil
	}
	return m.findKey(p)
}

// refreshKey looks again for the key of the selected account. That of the account in use is
// known, wherever it came from: the service is asked about it.
func (m *Model) refreshKey() tea.Cmd {
	p := m.selected()
	if p.Name == m.o.Profile.Name && m.o.Profile.KeySource != "" {
		m.keyPlaceOf(p.Name).tell("")
		return tea.Batch(m.searchKey(), m.readUsage())
	}
	return m.findKey(p)
}

// findKey looks for an account's key in the same way as opening the account does.
func (m *Model) findKey(p config.Profile) tea.Cmd {
	place := m.keyPlaceOf(p.Name)
	place.tell("")
	place.known = true
	return place.requested.Ask(func() tea.Msg {
		_, source, err := m.o.Keys.Find(m.o.Context, p)
		return page.Do(func() { place.words, place.bad = describeKey(source, err), err != nil })
	})
}

// describeKey describes where a key is, or why it cannot be read.
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
