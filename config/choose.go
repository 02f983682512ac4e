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
	"strings"
	"unicode/utf8"

	"mediadesk/api/atomicfile"
)

//go:embed default.toml
var defaultText string

// CreateFile makes a config.toml in which every setting is explained, in comments only, for the user to
// edit. One that exists stays as it is.
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

// SetProfile adds a profile or changes one, and returns the settings as they are then. On an error nothing
// is changed; it is a *ReadOnlyError where config.toml has the profile.
func (c Config) SetProfile(p Profile) (Config, error) {
	if p.Name == LocalProfile {
		p.MaxSize, p.MaxVideoSize = 0, 0 // filled in from [local] when read
	}
	p, err := p.clean()
	if err != nil {
		return c, err
	}
	return c.edit(fmt.Sprintf("the profile %q", p.Name), func(now Config) (map[string]any, error) {
		old, exists := now.Profiles[p.Name]
		if p.Name == LocalProfile {
			old.MaxSize, old.MaxVideoSize = 0, 0
		}
		file := fileProfileOf(p)
		if exists && reflect.DeepEqual(fileProfileOf(old), file) {
			return nil, nil
		}
		return map[string]any{"profiles." + p.Name: file}, nil
	})
}

// fileProfileOf is the profile as it is written.
func fileProfileOf(p Profile) fileProfile {
	list := func(texts []string) []string { return append([]string(nil), texts...) } // nil where it is empty
	return fileProfile{
		Kind: string(p.Kind), UploadURL: p.UploadURL, BaseURL: p.BaseURL, DeliveryURL: p.DeliveryURL,
		MaxSize: p.MaxSize, MaxVideoSize: p.MaxVideoSize,
		Folder: p.Folder, Tags: list(p.Tags), Extensions: list(p.Extensions),
		Naming: string(p.Naming), ColourOption: string(p.ColourOption),
		WebhookURL: p.WebhookURL, SecretFile: p.WebhookSecretFile, KeyFile: p.KeyFile, KeyCommand: list(p.KeyCommand),
	}
}

// RemoveProfile removes a profile. Its key stays where it is: see Keys.Forget. The local library and the
// profile in use cannot be removed, nor one that config.toml has.
func (c Config) RemoveProfile(name string) (Config, error) {
	return c.edit(fmt.Sprintf("the profile %q", name), func(now Config) (map[string]any, error) {
		if name == LocalProfile {
			return nil, fmt.Errorf("the profile %q is the local library and is always there", LocalProfile)
		}
		if _, err := now.Find(name); err != nil {
			return nil, err
		}
		if now.Profile == name {
			return nil, fmt.Errorf("the profile %q is in use: use another one first, such as %q", name, LocalProfile)
		}
		return map[string]any{"profiles." + name: nil}, nil
	})
}

// Use makes a profile the one in use.
func (c Config) Use(name string) (Config, error) {
	return c.edit("the profile in use", func(now Config) (map[string]any, error) {
		if _, err := now.Find(name); err != nil {
			return nil, err
		}
		if now.Exists && now.Profile == name {
			return nil, nil
		}
		return map[string]any{"profile": name}, nil
	})
}

// SetTheme changes the theme; "" is ThemeAuto.
func (c Config) SetTheme(theme Theme) (Config, error) {
	return c.edit("the theme", func(now Config) (map[string]any, error) {
		theme := or(theme, ThemeAuto)
		if problem := oneOf("theme", theme, now.ThemeNames()...); problem != nil {
			return nil, problem
		}
		return change("theme", now.Theme, theme), nil
	})
}

// SetPictures changes how pictures are drawn; "" is PicturesAuto.
func (c Config) SetPictures(pictures Pictures) (Config, error) {
	return c.edit("the way pictures are drawn", func(now Config) (map[string]any, error) {
		return change("pictures", now.Pictures, or(pictures, PicturesAuto)), nil
	})
}

// SetSignal changes how the end of extensions is told; "" is SignalBell.
func (c Config) SetSignal(signal Signal) (Config, error) {
	return c.edit("the signal", func(now Config) (map[string]any, error) {
		return change("signal", now.Signal, or(signal, SignalBell)), nil
	})
}

// SetConcurrency changes the number of uploads at the same time; 0 is DefaultConcurrency.
func (c Config) SetConcurrency(n int) (Config, error) {
	return c.edit("the number of uploads at the same time", func(now Config) (map[string]any, error) {
		return change("concurrency", now.Concurrency, or(n, DefaultConcurrency)), nil
	})
}

// SetBookmarks changes the list of bookmarks. An empty one removes them all.
func (c Config) SetBookmarks(folders []string) (Config, error) {
	return c.edit("the list of bookmarks", func(now Config) (map[string]any, error) {
		switch {
		case slices.Equal(now.Bookmarks, folders):
			return nil, nil
		case !utf8.ValidString(strings.Join(folders, "")):
			return nil, errors.New("the name of a folder is not text, so that no file of settings can hold it")
		case len(folders) == 0:
			return map[string]any{"bookmarks": nil}, nil
		}
		return map[string]any{"bookmarks": folders}, nil
	})
}

// AddTip keeps in mind that a tip was shown.
func (c Config) AddTip(name string) (Config, error) {
	return c.edit("the list of tips shown", func(now Config) (map[string]any, error) {
		if slices.Contains(now.Tips, name) {
			return nil, nil
		}
		return map[string]any{"tips": append(slices.Clone(now.Tips), name)}, nil
	})
}

// change is the entry to write where a setting changes.
func change[T comparable](key string, was, is T) map[string]any {
	if was == is {
		return nil
	}
	return map[string]any{key: is}
}
