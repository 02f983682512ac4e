// Package onboarding is the screen of a first start, and of a profile that
// could not be opened: it offers what to do next in plain words.
package onboarding

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

var _ page.Unconverted = (*Model)(nil)

// Options are what the root gives the screen.
type Options struct {
	// Context ends what is under way when it ends; nil: nothing does.
	Context context.Context
	Paths   config.Paths
	// Keys is where keys are kept and looked for.
	Keys *config.Keys
	// Getenv is os.Getenv in the program; nil is that of Keys.
	Getenv func(string) string
	// Problem is why the profile could not be opened; nil is a first start.
	Problem error
	// Profile is the profile that could not be opened; empty: the one in use.
	Profile string
}

// Model is the screen. Until a choice is taken nothing is written and nothing
// is connected.
type Model struct {
	o       Options
	profile config.Profile // that could not be opened; no name where it is not known
	unnamed bool           // it is not in the settings: the command line gave its addresses
	cards   *kit.Cards
	offered []choice // by card
	flow    *account.Flow
	busy    string // what is being done; empty: nothing is
	problem error  // of a choice that did not work
	try     int    // number of the choice that is being done; replies to others are dropped
	sheet   *kit.Sheet
}

// choice is one of the things to do.
type choice int

const (
	choiceTry         choice = iota // the local library, as the profile in use
	choiceConnect                   // a new account
	choiceEnvironment               // a new account whose key is in the environment
	choiceKey                       // the key of the account that could not be opened
	choiceAgain                     // open once more
	choiceLocal                     // the local library for now
)

// New makes the screen.
func New(o Options) *Model {
	if o.Context == nil {
		o.Context = context.Background()
	}
	if o.Keys == nil {
		o.Keys = &config.Keys{}
	}
	if o.Getenv == nil {
		o.Getenv = o.Keys.Getenv
	}
	m := &Model{o: o}
	m.profile.Name = o.Profile
	if missing, ok := errors.AsType[*config.NoKeyError](o.Problem); ok {
		m.profile.Name = missing.Profile
	}
	m.offer()
	return m
}

// named answers with the profile that could not be opened.
type named struct {
	profile config.Profile
	unnamed bool
}

// begun answers whether the local library is the profile in use now.
type begun struct {
	try int
	err error
}

// Init looks up which profile could not be opened.
func (m *Model) Init() tea.Cmd {
	if m.o.Problem == nil {
		return nil
	}
	paths, name := m.o.Paths, m.profile.Name
	return func() tea.Msg {
		c, err := config.Load(paths)
		if err != nil {
			// The problem on the screen is this one, or worse.
			return nil
		}
		if name == "" {
			if p, err := c.Find(c.Profile); err == nil {
				return named{profile: p}
			}
			return nil
		}
		p, known := c.Profiles[name]
		p.Name = name
		return named{profile: p, unnamed: !known}
	}
}

// Update takes a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case named:
		m.profile, m.unnamed = msg.profile, msg.unnamed
		m.offer()
		return nil
	case begun:
		return m.begun(msg)
	}
	if m.flow != nil {
		return m.toFlow(msg)
	}
	if m.busy != "" {
		return nil
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		taken, _ := m.cards.Update(msg)
		return m.take(taken)
	case tea.MouseWheelMsg:
		m.cards.Update(msg)
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft && m.sheet != nil {
			return m.take(m.cards.Take(m.sheet.StopAt(msg.X, msg.Y)))
		}
	}
	return nil
}

// toFlow hands a message to the dialogue about an account.
func (m *Model) toFlow(msg tea.Msg) tea.Cmd {
	cmd, event := m.flow.Update(msg)
	switch event {
	case account.Left:
		m.flow = nil
	case account.Done:
		r := m.flow.Result()
		m.flow = nil
		m.busy = "Opening the account " + r.Name + "…"
		name := r.Name
		if m.unnamed && name == m.profile.Name {
			name = "" // what was asked for on the command line
		}
		open := page.Send(page.UseProfile{Name: name, Key: r.Key})
		if r.Notice != "" {
			open = tea.Batch(open, page.Send(page.Toast{Level: page.Info, Text: r.Notice}))
		}
		return tea.Batch(cmd, open)
	}
	return cmd
}

// take does a choice, by the number of its card.
func (m *Model) take(card int) tea.Cmd {
	if card < 0 {
		return nil
	}
	m.problem = nil
	switch m.offered[card] {
	case choiceTry:
		return m.begin()
	case choiceConnect:
		return m.ask(account.Options{Mode: account.Add, Use: true})
	case choiceEnvironment:
		return m.ask(account.Options{Mode: account.AddWithEnvironment, Use: true})
	case choiceKey:
		mode := account.Key
		if m.unnamed {
			mode = account.KeyForRun
		}
		return m.ask(account.Options{Mode: mode, Name: m.profile.Name})
	case choiceAgain:
		m.busy = "Trying again…"
		return page.Send(page.UseProfile{Name: m.o.Profile})
	case choiceLocal:
		m.busy = "Opening the local library…"
		return page.Send(page.UseProfile{Name: config.LocalProfile})
	}
	return nil
}

// ask opens the dialogue about an account.
func (m *Model) ask(o account.Options) tea.Cmd {
	o.Context, o.Paths, o.Keys = m.o.Context, m.o.Paths, m.o.Keys
	m.flow = account.New(o)
	return m.flow.Init()
}

// begin writes the first settings, off the event loop.
func (m *Model) begin() tea.Cmd {
	m.busy = "Opening the local library…"
	m.try++
	try, paths := m.try, m.o.Paths
	return func() tea.Msg {
		c, err := config.Load(paths)
		if err == nil {
			_, err = c.Use(config.LocalProfile)
		}
		return begun{try: try, err: err}
	}
}

func (m *Model) begun(msg begun) tea.Cmd {
	if msg.try != m.try {
		return nil
	}
	if msg.err != nil {
		m.busy, m.problem = "", msg.err
		return nil
	}
	return page.Send(page.UseProfile{Name: config.LocalProfile})
}
