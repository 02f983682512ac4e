package theme

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// The names of the themes. Auto is Dark or Light, depending on the terminal's
// background.
const (
	Auto         = "auto"
	Dark         = "dark"
	Light        = "light"
	HighContrast = "high-contrast"
	NoColor      = "no-color"
)

// Look describes the theme to make.
type Look struct {
	// Name is a theme; any other name means Auto.
	Name string
	// Ground is the terminal's own background. Nil means unknown and counts as dark.
	Ground color.Color
	// Depth is the number of colors of the terminal; Unknown means all.
	Depth colorprofile.Profile
}

// Make returns a theme. A terminal of 16 colors gets the theme without color, with its
// own colors for text and signs: ours would be converted to blue on blue.
func Make(l Look) *Theme {
	dark, p := l.palette()
	switch {
	case l.Name == NoColor, l.Depth != colorprofile.Unknown && l.Depth < colorprofile.ANSI:
		return New(dark, false)
	case l.Depth == colorprofile.ANSI:
		t := New(isDark(l.Ground), false)
		t.tint()
		t.Pictures = true
		return t
	}
	t := &Theme{Dark: dark, Color: true, Pictures: true}
	t.paint(p)
	if l.Ground == nil {
		return t // such a terminal could not set it either
	}
	if p.Ground == "" && dark != isDark(l.Ground) {
		// The theme is for the other kind of background.
		p.Ground, p.Text = lightGround, lightPalette.RaisedText
		if dark {
			p.Ground, p.Text = darkGround, darkPalette.RaisedText
		}
	}
	if p.Ground != "" {
		t.Ground = lipgloss.Color(p.Ground)
	}
	if p.Text != "" {
		t.Plain = lipgloss.Color(p.Text)
	}
	return t
}

func (l Look) palette() (dark bool, p Palette) {
	dark = isDark(l.Ground)
	switch l.Name {
	case Dark:
		dark = true
	case Light:
		dark = false
	case HighContrast:
		if dark {
			return dark, darkContrast
		}
		return dark, lightContrast
	}
	if dark {
		return dark, darkPalette
	}
	return dark, lightPalette
}

// isDark reports whether a background is dark; nil counts as dark.
func isDark(ground color.Color) bool {
	if ground == nil {
		return true
	}
	r, g, b, _ := ground.RGBA()
	return 299*r+587*g+114*b < 500*0xffff
}

// tint applies the terminal's own colors to the text and signs of a theme without color.
func (t *Theme) tint() {
	p := ansiDark
	if !t.Dark {
		p = ansiLight
	}
	for c, styles := range map[string][]*lipgloss.Style{
		p.Accent: {&t.Accent, &t.Title, &t.Info, &t.Key, &t.BorderFocus},
		p.Good:   {&t.Good, &t.Local, &t.Added},
		p.Warn:   {&t.Warn, &t.BarStalled},
		p.Bad:    {&t.Bad, &t.Removed},
		p.Marked: {&t.Marked, &t.Match, &t.Hosted},
	} {
		for _, s := range styles {
			if c != "" {
				*s = s.Foreground(lipgloss.Color(c))
			}
		}
	}
}
