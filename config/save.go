package config

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

//go:embed default.toml
var defaultText string

// DefaultText is what a new settings file begins with: every setting as a comment.
func DefaultText() string { return defaultText }

// SetProfile adds a profile or changes one, and gives the settings as they are then. Of a profile that
// is there only the keys that differ are touched. On an error nothing is changed.
func (c Config) SetProfile(p Profile) (Config, error) {
	if p.Name == LocalProfile {
		p.MaxSize, p.MaxVideoSize = 0, 0 // filled in from [local] when read
	}
	p, err := p.clean()
	if err != nil {
		return c, err
	}
	return c.edit("the profile "+p.Name, func(now Config) ([]change, error) {
		old, ok := now.Profiles[p.Name]
		if !ok {
			old = Profile{Name: p.Name, Kind: p.Kind}.withDefaults()
			old.Kind = "" // so that a new profile says what it is
		}
		if p.Name == LocalProfile {
			old.MaxSize, old.MaxVideoSize = 0, 0
		}
		return profileChanges(old, p), nil
	})
}

// profileChanges lists what to write so that old becomes p, in the order of a new profile's lines.
func profileChanges(old, p Profile) []change {
	table := []string{"profiles", p.Name}
	var changes []change
	text := func(key, was, is string) {
		changes = append(changes, diff(append(slices.Clone(table), key), was, is)...)
	}
	number := func(key string, was, is int64) {
		changes = append(changes, diff(append(slices.Clone(table), key), was, is)...)
	}
	list := func(key string, was, is []string) {
		changes = append(changes, diffList(append(slices.Clone(table), key), was, is)...)
	}
	text("kind", string(old.Kind), string(p.Kind))
	text("upload_url", old.UploadURL, p.UploadURL)
	text("base_url", old.BaseURL, p.BaseURL)
	text("delivery_url", old.DeliveryURL, p.DeliveryURL)
	number("max_size", old.MaxSize, p.MaxSize)
	number("max_video_size", old.MaxVideoSize, p.MaxVideoSize)
	text("folder", old.Folder, p.Folder)
	list("tags", old.Tags, p.Tags)
	list("extensions", old.Extensions, p.Extensions)
	text("naming", string(old.Naming), string(p.Naming))
	text("colour_option", string(old.ColourOption), string(p.ColourOption))
	text("webhook_url", old.WebhookURL, p.WebhookURL)
	text("webhook_secret_file", old.WebhookSecretFile, p.WebhookSecretFile)
	text("key_file", old.KeyFile, p.KeyFile)
	list("key_command", old.KeyCommand, p.KeyCommand)
	return changes
}

// diff is the change from was to is; nothing if they are the same. A zero value takes the key out.
func diff[T comparable](key []string, was, is T) []change {
	var zero T
	switch is {
	case was:
		return nil
	case zero:
		return []change{{key: key}}
	}
	return []change{{key: key, value: is}}
}

func diffList(key, was, is []string) []change {
	switch {
	case slices.Equal(was, is):
		return nil
	case len(is) == 0:
		return []change{{key: key}}
	}
	return []change{{key: key, value: is}}
}

// RemoveProfile takes a profile out of the file, with the comments in it. Its key stays where it is:
// see Keys.Forget. The local library and the profile in use cannot be removed.
func (c Config) RemoveProfile(name string) (Config, error) {
	return c.edit("the profile "+name, func(now Config) ([]change, error) {
		if name == LocalProfile {
			return nil, fmt.Errorf("the profile %q is the local library and is always there", LocalProfile)
		}
		if _, err := now.Find(name); err != nil {
			return nil, err
		}
		if now.Profile == name {
			return nil, fmt.Errorf("the profile %q is in use: use another one first, such as %q", name, LocalProfile)
		}
		return []change{{key: []string{"profiles", name}}}, nil
	})
}

// Use makes a profile the one in use.
func (c Config) Use(name string) (Config, error) {
	return c.edit("the profile in use", func(now Config) ([]change, error) {
		if _, err := now.Find(name); err != nil {
			return nil, err
		}
		return diff([]string{"profile"}, now.Profile, name), nil
	})
}

// SetTheme changes the theme; "" is ThemeAuto.
func (c Config) SetTheme(theme Theme) (Config, error) {
	return c.edit("the theme", func(now Config) ([]change, error) {
		return diff([]string{"theme"}, string(now.Theme), string(or(theme, ThemeAuto))), nil
	})
}

// SetPictures changes how pictures are drawn; "" is PicturesAuto.
func (c Config) SetPictures(pictures Pictures) (Config, error) {
	return c.edit("how pictures are drawn", func(now Config) ([]change, error) {
		return diff([]string{"pictures"}, string(now.Pictures), string(or(pictures, PicturesAuto))), nil
	})
}

// SetSignal changes how the end of extensions is told; "" is SignalBell.
func (c Config) SetSignal(signal Signal) (Config, error) {
	return c.edit("the signal", func(now Config) ([]change, error) {
		return diff([]string{"signal"}, string(now.Signal), string(or(signal, SignalBell))), nil
	})
}

// SetConcurrency changes the number of uploads at the same time; 0 is DefaultConcurrency.
func (c Config) SetConcurrency(n int) (Config, error) {
	return c.edit("the number of uploads at the same time", func(now Config) ([]change, error) {
		return diff([]string{"concurrency"}, int64(now.Concurrency), int64(or(n, DefaultConcurrency))), nil
	})
}

// SetBookmarks changes the list of bookmarks. An empty one takes it out of the file.
func (c Config) SetBookmarks(folders []string) (Config, error) {
	return c.edit("the bookmarks", func(now Config) ([]change, error) {
		return diffList([]string{"bookmarks"}, now.Bookmarks, folders), nil
	})
}

// SetWebhook changes where the webhook receiver listens; "" is DefaultWebhookListen.
func (c Config) SetWebhook(w Webhook) (Config, error) {
	return c.edit("the webhook receiver", func(now Config) ([]change, error) {
		return diff([]string{"webhook", "listen"}, now.Webhook.Listen, or(w.Listen, DefaultWebhookListen)), nil
	})
}

// SetLocal changes how the local library runs. Zero fields are the defaults; commands that are not
// among l.Commands are taken out of the file.
func (c Config) SetLocal(l Local) (Config, error) {
	return c.edit("the local library", func(now Config) ([]change, error) {
		changes := diff([]string{"local", "addr"}, now.Local.Addr, or(l.Addr, DefaultLocalAddr))
		changes = append(changes, diff([]string{"local", "max_size"}, now.Local.MaxSize, or(l.MaxSize, DefaultMaxSize))...)
		for _, name := range sortedUnion(now.Local.Commands, l.Commands) {
			key := []string{"local", "commands", name}
			changes = append(changes, diffList(key, now.Local.Commands[name], l.Commands[name])...)
		}
		return changes, nil
	})
}

func sortedUnion(a, b map[string][]string) []string {
	var names []string
	for _, m := range []map[string][]string{a, b} {
		for name := range m {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// edit reads the file anew, so that what another program or an editor wrote meanwhile is kept, lets
// plan say what to change, checks that the result can be read, and writes it.
func (c Config) edit(what string, plan func(now Config) ([]change, error)) (Config, error) {
	fail := func(err error) (Config, error) {
		return c, fmt.Errorf("%s was not changed: %w", what, err)
	}
	target, unlock, err := c.lock()
	if err != nil {
		return fail(err)
	}
	defer unlock()

	text, exists, err := readFile(c.Path)
	if err != nil {
		return fail(err)
	}
	if !exists {
		text = defaultText
	}
	now, err := parse(c.Path, text)
	if err != nil {
		return fail(err)
	}
	changes, err := plan(now)
	if err != nil {
		return c, err
	}
	if len(changes) == 0 && exists {
		return now, nil
	}
	for _, change := range changes {
		if !encodable(change.value) {
			return fail(fmt.Errorf("%s: this is not text that a file can hold", joinKey(change.key)))
		}
	}
	edited, err := apply(text, changes)
	if err != nil {
		return fail(err)
	}
	next, err := parse(c.Path, edited)
	if err != nil {
		return fail(problemOf(err))
	}
	if err := writeFile(target, edited); err != nil {
		return fail(err)
	}
	return next, nil
}

// problemOf takes the line out of a problem that a value brought which is not in the file.
func problemOf(err error) error {
	if problem, ok := errors.AsType[*FileError](err); ok {
		return errors.New(problem.Text)
	}
	return err
}

// encodable says that all text in a value is valid.
func encodable(value any) bool {
	switch v := value.(type) {
	case string:
		return strings.ToValidUTF8(v, "") == v
	case []string:
		return !slices.ContainsFunc(v, func(s string) bool { return strings.ToValidUTF8(s, "") != s })
	}
	return value == nil || reflect.TypeOf(value).Kind() == reflect.Int64
}

// lockLimit is how long another mediadesk may hold the settings: it writes a few kilobytes.
const lockLimit = 5 * time.Second

// lock makes this process the only one that changes the file, and gives the file to write: where a
// symbolic link points, so that a settings file that is kept elsewhere stays a link.
func (c Config) lock() (target string, unlock func(), err error) {
	target = c.Path
	if resolved, err := filepath.EvalSymlinks(c.Path); err == nil {
		target = resolved
	}
	dir := filepath.Dir(target)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("the folder %s cannot be made (%v): set MEDIADESK_HOME to a folder that can be written", dir, cause(err))
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockLimit)
	defer cancel()
	own := flock.New(filepath.Join(dir, ".config.lock"), flock.SetPermissions(0o600))
	ok, err := own.TryLockContext(ctx, 5*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) || err == nil && !ok {
		return "", nil, fmt.Errorf("another mediadesk is changing %s and does not finish: try again, or end it", target)
	}
	if err != nil {
		return "", nil, fmt.Errorf("the folder %s cannot be written (%v): check its permissions, or set MEDIADESK_HOME to another folder", dir, cause(err))
	}
	return target, func() { _ = own.Close() }, nil
}

// writeFile replaces a file so that a power cut at any moment leaves the old or the new one: a
// temporary file is written and synced, renamed, and its folder synced.
func writeFile(path, text string) (err error) {
	fail := func(err error) error {
		if err == nil {
			return nil
		}
		return fmt.Errorf("%s cannot be written (%v): check the free space and the permissions of its folder", path, cause(err))
	}
	dir := filepath.Dir(path)
	file, err := os.CreateTemp(dir, ".config-*.tmp") // made 0600
	if err != nil {
		return fail(err)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			if gone := os.Remove(file.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
	}()
	if _, err := file.WriteString(text); err != nil {
		return fail(err)
	}
	if err := file.Sync(); err != nil {
		return fail(err)
	}
	if err := file.Close(); err != nil {
		return fail(err)
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return fail(err)
	}
	return fail(syncDir(dir))
}
