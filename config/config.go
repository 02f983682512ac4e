// Package config keeps the settings of mediadesk: the settings file and its profiles, the places of
// our files, and the ways to the private key.
package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
)

// Theme names the colours that the program draws with: a built-in theme, or one of Config.Themes.
type Theme string

// The built-in themes. ThemeAuto is dark or light, as the terminal's background is.
const (
	ThemeAuto         Theme = "auto"
	ThemeDark         Theme = "dark"
	ThemeLight        Theme = "light"
	ThemeHighContrast Theme = "high-contrast"
	ThemeNoColour     Theme = "no-colour"
)

// BuiltInThemes are the themes that are always there, in the order to offer them.
func BuiltInThemes() []Theme {
	return []Theme{ThemeAuto, ThemeDark, ThemeLight, ThemeHighContrast, ThemeNoColour}
}

// Pictures says how pictures are drawn.
type Pictures string

// The ways to draw pictures. PicturesAuto asks the terminal, PicturesOff draws none.
const (
	PicturesAuto   Pictures = "auto"
	PicturesKitty  Pictures = "kitty"
	PicturesSixel  Pictures = "sixel"
	PicturesBlocks Pictures = "blocks"
	PicturesOff    Pictures = "off"
)

// Previews says whether small pictures of files stay on the disk.
type Previews string

// With PreviewsKeep the picker shows a file at once that it has shown before, at the cost of at most
// 64 MB of the cache folder; PreviewsForget keeps nothing.
const (
	PreviewsKeep   Previews = "keep"
	PreviewsForget Previews = "forget"
)

// Signal says how the end of the last pending extension is told to somebody who is elsewhere.
type Signal string

// The signals, given only while the terminal has no focus.
const (
	SignalBell    Signal = "bell"    // the terminal's bell
	SignalDesktop Signal = "desktop" // a notification of the desktop
	SignalOff     Signal = "off"
)

// What holds where the settings file is silent.
const (
	DefaultConcurrency   = 6
	DefaultWebhookListen = "127.0.0.1:7844"
	DefaultLocalAddr     = "127.0.0.1:7843"
	DefaultMaxSize       = 25_000_000 // bytes: "Maximum upload size, free plan" of service.md §8
)

// Config holds the settings: those of config.toml, else those of state.toml, else the defaults. It is a
// value: an edit changes state.toml and returns another Config. Do not write to its maps and slices.
type Config struct {
	Path   string // config.toml, the user's settings file
	Exists bool   // whether one of the files has a setting; false means that all of this is defaults

	Profile     string // name of the profile in use
	Theme       Theme
	Themes      map[Theme]OwnTheme // the person's own, by name
	Pictures    Pictures
	Previews    Previews
	Signal      Signal
	Concurrency int      // uploads at the same time, at least 1
	Bookmarks   []string // folders, as written: "~/" stands for the home folder
	Webhook     Webhook
	Local       Local
	Keys        []Key
	Profiles    map[string]Profile // by name; LocalProfile is always among them
	Tips        []string           // names of the tips that were shown

	// Replaced are lines of config.toml, in their order, that version 0.1 wrote and that no longer hold,
	// because a screen or command changed the setting since.
	Replaced []int

	paths Paths
	set   map[string]int // line of config.toml, by entry: see entries
}

// SetIn says where config.toml sets a setting, such as "theme", or a profile, such as "profiles.work":
// "set in config.toml line 12". It returns "" for what screens and commands may change.
func (c Config) SetIn(key string) string {
	if line := c.set[key]; line > 0 {
		return fmt.Sprintf("set in %s line %d", filepath.Base(c.Path), line)
	}
	return ""
}

// Key gives an act of the screens other keys than the usual ones. Whether there is such an act, and
// whether the keys are free, only the screens know.
type Key struct {
	Act  string // its words in the help
	Keys []string
	Line int // of the settings file, from 1
}

// Webhook is where our own receiver listens.
type Webhook struct {
	Listen string // address and port; port 0 picks one
}

// Local is how the local library runs.
type Local struct {
	Addr     string              // address and port; port 0 picks one
	MaxSize  int64               // largest upload it takes, in bytes
	Commands map[string][]string // extension name to the command in its place, an argument list

	Transformations map[string]string // name to the steps of a named transformation, such as "w-400,h-300"
	AllowAddresses  []string          // HOST:PORT that its guard lets URL sources and webhooks reach
	Fault           []string          // faults to make on purpose, KIND=VALUE; nil: none
	Seed            uint64            // of the faults that happen by chance; 0: a random one
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

// defaults is what holds without settings files.
func defaults(paths Paths) Config { return fileConfig{}.resolve(paths) }
