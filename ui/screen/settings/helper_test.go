package settings

import (
	"context"
	"image"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

// testKey must never appear on the screen or in a file.
const testKey = "private_Zq81+not/shown="

// store is an in-memory keyring. If err is set, every call fails with it.
type store struct {
	keys map[string]config.Secret
	err  error
	gets int
}

func (s *store) Try(context.Context) error { return s.err }

func (s *store) Get(_ context.Context, profile string) (config.Secret, error) {
	s.gets++
	if key, ok := s.keys[profile]; ok && s.err == nil {
		return key, nil
	}
	if s.err != nil {
		return config.Secret{}, s.err
	}
	return config.Secret{}, &config.KeyringError{Problem: config.KeyringNotFound, Doing: "reading"}
}

func (s *store) Set(_ context.Context, profile string, key config.Secret) error {
	if s.err == nil {
		s.keys[profile] = key
	}
	return s.err
}

func (s *store) Delete(_ context.Context, profile string) error {
	if s.err != nil {
		return s.err
	}
	if _, ok := s.keys[profile]; !ok {
		return &config.KeyringError{Problem: config.KeyringNotFound, Doing: "forgetting"}
	}
	delete(s.keys, profile)
	return nil
}

// driver drives the screen with its own settings.
type driver struct {
	*uitest.Driver
	t     *testing.T
	o     Options
	store *store
	env   map[string]string
	m     *Model
	seen  strings.Builder
}

// newDriver uses the local library and adds these accounts.
func newDriver(t *testing.T, accounts ...config.Profile) *driver {
	t.Helper()
	d := &driver{t: t, store: &store{keys: map[string]config.Secret{}}, env: map[string]string{}}
	home := filepath.Join(t.TempDir(), "desk")
	getenv := func(name string) string { return d.env[name] }
	d.o = Options{
		Session: receiverTest(func() error { return nil }),
		Paths:   config.FindPaths(func(name string) string { return map[string]string{"MEDIADESK_HOME": home}[name] }),
		Keys:    &config.Keys{Keyring: d.store, Getenv: getenv},
		Getenv:  getenv,
		Version: "1.2.3",
		Profile: session.Profile{
			Name: config.LocalProfile, Local: true, Host: "127.0.0.1:7843",
			KeySource: "the library's own", Receiver: "http://127.0.0.1:7844",
		},
	}
	for _, p := range accounts {
		if _, err := d.settings().SetProfile(p); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func (d *driver) open() *driver {
	d.t.Helper()
	d.m = New(d.o)
	d.Driver = uitest.Drive(d.t, page.Settings, d.m, image.Pt(240, 50), func(driver *uitest.Driver) {
		driver.Drop = func(msg tea.Msg) bool { // the root handles it
			_, changed := msg.(Changed)
			if changed {
				driver.Out = append(driver.Out, msg)
			}
			return changed
		}
	})
	return d
}

func (d *driver) press(keys ...string) *driver {
	d.t.Helper()
	for _, k := range keys {
		d.Press(k)
		d.screen()
	}
	return d
}

func (d *driver) typed(text string) *driver {
	d.t.Helper()
	for _, r := range text {
		d.Send(tea.KeyPressMsg{Code: r, Text: string(r)})
		d.screen()
	}
	return d
}

func (d *driver) screen() string {
	text := d.Text()
	d.seen.WriteString(text)
	return text
}

func (d *driver) has(text string) bool { return strings.Contains(d.Flat(), text) }

func (d *driver) sees(texts ...string) *driver {
	d.t.Helper()
	d.Sees(texts...)
	return d
}

func (d *driver) settings() config.Config {
	d.t.Helper()
	c, err := config.Load(d.o.Paths)
	if err != nil {
		d.t.Fatal(err)
	}
	return c
}

// last returns the last message of type M that the screen sent.
func last[M tea.Msg](d *driver) M {
	d.t.Helper()
	for i := len(d.Out) - 1; i >= 0; i-- {
		if msg, ok := d.Out[i].(M); ok {
			return msg
		}
	}
	var none M
	d.t.Fatalf("no %T was said; said was %v:\n%s", none, d.Out, d.screen())
	return none
}

// answer picks the choice with this key in the last question.
func (d *driver) answer(key string) *driver {
	d.t.Helper()
	ask := last[page.Ask](d)
	for i, c := range ask.Choices {
		if i == 0 && (c.Danger || c.Do != nil) {
			d.t.Errorf("the first choice of %q is not the safe one", ask.Title)
		}
		if c.Key == key {
			d.Choose(ask, c.Label)
			return d
		}
	}
	d.t.Fatalf("%q has no choice %q", ask.Title, key)
	return d
}
