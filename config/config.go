// Package config reads and changes the settings of mediadesk. It also finds the program's files
// and the private key.
package config

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"mediadesk/api/atomicfile"
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

var themes = []Theme{ThemeAuto, ThemeDark, ThemeLight, ThemeHighContrast, ThemeNoColor}

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
	Database string              `toml:"database"` // postgres:// address without a password; empty for SQLite
	Commands map[string][]string `toml:"commands"` // extension name to its replacement command, an argument list

	Transformations map[string]string `toml:"transformations"` // name to steps, such as "w-400,h-300"
	// Storage is the content store, such as "s3://bucket?region=…"; empty means the library folder.
	Storage        string   `toml:"storage"`
	AllowAddresses []string `toml:"allow_address"` // HOST:PORT its guard allows for URL sources and webhooks
}

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
	isLocal := func(name string) bool { return name == LocalProfile }
	return append([]string{LocalProfile}, slices.DeleteFunc(slices.Sorted(maps.Keys(c.Profiles)), isLocal)...)
}

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

//go:embed default.toml
var defaultText string

// CreateFile creates a config.toml with every setting explained in comments. It does not change an
// existing file.
func CreateFile(paths Paths) error {
	dir := filepath.Dir(paths.Config)
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = atomicfile.Create(paths.Config, []byte(defaultText), 0o600)
	}
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	return fmt.Errorf("%s cannot be created (%v): check the permissions of its folder", paths.Config, cause(err))
}

// SetProfile adds or changes a profile and returns the new settings. On an error nothing is
// changed; if config.toml sets the profile, the error is a *ReadOnlyError.
func (c Config) SetProfile(p Profile) (Config, error) {
	p, err := p.writable().clean()
	if err != nil {
		return c, err
	}
	return c.edit(func(now Config, next *state) ([]string, error) {
		if old, exists := now.Profiles[p.Name]; exists && reflect.DeepEqual(old.writable(), p) {
			return nil, nil
		}
		if next.Profiles == nil {
			next.Profiles = map[string]Profile{}
		}
		next.Profiles[p.Name] = p
		return []string{"profiles." + p.Name}, nil
	})
}

// writable returns the profile as a settings file stores it. The limits of the local library are
// in [local].
func (p Profile) writable() Profile {
	if p.Name == LocalProfile {
		p.MaxSize, p.MaxVideoSize = 0, 0
	}
	for _, list := range []*[]string{&p.Tags, &p.Extensions, &p.KeyCommand, &p.Crops} {
		*list = append([]string(nil), *list...) // nil if empty
	}
	return p
}

// RemoveProfile removes a profile but keeps its key: see KeyStore.Delete. It refuses to remove the
// local library, the profile in use, and profiles set in config.toml.
func (c Config) RemoveProfile(name string) (Config, error) {
	return c.edit(func(now Config, next *state) ([]string, error) {
		if name == LocalProfile {
			return nil, fmt.Errorf("the profile %q is the local library and cannot be removed", LocalProfile)
		}
		if _, err := now.Find(name); err != nil {
			return nil, err
		}
		if now.Profile == name {
			return nil, fmt.Errorf("the profile %q is in use: use another one first, such as %q", name, LocalProfile)
		}
		delete(next.Profiles, name)
		return []string{"profiles." + name}, nil
	})
}

// Use selects the profile to use.
func (c Config) Use(name string) (Config, error) {
	return c.edit(func(now Config, next *state) ([]string, error) {
		if _, err := now.Find(name); err != nil {
			return nil, err
		}
		if now.Exists && now.Profile == name {
			return nil, nil
		}
		next.Profile = name
		return []string{"profile"}, nil
	})
}

// Set changes those of Theme, Colors, Pictures and Concurrency in which want differs from c, all
// or none. The other choices have functions of their own.
func (c Config) Set(want Choices) (Config, error) {
	return c.edit(func(now Config, next *state) (changed []string, err error) {
		if problem := oneOf("theme", want.Theme, themes...); problem != nil && want.Theme != c.Theme {
			return nil, problem
		}
		choose(&changed, "theme", &next.Theme, c.Theme, now.Theme, want.Theme)
		choose(&changed, "colors", &next.Colors, c.Colors, now.Colors, want.Colors)
		choose(&changed, "pictures", &next.Pictures, c.Pictures, now.Pictures, want.Pictures)
		choose(&changed, "concurrency", &next.Concurrency, c.Concurrency, now.Concurrency, want.Concurrency)
		return changed, nil
	})
}

func choose[T comparable](changed *[]string, key string, choice *T, before, now, want T) {
	if want != before && want != now {
		*choice, *changed = want, append(*changed, key)
	}
}

// AddTip records that a tip was shown.
func (c Config) AddTip(name string) (Config, error) {
	return c.edit(func(_ Config, next *state) ([]string, error) {
		if slices.Contains(next.Tips, name) {
			return nil, nil
		}
		next.Tips = append(next.Tips, name)
		return []string{"tips"}, nil
	})
}

// FileError is one problem in a settings file.
type FileError struct {
	Path string // config.toml or state.json
	Line int    // 1-based; 0 if unknown
	Text string // the problem and a hint
}

func (e *FileError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s, line %d: %s", e.Path, e.Line, e.Text)
	}
	return e.Path + ": " + e.Text
}

// ReadOnlyError reports that config.toml sets the value that a screen or command tried to change.
type ReadOnlyError struct {
	Key  string // such as "theme", or "profiles.work"
	Path string // config.toml
	Line int    // 1-based
}

func (e *ReadOnlyError) Error() string {
	return fmt.Sprintf("%s is set in %s line %d: change or delete it there (%s)", e.Key, filepath.Base(e.Path), e.Line, e.Path)
}

// settingError is a problem with a setting whose place in the file is not known yet.
type settingError struct {
	key  string // relative to its table
	what string
}

func (e *settingError) Error() string { return e.what }

func badSetting(key, format string, args ...any) *settingError {
	return &settingError{key: key, what: key + " " + fmt.Sprintf(format, args...)}
}

// didYouMean returns ", did you mean X?" if one of the names is near, otherwise "".
func didYouMean(got string, names []string) string {
	best, distance := "", max(1, min(3, len(got)/2))
	for _, name := range names {
		d := editDistance(strings.ToLower(got), strings.ToLower(name))
		if d < distance || best == "" && d == distance {
			best, distance = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

func editDistance(a, b string) int {
	ra, rb := []rune(a), []rune(b)
	ra, rb = ra[:min(len(ra), 64)], rb[:min(len(rb), 64)]
	row := make([]int, len(rb)+1)
	for j := range row {
		row[j] = j
	}
	for i, ca := range ra {
		diagonal := row[0]
		row[0] = i + 1
		for j, cb := range rb {
			change := diagonal
			if ca != cb {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(rb)]
}
