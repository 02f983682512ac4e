// Package onboarding is the screen of a first start, and of a profile that could not
// be opened: it offers what to do next.
package onboarding

import (
	"context"
	"errors"
	"image"

	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/theme"
)

var _ page.Screen = (*Model)(nil)

// Options are what the root gives the screen.
type Options struct {
	// Context ends what is under way when it ends; nil: nothing does.
	Context context.Context //nolint:containedctx // the screen's: it ends what the screen has under way
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

// Model is the screen. It writes and connects nothing before the user chooses.
type Model struct {
	page.Base
	o       Options
	profile config.Profile // that could not be opened; no name where it is not known
	unnamed bool           // it is not in the settings: the command line gave its addresses
	cards   *kit.Cards
	busy    string // what is being done; empty: nothing is
	problem error  // of a choice that did not work
	size    image.Point
}

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

// Update takes a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.Resized:
		m.size = msg.Size
	case named:
		m.profile, m.unnamed = msg.profile, msg.unnamed
		m.offer()
	case begun:
		return m.begun(msg.err)
	case account.Answer:
		return msg()
	case tea.MouseWheelMsg:
		m.cards.Wheel(msg)
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft && m.busy == "" {
			return m.cards.Click(m.sheet(m.size, &theme.Theme{}).StopAt(msg.X, msg.Y))
		}
	}
	return nil
}
