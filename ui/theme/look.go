package theme

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// The names of the built-in themes. Auto is Dark or Light, as the terminal's
// background is.
const (
	Auto         = "auto"
	Dark         = "dark"
	Light        = "light"
	HighContrast = "high-contrast"
	NoColor      = "no-colour"
)

// Look says which theme to make.
type Look struct {
	// Name is that of a built-in theme; any other one stands for OwnDark and
	// OwnLight.
	Name string
	// Ground is the terminal's own background; nil: it has not told, and is
	// taken to be dark.
	Ground color.Color
	// Depth is how many colors the terminal has; Unknown: all of them.
	Depth colorprofile.Profile
	// OwnDark and OwnLight are the colors of a theme of the person's for the
	// two kinds of background. Where one of them is empty, the other one holds
	// on both.
	OwnDark, OwnLight Palette
}

// Make makes a theme. A terminal of 16 colors gets the one without, with words
// and signs in its own colors: ours would come out as blue on blue.
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
		return t // such a terminal would not know how to set it either
	}
	if p.Ground == "" && dark != isDark(l.Ground) {
		// Colors for the other kind of background were asked for.
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

// palette are the colors of a look, and whether they are for a dark ground.
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
	case Auto, NoColor, "":
	default:
		switch none := (Palette{}); {
		case l.OwnLight == none && l.OwnDark != none:
			dark = true
		case l.OwnDark == none && l.OwnLight != none:
			dark = false
		}
		if dark {
			return dark, l.OwnDark.over(darkPalette)
		}
		return dark, l.OwnLight.over(lightPalette)
	}
	if dark {
		return dark, darkPalette
	}
	return dark, lightPalette
}

// isDark tells of a background whether it is; of one that is not known, yes.
func isDark(ground color.Color) bool {
	if ground == nil {
		return true
	}
	r, g, b, _ := ground.RGBA()
	return 299*r+587*g+114*b < 500*0xffff
}

// tint gives words and signs of a theme without colors those of the terminal.
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
