package config

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestThemesOfTheFile(t *testing.T) {
	c := load(t, home(t, `theme = "sea"
[themes.sea.dark]
accent = "#5fd7ff"
ground = "#024"
[themes.sea.light]
accent = "39"
[themes."two words"]
dark = { bad = "#ff0000" }
`))
	if c.Theme != "sea" || c.Themes["sea"].Dark.Accent != "#5fd7ff" || c.Themes["sea"].Dark.Ground != "#024" || c.Themes["sea"].Light.Accent != "39" {
		t.Errorf("got %q, %+v", c.Theme, c.Themes)
	}
	if got := c.ThemeNames(); !slices.Equal(got[len(got)-2:], []Theme{"sea", "two words"}) || got[0] != ThemeAuto {
		t.Errorf("names %q", got)
	}
}

// TestWrongThemes: an error in a theme is reported with its line and what helps.
func TestWrongThemes(t *testing.T) {
	for text, want := range map[string]struct {
		line int
		says string
	}{
		"\n[themes.sea.dark]\nacent = \"#ffffff\"":           {3, `no setting "acent" in [themes.sea.dark], did you mean "accent"?`},
		"[themes.sea.drak]\naccent = \"#ffffff\"":            {1, `no setting "drak" in [themes.sea], did you mean "dark"?`},
		"[themes.sea.dark]\ngood = \"1\"\naccent = \"red\"":  {3, `accent "red" is not a color: use "#rrggbb"`},
		"[themes.sea.light]\naccent = \"256\"":               {2, "is not a color"},
		"[themes.sea.light]\naccent = \"#12345\"":            {2, "is not a color"},
		"[themes.sea.light]\naccent = 7":                     {2, `write it like accent = "#005f87"`},
		"[themes.dark.dark]\naccent = \"7\"":                 {1, "is built in"},
		"\n[themes.sea]":                                     {2, "has no colors: give some in themes.sea.dark"},
		"theme = \"see\"\n[themes.sea.dark]\naccent = \"7\"": {1, `did you mean "sea"?`},
		"theme = \"hi-contrast\"":                            {1, `did you mean "high-contrast"?`},
		"[theme]\naccent = \"7\"":                            {1, `write it like theme = "auto"`},
	} {
		_, err := Load(home(t, text))
		problem, ok := errors.AsType[*FileError](err)
		if !ok || problem.Line != want.line || !strings.Contains(problem.Text, want.says) {
			t.Errorf("%q: got %v, want line %d: %s", text, err, want.line, want.says)
		}
	}
}
