package config

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
)

// OwnTheme is a theme of the user: colors for a dark and for a light background. If one of
// the two is empty, the other applies to both.
type OwnTheme struct {
	Dark  Colors `toml:"dark"`
	Light Colors `toml:"light"`
}

// Colors are colors by role: "#rrggbb", "#rgb", or "0" to "255" for one of the terminal's own. "" means
// the color of the built-in theme.
type Colors struct {
	Ground        string `toml:"ground"` // background of the terminal
	Text          string `toml:"text"`
	Muted         string `toml:"muted"`
	Accent        string `toml:"accent"`
	Good          string `toml:"good"`
	Warn          string `toml:"warn"`
	Bad           string `toml:"bad"`
	Marked        string `toml:"marked"`
	Line          string `toml:"line"`          // borders
	Raised        string `toml:"raised"`        // background of fields and chips
	RaisedText    string `toml:"raised_text"`   // text on it
	Selected      string `toml:"selected"`      // background of the row under the cursor
	SelectedText  string `toml:"selected_text"` // text on it
	SelectedMuted string `toml:"selected_muted"`
	Strong        string `toml:"strong"` // background of the focused button
	StrongText    string `toml:"strong_text"`
}

// ThemeNames returns the built-in themes, followed by the user's own, sorted.
func (c Config) ThemeNames() []Theme {
	return append(BuiltInThemes(), slices.Sorted(maps.Keys(c.Themes))...)
}

var hexColor = regexp.MustCompile(`^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`)

// checkTheme reports the problems of a theme.
func checkTheme(name Theme, own OwnTheme, report func(problem *settingError, table ...string)) {
	switch {
	case slices.Contains(BuiltInThemes(), name):
		report(&settingError{key: string(name), what: "the theme " + strconv.Quote(string(name)) + " is built in: give yours another name"}, "themes")
		return
	case name == "" || !printable(string(name)):
		report(&settingError{key: string(name), what: "a theme must have a name of plain text"}, "themes")
		return
	case own == OwnTheme{}:
		report(&settingError{key: string(name), what: "the theme " + strconv.Quote(string(name)) + " has no colors: give some in " + joinKey([]string{"themes", string(name), "dark"})}, "themes")
		return
	}
	for variant, colors := range map[string]Colors{"dark": own.Dark, "light": own.Light} {
		value := reflect.ValueOf(colors)
		for field := range value.Type().Fields() {
			role, color := field.Tag.Get("toml"), value.FieldByIndex(field.Index).String()
			if number, err := strconv.Atoi(color); color == "" || hexColor.MatchString(color) || err == nil && number >= 0 && number <= 255 {
				continue
			}
			report(badSetting(role, `%q is not a color: use "#rrggbb", or "0" to "255" for one of the terminal's own`, color), "themes", string(name), variant)
		}
	}
}
