// Package config reads and changes the settings of mediadesk. It also finds the program's files
// and the private key.
package config

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Theme is the name of a theme.
type Theme string

// The themes. ThemeAuto is dark or light, depending on the background of the terminal.
const (
	ThemeAuto         Theme = "auto"
	ThemeDark         Theme = "dark"
	ThemeLight        Theme = "light"
	ThemeHighContrast Theme = "high-contrast"
	ThemeNoColor      Theme = "no-color"
)

// Themes returns the themes in display order.
func Themes() []Theme {
	return []Theme{ThemeAuto, ThemeDark, ThemeLight, ThemeHighContrast, ThemeNoColor}
}

// Pictures selects how pictures are drawn.
type Pictures string

// The ways to draw pictures. PicturesAuto queries the terminal, PicturesOff draws none.
const (
	PicturesAuto   Pictures = "auto"
	PicturesKitty  Pictures = "kitty"
	PicturesITerm  Pictures = "iterm"
	PicturesSixel  Pictures = "sixel"
	PicturesBlocks Pictures = "blocks"
	PicturesOff    Pictures = "off"
)

// ColorDepth selects the number of colors.
type ColorDepth string

// The numbers of colors. DepthAuto follows the terminal.
const (
	DepthAuto ColorDepth = "auto"
	Depth16   ColorDepth = "16"
	Depth256  ColorDepth = "256"
	DepthTrue ColorDepth = "truecolor"
	DepthNone ColorDepth = "none"
)

// The defaults.
const (
	DefaultWebhookListen = "127.0.0.1:7844"
	DefaultLocalAddr     = "127.0.0.1:7843"
	DefaultMaxSize       = 25_000_000 // bytes: "Maximum upload size, free plan" of service.md §8
)

// Choices are the settings that screens and commands change, stored in state.json. Values in
// config.toml override them.
type Choices struct {
	Profile     string             `toml:"profile" json:"profile,omitempty"` // name of the profile in use
	Theme       Theme              `toml:"theme" json:"theme,omitempty"`
	Pictures    Pictures           `toml:"pictures" json:"pictures,omitempty"`
	Colors      ColorDepth         `toml:"colors" json:"colors,omitempty"`
	Concurrency int                `toml:"concurrency" json:"concurrency,omitempty"` // simultaneous uploads; 0 adapts
	Profiles    map[string]Profile `toml:"profiles" json:"profiles,omitempty"`       // by name; always contains LocalProfile
}

// Config holds the settings from config.toml, then state.json, then the defaults. Its toml tags
// are all the keys that config.toml may have. It is a value: an edit changes state.json and
// returns a new Config. Do not modify its maps and slices.
type Config struct {
	Choices
	Webhook Webhook             `toml:"webhook"`
	Local   Local               `toml:"local"`
	Keys    map[string][]string `toml:"keys"` // the user's keys by action ID; only the screens can check them

	Path   string   `toml:"-"` // config.toml, the user's settings file
	Exists bool     `toml:"-"` // whether one of the files has a setting; false means all defaults
	Tips   []string `toml:"-"` // names of the tips that have been shown

	paths  Paths
	places []place // the places in config.toml
}

// LineOf returns the 1-based line of config.toml that sets the keys of an action, or 0.
func (c Config) LineOf(action string) int { return lineOf(c.places, []string{"keys", action}) }

// SetIn returns where config.toml sets a setting, such as "theme", or a profile, such as
// "profiles.work": "set in config.toml line 12". It returns "" for settings that screens and
// commands can change.
func (c Config) SetIn(key string) string {
	if line := c.lineIn(strings.SplitN(key, ".", 2)...); line > 0 {
		return fmt.Sprintf("set in %s line %d", filepath.Base(c.Path), line)
	}
	return ""
}

// Webhook configures our own webhook receiver.
type Webhook struct {
	Listen string `toml:"listen"` // address and port; port 0 picks one
}

// Local configures the local library.
type Local struct {
	Addr     string              `toml:"addr"`     // address and port; port 0 picks one
	MaxSize  int64               `toml:"max_size"` // maximum upload size in bytes
	Database string              `toml:"database"` // postgres:// address of the records, without a password; empty means SQLite
	Commands map[string][]string `toml:"commands"` // extension name to its replacement command, an argument list

	Transformations map[string]string `toml:"transformations"` // name to the steps of a named transformation, such as "w-400,h-300"
	Storage         string            `toml:"storage"`         // address of the content store, such as "s3://bucket?region=…"; empty means the library folder
	AllowAddresses  []string          `toml:"allow_address"`   // HOST:PORT that its guard allows for URL sources and webhooks
}

// Current returns the profile in use.
func (c Config) Current() Profile { return c.Profiles[c.Profile] }

// Find returns a profile by name. The error suggests the nearest name.
func (c Config) Find(name string) (Profile, error) {
	p, ok := c.Profiles[name]
	if !ok {
		known := c.Names()
		return p, fmt.Errorf("there is no profile %q%s (there are: %s)", name, didYouMean(name, known), strings.Join(known, ", "))
	}
	return p, nil
}

// Names returns the names of the profiles: the local one first, the others sorted.
func (c Config) Names() []string {
	names := slices.Sorted(maps.Keys(c.Profiles))
	at := slices.Index(names, LocalProfile)
	if at < 0 {
		return names
	}
	return append([]string{LocalProfile}, slices.Delete(names, at, at+1)...)
}

func defaults(paths Paths) Config { return Config{}.withDefaults(paths) }

// withDefaults fills in missing values without checking the others.
func (c Config) withDefaults(paths Paths) Config {
	c.Path, c.paths = paths.Config, paths
	c.Profile = cmp.Or(c.Profile, LocalProfile)
	c.Theme = cmp.Or(c.Theme, ThemeAuto)
	c.Pictures = cmp.Or(c.Pictures, PicturesAuto)
	c.Colors = cmp.Or(c.Colors, DepthAuto)
	c.Webhook.Listen = cmp.Or(c.Webhook.Listen, DefaultWebhookListen)
	c.Local.Addr = cmp.Or(c.Local.Addr, DefaultLocalAddr)
	c.Local.MaxSize = cmp.Or(c.Local.MaxSize, DefaultMaxSize)
	profiles := map[string]Profile{LocalProfile: {}}
	maps.Copy(profiles, c.Profiles)
	for name, p := range profiles {
		p.Name = name
		profiles[name] = p.withDefaults()
	}
	c.Profiles = profiles
	return c
}
