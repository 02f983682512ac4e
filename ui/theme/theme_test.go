package theme

import (
	"image/color"
	"math"
	"slices"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/width"

	"mediadesk/api/media/mediatest"
)

func ratio(a, b color.Color) float64 {
	la, lb := luminance(a), luminance(b)
	return (math.Max(la, lb) + 0.05) / (math.Min(la, lb) + 0.05)
}

func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	lin := func(v uint32) float64 {
		f := float64(v) / 0xffff
		if f <= 0.03928 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}

// built are the palettes of the built-in themes, with their promised contrast and the backgrounds they
// are made for.
var built = map[string]struct {
	palette Palette
	grounds []string
	text    float64 // of text
	line    float64 // of borders, on the background
}{
	"dark":                 {darkPalette, []string{darkGround, "#000000"}, 4.5, 2},
	"light":                {lightPalette, []string{lightGround}, 4.5, 2},
	"high contrast, dark":  {darkContrast, []string{darkContrast.Ground}, 7, 7},
	"high contrast, light": {lightContrast, []string{lightContrast.Ground}, 7, 7},
}

// TestColorsCanBeRead: the contrast holds with all colors and with 256 colors.
func TestColorsCanBeRead(t *testing.T) {
	for name, b := range built {
		p := b.palette
		for depth, convert := range map[string]func(string) color.Color{
			"all colours": func(c string) color.Color { return lipgloss.Color(c) },
			"256 colours": func(c string) color.Color { return colorprofile.ANSI256.Convert(lipgloss.Color(c)) },
		} {
			check := func(what, text, ground string, least float64) {
				t.Helper()
				// The terminal's own background is not converted.
				on := lipgloss.Color(ground)
				if !slices.Contains(b.grounds, ground) {
					on = convert(ground)
				}
				if got := ratio(convert(text), on); got < least {
					t.Errorf("%s, %s: %s has contrast %.2f on %s, %.1f is needed", name, depth, what, got, ground, least)
				}
			}
			for _, ground := range b.grounds {
				for role, c := range map[string]string{
					"muted": p.Muted, "accent": p.Accent, "good": p.Good, "warn": p.Warn, "bad": p.Bad, "marked": p.Marked,
				} {
					check(role, c, ground, b.text)
				}
				if p.Text != "" {
					check("text", p.Text, ground, b.text)
				}
				check("line", p.Line, ground, b.line)
			}
			check("raised", p.RaisedText, p.Raised, b.text)
			check("field", p.RaisedText, p.Sunk, b.text)
			check("placeholder", p.Muted, p.Sunk, b.text)
			check("selected", p.SelectedText, p.Selected, b.text)
			check("strong", p.StrongText, p.Strong, b.text)
			for _, c := range []string{p.Good, p.Warn, p.Bad, p.Marked} {
				if p.Ground == "" && depth == "all colours" {
					check("state under the cursor", c, p.Selected, b.text)
				}
			}
		}
	}
}

// TestMake: a look becomes the theme of its name, for the terminal's background and colors.
func TestMake(t *testing.T) {
	white, black := lipgloss.Color("#ffffff"), lipgloss.Color("#000000")
	with := func(l Options, ground color.Color, depth colorprofile.Profile) Options {
		l.Ground, l.Depth = ground, depth
		return l
	}
	for name, c := range map[string]struct {
		look           Options
		dark, color    bool
		accent, ground string // "" for none
	}{
		"nothing known":             {Options{}, true, true, darkPalette.Accent, ""},
		"auto on dark":              {with(Options{Name: Auto}, black, 0), true, true, darkPalette.Accent, ""},
		"auto on light":             {with(Options{Name: Auto}, white, 0), false, true, lightPalette.Accent, ""},
		"dark on light":             {with(Options{Name: Dark}, white, 0), true, true, darkPalette.Accent, darkGround},
		"dark on what is not known": {Options{Name: Dark}, true, true, darkPalette.Accent, ""},
		"light on dark":             {with(Options{Name: Light}, black, 0), false, true, lightPalette.Accent, lightGround},
		"contrast on light":         {with(Options{Name: HighContrast}, white, 0), false, true, lightContrast.Accent, lightContrast.Ground},
		"contrast, not known":       {Options{Name: HighContrast}, true, true, darkContrast.Accent, ""},
		"no colour":                 {with(Options{Name: NoColor}, white, colorprofile.TrueColor), false, false, "", ""},
		"a terminal without":        {with(Options{Name: Dark}, black, colorprofile.ASCII), true, false, "", ""},
		"16 colours":                {with(Options{Name: HighContrast}, black, colorprofile.ANSI), true, false, "6", ""},
		"16 colours on light":       {with(Options{Name: Auto}, white, colorprofile.ANSI), false, false, "4", ""},
		"one that is gone":          {Options{Name: "sea"}, true, true, darkPalette.Accent, ""},
	} {
		th := Make(c.look)
		if th.Dark != c.dark || th.Color != c.color {
			t.Errorf("%s: dark %t, colours %t", name, th.Dark, th.Color)
		}
		mediatest.Equal(t, th.Pictures, c.accent != "", "%s: pictures in colour", name)
		want := color.Color(lipgloss.NoColor{})
		if c.accent != "" {
			want = lipgloss.Color(c.accent)
		}
		mediatest.Equal(t, th.Accent.GetForeground(), want, "%s: accent", name)
		switch {
		case c.ground == "" && th.Ground != nil, c.ground != "" && th.Ground != lipgloss.Color(c.ground):
			t.Errorf("%s: ground %v, want %q", name, th.Ground, c.ground)
		case (th.Ground == nil) != (th.Plain == nil):
			t.Errorf("%s: ground %v without text %v", name, th.Ground, th.Plain)
		}
	}
}

// TestNoColorTellsApart: without color, styles that must differ still differ.
func TestNoColorTellsApart(t *testing.T) {
	th := New(true, false)
	for name, pair := range map[string][2]lipgloss.Style{
		"cursor row":     {th.Text, th.Selected},
		"cursor, dimmed": {th.Selected, th.SelectedDim},
		"tab":            {th.Tab, th.TabActive},
		"chip":           {th.Chip, th.ChipFocus},
		"button":         {th.Button, th.ButtonFocus},
		"border":         {th.Border, th.BorderFocus},
	} {
		if pair[0].Render("x") == pair[1].Render("x") {
			t.Errorf("%s: both are drawn %q", name, pair[0].Render("x"))
		}
	}
}

func TestSignsAreNarrowEverywhere(t *testing.T) {
	for _, color := range []bool{true, false} {
		th := New(true, color)
		for s := SignNone; s < signCount; s++ {
			g := th.Glyph(s)
			r := []rune(g)
			if len(r) != 1 || ansi.StringWidth(g) != 1 {
				t.Fatalf("sign %d is %q, not one cell", s, g)
			}
			if kind := width.LookupRune(r[0]).Kind(); kind != width.Neutral &&
				kind != width.EastAsianNarrow && s != SignPartly {
				t.Errorf("sign %d, %q, is wide in some terminals", s, g)
			}
			if !color && r[0] > 0x7e {
				t.Errorf("sign %d, %q, is no ASCII", s, g)
			}
			mediatest.Equal(t, ansi.Strip(th.Sign(s)), g, "sign %d is drawn %q", s, th.Sign(s))
		}
		if th.Glyph(-1) != " " || th.Glyph(signCount) != " " {
			t.Error("signs out of range are not blank")
		}
		done, rest := th.BarGlyphs()
		if done == rest || ansi.StringWidth(string(done)) != 1 || ansi.StringWidth(string(rest)) != 1 {
			t.Errorf("bar of %q and %q", done, rest)
		}
	}
}
