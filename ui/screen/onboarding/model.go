// Package onboarding is the screen of a first start, and of a profile that could not be opened.
package onboarding

import (
	"cmp"
	"context"
	"errors"
	"image"
	"image/jpeg"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/media"
	"mediadesk/assets"
	"mediadesk/config"
	"mediadesk/ui/account"
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

	picture picture.Slot // beside the choices of a first start
	draw    picture.Options
	drawn   picture.Request // the last one
}

// New returns the screen.
func New(o Options) *Model {
	o.Context = cmp.Or(o.Context, context.Background())
	o.Keys = cmp.Or(o.Keys, &config.Keys{})
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

func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.Resized:
		m.size = msg.Size
		return m.paint()
	case tea.ColorProfileMsg:
		m.draw.Color = picture.ColorOf(msg.Profile)
		return m.paint()
	case picture.Abilities:
		m.draw = msg.Options(m.draw.Color, m.draw.Light)
		return m.paint()
	case picture.Transmitted:
		gone, _ := m.picture.Transmitted(msg)
		return gone
	case page.Hidden:
		m.drawn = picture.Request{}
		return m.picture.Set(nil)
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft && m.busy == "" {
			return m.form.Click(m.sheet(m.size, &theme.Theme{}).StopAt(msg.X, msg.Y))
		}
	}
	return nil
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

// The sample picture, a photograph that is stored rotated.
const (
	sample      = "harbour.jpg"
	sampleTurns = media.Orientation(6)
)

// cover returns the part of the sample picture that fills the space, with the boat and the sun.
func cover(size image.Point, in picture.Request) image.Rectangle {
	aspect := cmp.Or(in.Options.CellAspect, 2)
	part := image.Pt(min(size.X, int(float64(size.Y*in.Cols)/(float64(in.Rows)*aspect))), size.Y)
	part.Y = min(size.Y, int(float64(part.X*in.Rows)*aspect/float64(in.Cols)))
	left := max(0, min(size.X*45/100-part.X/2, size.X-part.X))
	return image.Rectangle{Max: part}.Add(image.Pt(left, (size.Y-part.Y)/2))
}

// paint draws the sample picture in the space beside the choices.
func (m *Model) paint() tea.Cmd {
	_, room := m.columns(m.size)
	want := picture.Request{Path: sample, Cols: room.X, Rows: room.Y, Options: m.draw}
	if m.o.Loader == nil || m.o.Problem != nil || room.X < 1 || m.draw.Color == picture.NoColor ||
		m.draw.Method == picture.MethodOff {
		want = picture.Request{}
	}
	if want == m.drawn {
		return nil
	}
	if m.drawn = want; want.Path == "" {
		return m.picture.Set(nil)
	}
	return func() tea.Msg {
		file, err := assets.Samples().Open(sample)
		if err != nil {
			return nil
		}
		defer file.Close()
		img, err := jpeg.Decode(file)
		if err != nil {
			return nil
		}
		fill := want
		part := func(p *picture.Picture) image.Rectangle { return cover(p.Size(), want) }
		fill.Mark = &picture.Mark{Crop: true, Part: part}
		surface, err := m.o.Loader.Draw(m.o.Context, picture.New(img, sampleTurns), fill)
		if err != nil {
			return nil
		}
		return page.Then(func() tea.Cmd {
			if want != m.drawn { // the window has another size now
				surface.Drop()
				return nil
			}
			return m.picture.Set(surface)
		})
	}
}
