package onboarding

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/rule"
	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

const group = "Start"

type choice struct {
	key, label, text string // the key chooses it
	do               func() tea.Cmd
}

// Actions returns the actions that choose a way to go on.
func (m *Model) Actions() []kit.Action {
	if m.busy != "" {
		return nil
	}
	return m.form.Actions(group)
}

func (m *Model) offer() {
	choices := m.firstChoices()
	if m.o.Problem != nil {
		choices = m.helpChoices()
	}
	options := rule.Mapped(choices, func(c choice) kit.Option {
		return kit.Option{Value: c.key, Key: c.key, Label: c.label, Text: c.text}
	})
	if !slices.ContainsFunc(choices, func(c choice) bool { return c.key == m.chosen }) {
		m.chosen = choices[0].key
	}
	m.form = kit.NewForm("choose", func() tea.Cmd {
		m.problem = nil
		return choices[slices.IndexFunc(choices, func(c choice) bool { return c.key == m.chosen })].do()
	}, &kit.Question{Value: &m.chosen, Options: options})
}

func (m *Model) firstChoices() []choice {
	choices := []choice{
		{"t", "Try it here", "A library on this computer, no account.", m.begin},
		{"c", "Connect an account", "ImageKit.io or another server.", m.connect},
	}
	if m.o.Getenv != nil && strings.TrimSpace(m.o.Getenv(config.KeyVariable)) != "" {
		choices = append(choices, choice{
			"e", "Use the key in the environment", "The key is not stored.",
			func() tea.Cmd { return m.ask(account.Options{Mode: account.AddWithEnvironment, Use: true}) },
		})
	}
	return append(choices, choice{"q", "Quit", "Nothing is changed.", func() tea.Cmd { return tea.Quit }})
}

func (m *Model) helpChoices() []choice {
	var choices []choice
	local := m.profile.Name == config.LocalProfile
	_, unreadable := errors.AsType[*config.FileError](m.o.Problem)
	_, source := errors.AsType[*config.SourceError](m.o.Problem)
	if (source || errors.Is(m.o.Problem, config.ErrNoKey)) && !local { // typing a key solves the problem
		mode, text := account.Key, "Store it in the keyring, or use it for this run only."
		if m.unsaved {
			mode, text = account.KeyForRun, "It is used for this run only and not stored."
		}
		choices = append(choices, choice{"p", "Give the private key", text, func() tea.Cmd {
			return m.ask(account.Options{Mode: mode, Name: m.profile.Name})
		}})
	}
	again := text.Either(unreadable, "Correct the file in an editor first.", "After solving the problem.")
	choices = append(choices, choice{"r", "Try again", again, func() tea.Cmd {
		return m.open("Trying again…", page.UseProfile{Name: m.o.Profile})
	}})
	if unreadable {
		return choices
	}
	if !local {
		choices = append(choices, choice{"u", "Use the local library for now", "It needs no account. The settings do not change.", func() tea.Cmd {
			return m.open(openingLocal, page.UseProfile{Name: config.LocalProfile})
		}})
	}
	return append(choices, choice{"c", "Connect another account", "ImageKit.io or another server.", m.connect})
}

const openingLocal = "Opening the local library…"

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

func (m *Model) connect() tea.Cmd { return m.ask(account.Options{Mode: account.Add, Use: true}) }

func (m *Model) ask(o account.Options) tea.Cmd {
	o.Context, o.Paths, o.Keys, o.TryKey, o.Done = m.o.Context, m.o.Paths, m.o.Keys, m.o.TryKey, m.connected
	flow := account.New(o)
	m.Overlays().Open(flow)
	return flow.Init()
}

func (m *Model) connected(r account.Result) tea.Cmd {
	requested := m.unsaved && r.Name == m.profile.Name // on the command line
	name := text.If(!requested, r.Name)
	open := m.open("Opening the account "+r.Name+"…", page.UseProfile{Name: name, Key: r.Key})
	for _, words := range []string{r.Tried, r.Notice} {
		if words != "" {
			open = tea.Batch(open, page.Tell(page.Info, words))
		}
	}
	return open
}
