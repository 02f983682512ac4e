package uitest

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/media/mediatest"
	"mediadesk/config"
)

// TestKey is a private key that must never appear on a screen or in a file.
const TestKey = "private_Zq81+not/shown="

// Key is a private key for tests.
type Key string

// Reveal returns the key.
func (k Key) Reveal() string { return string(k) }

// Keyring is a keyring in memory. Its calls fail with Err; Try and Set also with an error of their
// own.
type Keyring struct {
	Keys                map[string]config.Secret
	Err, TryErr, SetErr error
	Attempts, Gets      int
}

// Try returns its error.
func (k *Keyring) Try(context.Context) error {
	k.Attempts++
	return cmp.Or(k.TryErr, k.Err)
}

// Get returns a key.
func (k *Keyring) Get(_ context.Context, profile string) (config.Secret, error) {
	k.Gets++
	if k.Err != nil {
		return config.Secret{}, k.Err
	}
	if key, ok := k.Keys[profile]; ok {
		return key, nil
	}
	return config.Secret{}, &config.KeyringError{Problem: config.KeyringNotFound, Doing: "reading"}
}

// Set stores a key.
func (k *Keyring) Set(_ context.Context, profile string, key config.Secret) error {
	if k.SetErr != nil {
		return k.SetErr
	}
	if k.Err == nil {
		k.Keys[profile] = key
	}
	return k.Err
}

// Delete removes a key.
func (k *Keyring) Delete(ctx context.Context, profile string) error {
	_, err := k.Get(ctx, profile)
	delete(k.Keys, profile)
	return err
}

// Accounts drives a screen with settings, keys and an environment of its own. D is the driver of a
// test that embeds it, so that calls can be chained.
type Accounts[D any] struct {
	*Driver
	TB    testing.TB
	Paths config.Paths
	Keys  *config.Keys
	Store *Keyring
	Env   map[string]string
	// Seen is everything drawn so far.
	Seen strings.Builder

	self D
}

// Begin prepares an empty home.
func (a *Accounts[D]) Begin(t testing.TB, self D) {
	mediatest.TempInMemory()
	a.TB, a.self, a.Env, a.Store = t, self, map[string]string{}, &Keyring{Keys: map[string]config.Secret{}}
	home := filepath.Join(t.TempDir(), "desk")
	a.Paths = Paths(home)
	a.Keys = &config.Keys{Keyring: a.Store, Getenv: func(name string) string { return a.Env[name] }}
}

// Press presses keys and draws after each.
func (a *Accounts[D]) Press(keys ...string) D {
	a.TB.Helper()
	for _, k := range keys {
		a.Driver.Press(k)
		a.Seen.WriteString(a.drawn)
	}
	return a.self
}

// Typed types text and draws after each character.
func (a *Accounts[D]) Typed(text string) D {
	a.TB.Helper()
	for _, r := range text {
		a.Send(tea.KeyPressMsg{Code: r, Text: string(r)})
		a.Seen.WriteString(a.drawn)
	}
	return a.self
}

// Sees fails if a text is not on the screen. It treats line breaks as blanks.
func (a *Accounts[D]) Sees(texts ...string) D {
	a.TB.Helper()
	a.Driver.Sees(texts...)
	return a.self
}

// Drawn returns the screen as plain text.
func (a *Accounts[D]) Drawn() string {
	text := a.Text()
	a.Seen.WriteString(text)
	return text
}

// Click clicks the line that contains words.
func (a *Accounts[D]) Click(words string) {
	a.TB.Helper()
	at := a.Find(words)
	if at.X < 0 {
		a.TB.Fatalf("%q is not on the screen:\n%s", words, a.Drawn())
	}
	a.Send(tea.MouseClickMsg{Button: tea.MouseLeft, X: 20, Y: at.Y})
}

// Settings returns the saved settings.
func (a *Accounts[D]) Settings() config.Config {
	a.TB.Helper()
	c, err := config.Load(a.Paths)
	mediatest.Must(a.TB, err)
	return c
}

// Add adds accounts to the settings.
func (a *Accounts[D]) Add(accounts ...config.Profile) {
	a.TB.Helper()
	for _, p := range accounts {
		_, err := a.Settings().SetProfile(p)
		mediatest.Must(a.TB, err)
	}
}

// WriteConfig writes config.toml.
func (a *Accounts[D]) WriteConfig(text string) {
	a.TB.Helper()
	mediatest.Must(a.TB, os.MkdirAll(filepath.Dir(a.Paths.Config), 0o700))
	mediatest.Must(a.TB, os.WriteFile(a.Paths.Config, []byte(text), 0o600))
}

// HidesKey fails if TestKey was drawn or is in the settings.
func (a *Accounts[D]) HidesKey() {
	a.TB.Helper()
	state, err := os.ReadFile(a.Paths.StateFile())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		a.TB.Fatal(err)
	}
	if strings.Contains(a.Seen.String()+string(state), TestKey) {
		a.TB.Error("the key was drawn or written")
	}
}

// Paths returns where the program keeps its files if MEDIADESK_HOME is home.
func Paths(home string) config.Paths {
	return config.FindPaths(
		func(name string) string { return map[string]string{"MEDIADESK_HOME": home}[name] })
}
