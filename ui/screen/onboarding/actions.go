package onboarding

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

const group = "Start"

// Actions returns the actions that choose a card.
func (m *Model) Actions() []kit.Action {
	if m.busy != "" {
		return nil
	}
	return m.cards.Actions(group)
}

// offer builds the choices.
func (m *Model) offer() {
	cards := m.firstCards()
	if m.o.Problem != nil {
		cards = m.helpCards()
	}
	for i, c := range cards {
		cards[i].Do = func() tea.Cmd {
			m.problem = nil
			return c.Do()
		}
	}
	at := 0
	if m.cards != nil {
		at = m.cards.Cursor()
	}
	m.cards = kit.NewCards(cards...)
	m.cards.SetCursor(at)
}

// firstCards returns the choices of a first start.
func (m *Model) firstCards() []kit.Card {
	cards := []kit.Card{
		{
			Key: "t", Title: "Try it here", Do: m.begin,
			Text: "With the local library: it needs no account and nothing leaves this computer. Its folder is " + m.o.Paths.Library() + ".",
		},
		{
			Key: "c", Title: "Connect an account", Do: m.connect,
			Text: "Of the hosted service or any server with the same API. The keyring of this computer stores its private key.",
		},
	}
	if m.o.Getenv != nil && strings.TrimSpace(m.o.Getenv(config.KeyVariable)) != "" {
		cards = append(cards, kit.Card{
			Key: "e", Title: "Use the key from the environment",
			Text: config.KeyVariable + " is set. You name only the account, and the key is not stored.",
			Do:   func() tea.Cmd { return m.ask(account.Options{Mode: account.AddWithEnvironment, Use: true}) },
		})
	}
	return cards
}

// helpCards returns the ways to solve the problem.
func (m *Model) helpCards() []kit.Card {
	var cards []kit.Card
	local := m.profile.Name == config.LocalProfile
	_, unreadable := errors.AsType[*config.FileError](m.o.Problem)
	_, source := errors.AsType[*config.SourceError](m.o.Problem)
	if (source || errors.Is(m.o.Problem, config.ErrNoKey)) && !local { // typing a key solves the problem
		mode, text := account.Key, "Store it in the keyring of this computer, or use it for this run only."
		if m.unnamed {
			mode, text = account.KeyForRun, "It is used for this run only and not stored."
		}
		cards = append(cards, kit.Card{
			Key: "p", Title: "Give the private key", Text: text,
			Do: func() tea.Cmd { return m.ask(account.Options{Mode: mode, Name: m.profile.Name}) },
		})
	}
	again := "After solving the problem."
	if unreadable {
		again = "Correct the file in an editor first."
	}
	cards = append(cards, kit.Card{
		Key: "r", Title: "Try again", Text: again,
		Do: func() tea.Cmd { return m.open("Trying again…", page.UseProfile{Name: m.o.Profile}) },
	})
	if unreadable {
		return cards
	}
	if !local {
		cards = append(cards, kit.Card{
			Key: "u", Title: "Use the local library for now",
			Text: "It needs no account and nothing leaves this computer. The settings do not change.",
			Do:   func() tea.Cmd { return m.open(openingLocal, page.UseProfile{Name: config.LocalProfile}) },
		})
	}
	return append(cards, kit.Card{
		Key: "c", Title: "Connect another account", Do: m.connect,
		Text: "Of the hosted service or any server with the same API.",
	})
}

// openingLocal is shown while the local library opens.
const openingLocal = "Opening the local library…"

// open asks the root to open a profile and shows words meanwhile.
func (m *Model) open(words string, use page.UseProfile) tea.Cmd {
	m.busy = words
	return page.Send(use)
}

// begin writes the first settings, with the local library in use.
func (m *Model) begin() tea.Cmd {
	m.busy = openingLocal
	return func() tea.Msg {
		c, err := config.Load(m.o.Paths)
		if err == nil {
			_, err = c.Use(config.LocalProfile)
		}
		if err != nil {
			return page.Do(func() { m.busy, m.problem = "", err })
		}
		return page.UseProfile{Name: config.LocalProfile}
	}
}

// connect asks for a new account.
func (m *Model) connect() tea.Cmd { return m.ask(account.Options{Mode: account.Add, Use: true}) }

// ask opens the account dialog.
func (m *Model) ask(o account.Options) tea.Cmd {
	o.Context, o.Paths, o.Keys, o.TryKey, o.Done = m.o.Context, m.o.Paths, m.o.Keys, m.o.TryKey, m.connected
	flow := account.New(o)
	m.Overlays().Open(flow)
	return flow.Init()
}

// connected opens the account from the dialog.
func (m *Model) connected(r account.Result) tea.Cmd {
	name := r.Name
	if m.unnamed && name == m.profile.Name {
		name = "" // as requested on the command line
	}
	open := m.open("Opening the account "+r.Name+"…", page.UseProfile{Name: name, Key: r.Key})
	for _, words := range []string{r.Tried, r.Notice} {
		if words != "" {
			open = tea.Batch(open, page.Tell(page.Info, words))
		}
	}
	return open
}
