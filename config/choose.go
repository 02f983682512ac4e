package config

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"mediadesk/api/atomicfile"
)

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

// RemoveProfile removes a profile but keeps its key: see Keys.Forget. It refuses to remove the
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
		if problem := oneOf("theme", want.Theme, Themes()...); problem != nil && want.Theme != c.Theme {
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
