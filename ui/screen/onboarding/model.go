// Package onboarding is the screen of a first start, and of a profile that could not be opened.
package onboarding

import (
	"context"
	"errors"
	"image"

	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/theme"
)

var _ page.Screen = (*Model)(nil)

// Options configures the screen.
type Options struct {
	// Context ends the screen's background work; may be nil.
	Context context.Context //nolint:containedctx // the screen's: it ends what the screen has under way
	Paths   config.Paths
	// Keys stores and finds keys.
	Keys *config.Keys
	// Getenv defaults to that of Keys.
	Getenv func(string) string
	// Problem is why the profile could not be opened; nil for a first start.
	Problem error
	// Profile could not be opened; empty for the one in use.
	Profile string
}

// Model is the screen. It writes and connects nothing until the user chooses.
type Model struct {
	page.Base
	o       Options
	profile config.Profile // could not be opened; unnamed if unknown
	unnamed bool           // its addresses are from the command line, not the settings
	cards   *kit.Cards
	busy    string // running work; may be empty
	problem error  // error of the last choice
	size    image.Point
}

// New returns the screen.
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

// Update handles a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.Resized:
		m.size = msg.Size
	case tea.MouseWheelMsg:
		m.cards.Wheel(msg)
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft && m.busy == "" {
			return m.cards.Click(m.sheet(m.size, &theme.Theme{}).StopAt(msg.X, msg.Y))
		}
	}
	return nil
}
