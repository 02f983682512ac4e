// Package onboarding is the screen of a first start, and of a profile that could not be opened.
package onboarding

import (
	"cmp"
	"context"
	"errors"
	"image"

	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
)

var _ page.Screen = (*Model)(nil)

// Options configures the screen.
type Options struct {
	// Context ends the screen's background work; may be nil.
	Context context.Context
	Paths   config.Paths
	// Keys stores and finds keys.
	Keys *config.Keys
	// TryKey asks a service whether it accepts a key; nil skips that.
	TryKey account.TryKey
	// Getenv defaults to that of Keys.
	Getenv func(string) string
	// Problem is why the profile could not be opened; nil for a first start.
	Problem error
	// Profile could not be opened; empty for the one in use.
	Profile string
	// Loader draws the picture of a first start; nil for none.
	Loader *picture.Loader
}

// Model is the screen. It writes and connects nothing until the user chooses.
type Model struct {
	page.Base
	o       Options
	profile config.Profile // could not be opened; unnamed if unknown
	unsaved bool           // its addresses are from the command line, not the settings
	form    *kit.Form      // one choice
	chosen  string         // the key of the choice under the cursor
	busy    string         // running work; may be empty
	problem error          // error of the last choice
	size    image.Point

	terminal edit.Terminal
	front    bool
	sample   *edit.Tiles // beside the choices of a first start
}

// New returns the screen.
func New(o Options) *Model {
	o.Context = cmp.Or(o.Context, context.Background())
	o.Keys = cmp.Or(o.Keys, &config.Keys{})
	if o.Getenv == nil {
		o.Getenv = o.Keys.Getenv
	}
	m := &Model{o: o}
	m.sample = edit.NewTiles(edit.TilesOptions{
		Context: o.Context, Loader: o.Loader, Len: func() int { return 1 },
		Tile: func(int) edit.Tile { return edit.Tile{Picture: edit.Thumb{Key: "sample", Fill: true}} },
	})
	m.profile.Name = o.Profile
	if missing, ok := errors.AsType[*config.NoKeyError](o.Problem); ok {
		m.profile.Name = missing.Profile
	}
	m.offer()
	return m
}

func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.Resized:
		m.size = msg.Size
	case page.Shown:
		m.front = true
	case page.Hidden:
		m.front = false
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft && m.busy == "" {
			return m.form.Click(m.sheet(m.size, &theme.Theme{}).StopAt(msg.X, msg.Y))
		}
	}
	m.sample.Update(msg)
	m.terminal.Learn(msg)
	_, room := m.columns(m.size)
	m.sample.On = m.front && room.X > 0 && m.terminal.Options().Color != picture.NoColor
	m.sample.Arrange(room, m.terminal.Options())
	return m.sample.Want()
}

// Init looks up which profile could not be opened.
func (m *Model) Init() tea.Cmd {
	if m.o.Problem == nil {
		return nil
	}
	paths, name := m.o.Paths, m.profile.Name
	named := func(p config.Profile, unsaved bool) tea.Msg {
		return page.Do(func() {
			m.profile, m.unsaved = p, unsaved
			m.offer()
		})
	}
	return func() tea.Msg {
		c, err := config.Load(paths)
		if err != nil {
			return nil // the profile could not be opened for this reason, which the screen shows
		}
		if name == "" {
			if p, err := c.Find(c.Profile); err == nil {
				return named(p, false)
			}
			return nil
		}
		p, known := c.Profiles[name]
		p.Name = name
		return named(p, !known)
	}
}
