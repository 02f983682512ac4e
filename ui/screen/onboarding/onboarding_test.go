package onboarding

import (
	"context"
	"errors"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
	"mediadesk/ui/page"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

// testKey must never appear.
const testKey = "private_Zq81+not/shown="

// store is an in-memory keyring. If err is set, every call fails with it.
type store struct {
	keys map[string]config.Secret
	err  error
}

func (s *store) Try(context.Context) error { return s.err }

func (s *store) Get(_ context.Context, profile string) (config.Secret, error) {
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
	delete(s.keys, profile)
	return s.err
}

// driver is the screen with its own settings.
type driver struct {
	*uitest.Driver
	t     *testing.T
	o     Options
	store *store
	env   map[string]string
	m     *Model
	seen  strings.Builder
}

func newDriver(t *testing.T) *driver {
	t.Helper()
	d := &driver{t: t, store: &store{keys: map[string]config.Secret{}}, env: map[string]string{}}
	home := filepath.Join(t.TempDir(), "desk")
	getenv := func(name string) string { return d.env[name] }
	d.o = Options{
		Paths:  config.FindPaths(func(name string) string { return map[string]string{"MEDIADESK_HOME": home}[name] }),
		Keys:   &config.Keys{Keyring: d.store, Getenv: getenv},
		Getenv: getenv,
	}
	return d
}

func (d *driver) open() *driver {
	d.t.Helper()
	d.m = New(d.o)
	d.Driver = uitest.Drive(d.t, page.Onboarding, d.m, image.Pt(100, 32))
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

// used returns the profile that the screen selected, and the key with it.
func (d *driver) used() page.UseProfile {
	d.t.Helper()
	for _, msg := range d.Out {
		if use, ok := msg.(page.UseProfile); ok {
			return use
		}
	}
	d.t.Fatalf("no profile is used; said was %v:\n%s", d.Out, d.screen())
	return page.UseProfile{}
}

func (d *driver) settings() config.Config {
	d.t.Helper()
	c, err := config.Load(d.o.Paths)
	if err != nil {
		d.t.Fatal(err)
	}
	return c
}

// untouched fails if any file was written.
func (d *driver) untouched() {
	d.t.Helper()
	if _, err := os.Stat(filepath.Dir(d.o.Paths.Config)); !errors.Is(err, os.ErrNotExist) {
		d.t.Errorf("a file was written before the choice (%v)", err)
	}
}

func TestFirstStartWritesNothing(t *testing.T) {
	d := newDriver(t).open()
	d.sees("Welcome to mediadesk", "Try it here", "Connect an account", "nothing leaves this computer")
	if d.has("from the environment") {
		t.Error("a key of the environment is offered, but there is none")
	}
	d.press("down", "up", "x", "esc", "G", "g")
	d.press("c").sees("Which account?").press("enter").typed("x").press("ctrl+s", "esc", "esc").sees("Welcome")
	d.untouched()
	if len(d.Out) > 0 {
		t.Errorf("said was %v", d.Out)
	}
}

func TestTryItHere(t *testing.T) {
	for _, keys := range [][]string{{"enter"}, {"t"}, {"down", "up", "l"}} {
		d := newDriver(t).open().press(keys...)
		if use := d.used(); use.Name != config.LocalProfile || use.Key != nil {
			t.Errorf("%v: %+v", keys, use)
		}
		if c := d.settings(); !c.Exists || c.Profile != config.LocalProfile {
			t.Errorf("%v: the next start would ask again", keys)
		}
	}
}

func TestTryItHereWhereNothingCanBeWritten(t *testing.T) {
	d := newDriver(t)
	d.open()
	// A file appears at the path of the folder, between the start and the choice.
	if err := os.WriteFile(filepath.Dir(d.o.Paths.Config), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d.press("enter").sees("MEDIADESK_HOME", "Try it here")
	if len(d.Out) > 0 {
		t.Errorf("said was %v", d.Out)
	}
}

func TestConnect(t *testing.T) {
	d := newDriver(t).open().press("c", "enter").typed("pics").press("ctrl+s").typed(testKey).press("enter")
	if use := d.used(); use.Name != "pics" || use.Key != nil {
		t.Errorf("%+v", use)
	}
	if d.settings().Profile != "pics" || d.store.keys["pics"].Reveal() != testKey {
		t.Error("account or key is not kept")
	}
	if strings.Contains(d.seen.String(), testKey) {
		t.Error("the key was drawn")
	}
}

func TestConnectForThisRun(t *testing.T) {
	d := newDriver(t)
	d.store.err = &config.KeyringError{Problem: config.KeyringNoBus, Doing: "trying the keyring"}
	d.open().press("c", "enter").typed("pics").press("ctrl+s").sees("no session bus was found")
	d.press("o").typed(testKey).press("enter")
	if use := d.used(); use.Name != "pics" || use.Key == nil || use.Key.Reveal() != testKey {
		t.Errorf("%+v", use)
	}
}

func TestKeyOfTheEnvironment(t *testing.T) {
	d := newDriver(t)
	d.env[config.KeyVariable] = testKey
	d.open().sees("Use the key from the environment").press("e", "enter").typed("pics").press("ctrl+s")
	if use := d.used(); use.Name != "pics" || use.Key != nil {
		t.Errorf("%+v", use)
	}
	if strings.Contains(d.seen.String(), testKey) {
		t.Error("the key was drawn")
	}
}

// withAccount has a hosted account in use.
func withAccount(t *testing.T, problem error) *driver {
	d := newDriver(t)
	c, err := d.settings().SetProfile(config.HostedPreset("work", "w"))
	if err == nil {
		_, err = c.Use("work")
	}
	if err != nil {
		t.Fatal(err)
	}
	d.o.Problem = problem
	return d
}

func TestNoKey(t *testing.T) {
	locked := &config.KeyringError{Problem: config.KeyringLocked, Doing: "reading"}
	d := withAccount(t, &config.NoKeyError{Profile: "work", Keyring: locked})
	d.store.err = locked
	d.open().sees("The account work could not be opened", "No private key was found", "The keyring is locked.",
		"Give the private key", "Try again", "Use the local library for now", "Connect another account")
	d.press("p").sees("The keyring is locked.", "Use it for this run only").press("o").typed(testKey).press("enter")
	if use := d.used(); use.Name != "work" || use.Key.Reveal() != testKey {
		t.Errorf("%+v", use)
	}
}

func TestKeyFileThatGivesNone(t *testing.T) {
	d := withAccount(t, &config.SourceError{Source: "key file /k", Err: errors.New("others can read it")})
	d.open().sees("The key file /k gives no key: others can read it.", "Give the private key")
	d.press("p").typed(testKey).press("enter")
	if use := d.used(); use.Name != "work" || use.Key != nil || d.store.keys["work"].Reveal() != testKey {
		t.Errorf("%+v", use)
	}
}

func TestTryAgainAndLocal(t *testing.T) {
	d := withAccount(t, errors.New("the network is down")).open()
	d.sees("The network is down.")
	if d.has("Give the private key") {
		t.Error("a key is asked for that does not help")
	}
	d.press("r")
	if use := d.used(); use.Name != "" {
		t.Errorf("%+v", use)
	}

	d = withAccount(t, errors.New("the network is down")).open().press("u")
	if use := d.used(); use.Name != config.LocalProfile {
		t.Errorf("%+v", use)
	}
	if d.settings().Profile != "work" {
		t.Error("the settings were changed for now")
	}
}

func TestLocalLibraryInUse(t *testing.T) {
	d := newDriver(t)
	d.o.Problem = hinted{}
	d.open().sees("The local library could not be opened", "The folder is taken.", "End the other one.", "Connect another account")
	if d.has("Use the local library") {
		t.Error("the local library is offered against itself")
	}
}

type hinted struct{}

func (hinted) Error() string { return "the folder is taken" }
func (hinted) Hint() string  { return "end the other one" }

func TestBrokenSettingsFile(t *testing.T) {
	d := newDriver(t)
	path := d.o.Paths.Config
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("theme = 3\n\nconcurency = 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, d.o.Problem = config.Load(d.o.Paths)
	d.open().sees("line 1", "line 3", "did you mean", "Try again", "Correct the file")
	if d.has("Connect") {
		t.Error("actions that need the settings are offered")
	}
}

func TestUnnamedAccount(t *testing.T) {
	d := newDriver(t)
	d.o.Problem = &config.NoKeyError{Profile: "unnamed"}
	d.open().press("p").sees("for this run only").typed(testKey).press("enter")
	if use := d.used(); use.Name != "" || use.Key.Reveal() != testKey {
		t.Errorf("%+v", use)
	}
	d.untouched()
}

func TestMouse(t *testing.T) {
	d := newDriver(t).open()
	for y, line := range strings.Split(d.screen(), "\n") {
		if strings.Contains(line, "Connect an account") {
			d.Send(tea.MouseClickMsg{Button: tea.MouseLeft, X: 20, Y: y})
			break
		}
	}
	d.sees("Which account?")
}

func TestActions(t *testing.T) {
	d := newDriver(t)
	d.env[config.KeyVariable] = testKey
	d.open()
	var words []string
	for _, a := range d.Host.Actions() {
		words = append(words, a.Label())
	}
	for _, want := range []string{"choose", "Try it here", "Connect an account", "Use the key from the environment", "next choice"} {
		if !slices.Contains(words, want) {
			t.Errorf("%q is not among the actions %q", want, words)
		}
	}
	if d.Host.Capturing() {
		t.Error("q would be text")
	}
	d.press("c", "enter")
	if !d.Host.Capturing() {
		t.Error("q would quit in a text field")
	}
}

func TestViews(t *testing.T) {
	hostile := "\x1b[31m\u202e猫👩🏽‍🚀e\u0301\u0301\u0301\u0301\u0301\r\n" + strings.Repeat("long ", 200)
	first := newDriver(t)
	first.env[config.KeyVariable] = testKey
	help := withAccount(t, errors.New(hostile))
	help.o.Profile = "猫"
	key := withAccount(t, &config.NoKeyError{Profile: hostile})
	flow := newDriver(t)
	for name, d := range map[string]*driver{"first": first, "help": help, "key": key, "flow": flow} {
		t.Run(name, func(t *testing.T) {
			d.open()
			if name == "flow" {
				d.press("c", "enter").typed(hostile)
			}
			uitest.Sweep(t, func(w, h int, th *theme.Theme) string { d.Resize(image.Pt(w, h)); return d.Host.View(th) })
			d.press("G")
			uitest.Sweep(t, func(w, h int, th *theme.Theme) string { d.Resize(image.Pt(w, h)); return d.Host.View(th) })
		})
	}
}
