// Package config reads and changes the settings of mediadesk: the settings files and their profiles, the
// paths of our files, and the sources of the private key.
package config

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
)

// Theme names the colors that the program draws with: a built-in theme, or one of Config.Themes.
type Theme string

// The built-in themes. ThemeAuto is dark or light, like the background of the terminal.
const (
	ThemeAuto         Theme = "auto"
	ThemeDark         Theme = "dark"
	ThemeLight        Theme = "light"
	ThemeHighContrast Theme = "high-contrast"
	ThemeNoColor      Theme = "no-colour"
)

// BuiltInThemes are the themes that are always there, in the order to offer them.
func BuiltInThemes() []Theme {
	return []Theme{ThemeAuto, ThemeDark, ThemeLight, ThemeHighContrast, ThemeNoColor}
}

// Pictures says how pictures are drawn.
type Pictures string

// The ways to draw pictures. PicturesAuto asks the terminal, PicturesOff draws none.
const (
	PicturesAuto   Pictures = "auto"
	PicturesKitty  Pictures = "kitty"
	PicturesITerm  Pictures = "iterm"
	PicturesSixel  Pictures = "sixel"
	PicturesBlocks Pictures = "blocks"
	PicturesOff    Pictures = "off"
)

// ColorDepth says how many colors the program draws with.
type ColorDepth string

// The numbers of colors. DepthAuto follows the terminal.
const (
	DepthAuto ColorDepth = "auto"
	Depth16   ColorDepth = "16"
	Depth256  ColorDepth = "256"
	DepthTrue ColorDepth = "truecolor"
	DepthNone ColorDepth = "none"
)

// Previews says whether thumbnails of files are cached on disk.
type Previews string

// PreviewsKeep caches slow previews (64 MB at most); PreviewsForget caches nothing.
const (
	PreviewsKeep   Previews = "keep"
	PreviewsForget Previews = "forget"
)

// Signal says how the user learns that all extensions have finished.
type Signal string

// The signals. They are given only while the terminal has no focus.
const (
	SignalBell    Signal = "bell"    // the terminal's bell
	SignalDesktop Signal = "desktop" // a notification of the desktop
	SignalOff     Signal = "off"
)

// The defaults.
const (
	DefaultWebhookListen = "127.0.0.1:7844"
	DefaultLocalAddr     = "127.0.0.1:7843"
	DefaultMaxSize       = 25_000_000 // bytes: "Maximum upload size, free plan" of service.md §8
)

// Choices are the settings that screens and commands change: state.toml holds them. config.toml may set
// them, too, and then overrides them.
type Choices struct {
	Profile     string             `toml:"profile"` // name of the profile in use
	Theme       Theme              `toml:"theme"`
	Pictures    Pictures           `toml:"pictures"`
	Colors      ColorDepth         `toml:"colors"`
	Previews    Previews           `toml:"previews"`
	Signal      Signal             `toml:"signal"`
	Concurrency int                `toml:"concurrency"` // uploads at the same time; 0: it adapts
	Bookmarks   []string           `toml:"bookmarks"`   // folders, as written: "~/" stands for the home folder
	Profiles    map[string]Profile `toml:"profiles"`    // by name; LocalProfile is always among them
}

// Config holds the settings: those of config.toml, else those of state.toml, else the defaults. Its toml tags
// are all the keys that config.toml may have. It is a value: an edit changes state.toml and returns another
// Config. Do not write to its maps and slices.
type Config struct {
	Choices
	Themes  map[Theme]OwnTheme  `toml:"themes"` // the user's own, by name
	Webhook Webhook             `toml:"webhook"`
	Local   Local               `toml:"local"`
	Keys    map[string][]string `toml:"keys"` // keys by the ID of their action; only the screens can check them

	Path   string   `toml:"-"` // config.toml, the user's settings file
	Exists bool     `toml:"-"` // whether one of the files has a setting; false means that all of this is defaults
	Tips   []string `toml:"-"` // names of the tips that were shown
	// Replaced are lines of config.toml, in their order, that version 0.1 wrote and that are no longer used,
	// because a screen or command changed the setting since.
	Replaced []int `toml:"-"`

	paths Paths
	own   []place        // what config.toml has
	set   map[string]int // line of config.toml, by entry: see entries
}

// LineOf returns the line of config.toml, from 1, that sets the keys of an action; 0 if none does.
func (c Config) LineOf(action string) int { return lineOf(c.own, []string{"keys", action}) }

// SetIn says where config.toml sets a setting, such as "theme", or a profile, such as "profiles.work":
// "set in config.toml line 12". It returns "" for what screens and commands may change.
func (c Config) SetIn(key string) string {
	if line := c.set[key]; line > 0 {
		return fmt.Sprintf("set in %s line %d", filepath.Base(c.Path), line)
	}
	return ""
}

// Webhook is where our own receiver listens.
type Webhook struct {
	Listen string `toml:"listen"` // address and port; port 0 picks one
}

// Local is how the local library runs.
type Local struct {
	Addr     string              `toml:"addr"`     // address and port; port 0 picks one
	MaxSize  int64               `toml:"max_size"` // largest upload it takes, in bytes
	Database string              `toml:"database"` // postgres:// address of its records, without a password; empty: SQLite
	Commands map[string][]string `toml:"commands"` // extension name to the command in its place, an argument list

	Transformations map[string]string `toml:"transformations"` // name to the steps of a named transformation, such as "w-400,h-300"
	Storage         string            `toml:"storage"`         // address of the store of contents, such as "s3://bucket?region=…"; empty: the folder of the library
	AllowAddresses  []string          `toml:"allow_address"`   // HOST:PORT that its guard lets URL sources and webhooks reach
	Fault           []string          `toml:"fault"`           // faults to make on purpose, KIND=VALUE; nil: none
	Seed            uint64            `toml:"seed"`            // of the faults that happen by chance; 0: a random one
}

// Current is the profile in use.
func (c Config) Current() Profile { return c.Profiles[c.Profile] }

// Find gives a profile by name. If there is none the error says so and names the nearest.
func (c Config) Find(name string) (Profile, error) {
	if p, ok := c.Profiles[name]; ok {
		return p, nil
	}
	return Profile{}, &UnknownProfileError{Name: name, Known: c.Names()}
}

// Names lists the profiles: the local one first, the others by name.
func (c Config) Names() []string {
	names := slices.Sorted(maps.Keys(c.Profiles))
	at := slices.Index(names, LocalProfile)
	if at < 0 {
		return names
	}
	return append([]string{LocalProfile}, slices.Delete(names, at, at+1)...)
}

// BookmarkFolders gives the bookmarks with the home folder filled in.
func (c Config) BookmarkFolders() []string {
	folders := make([]string, len(c.Bookmarks))
	for i, b := range c.Bookmarks {
		folders[i] = expandHome(b)
	}
	return folders
}

// defaults is the Config without settings files.
func defaults(paths Paths) Config { return Config{}.withDefaults(paths) }

// withDefaults fills in what was left out, without checking the values.
func (c Config) withDefaults(paths Paths) Config {
	c.Path, c.paths = paths.Config, paths
	c.Profile = cmp.Or(c.Profile, LocalProfile)
	c.Theme = cmp.Or(c.Theme, ThemeAuto)
	c.Pictures = cmp.Or(c.Pictures, PicturesAuto)
	c.Colors = cmp.Or(c.Colors, DepthAuto)
	c.Previews = cmp.Or(c.Previews, PreviewsKeep)
	c.Signal = cmp.Or(c.Signal, SignalBell)
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
