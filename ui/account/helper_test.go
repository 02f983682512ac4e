package account

import (
	"context"
	"image"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

// testKey must never appear on the screen or in a file.
const testKey = "private_Zq81+not/shown="

// store is an in-memory keyring. Try and Set return the errors try and set.
type store struct {
	keys     map[string]config.Secret
	try, set error
	attempts int
}

func (s *store) Try(context.Context) error {
	s.attempts++
	return s.try
}

func (s *store) Get(_ context.Context, profile string) (config.Secret, error) {
	if key, ok := s.keys[profile]; ok {
		return key, nil
	}
	return config.Secret{}, &config.KeyringError{Problem: config.KeyringNotFound, Doing: "reading"}
}

func (s *store) Set(_ context.Context, profile string, key config.Secret) error {
	if s.set != nil {
		return s.set
	}
	if s.keys == nil {
		s.keys = map[string]config.Secret{}
	}
	s.keys[profile] = key
	return nil
}

func (s *store) Delete(_ context.Context, profile string) error {
	delete(s.keys, profile)
	return nil
}

// screen only shows the dialog.
type screen struct {
	page.Base
	flow *Flow
}

func (s *screen) Init() tea.Cmd {
	s.Overlays().Open(s.flow)
	return s.flow.Init()
}

func (s *screen) Update(msg tea.Msg) tea.Cmd {
	if answer, ok := msg.(page.Then); ok {
		return answer()
	}
	return nil
}

func (s *screen) Actions() []kit.Action                        { return nil }
func (s *screen) View(size image.Point, _ *theme.Theme) string { return text.Fit("", size.X, size.Y) }

// driver drives a dialog with its own settings.
type driver struct {
	*uitest.Driver
	t      *testing.T
	o      Options
	store  *store
	env    map[string]string
	flow   *Flow
	result Result
	done   bool // the dialog called Done
	// seen is everything drawn so far.
	seen strings.Builder
}

func newDriver(t *testing.T, o Options) *driver {
	t.Helper()
	d := &driver{t: t, store: &store{}, env: map[string]string{}}
	home := t.TempDir()
	o.Paths = config.FindPaths(func(name string) string {
		return map[string]string{"MEDIADESK_HOME": filepath.Join(home, "desk")}[name]
	})
	o.Keys = &config.Keys{Keyring: d.store, Getenv: func(name string) string { return d.env[name] }}
	o.Done = func(r Result) tea.Cmd {
		d.result, d.done = r, true
		return nil
	}
	d.o = o
	return d
}

// open starts the dialog and waits until it is idle.
func (d *driver) open() *driver {
	d.t.Helper()
	d.flow, d.done = New(d.o), false
	d.Driver = uitest.Drive(d.t, page.Onboarding, &screen{flow: d.flow}, image.Pt(100, 32))
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

// typed types text into the focused field.
func (d *driver) typed(text string) *driver {
	d.t.Helper()
	for _, r := range text {
		d.Send(tea.KeyPressMsg{Code: r, Text: string(r)})
		d.screen()
	}
	return d
}

// click clicks the line that contains words.
func (d *driver) click(words string) {
	d.t.Helper()
	for y, line := range strings.Split(d.screen(), "\n") {
		if strings.Contains(line, words) {
			d.Send(tea.MouseClickMsg{Button: tea.MouseLeft, X: 20, Y: y})
			return
		}
	}
	d.t.Fatalf("%q is not on the screen:\n%s", words, d.screen())
}

// screen returns the screen as plain text.
func (d *driver) screen() string {
	text := d.Text()
	d.seen.WriteString(text)
	return text
}

// sees fails if a text is not on the screen. It treats line breaks as blanks.
func (d *driver) sees(texts ...string) *driver {
	d.t.Helper()
	d.Sees(texts...)
	return d
}

// settings returns the saved settings.
func (d *driver) settings() config.Config {
	d.t.Helper()
	c, err := config.Load(d.o.Paths)
	if err != nil {
		d.t.Fatal(err)
	}
	return c
}

// add adds an account to the settings.
func (d *driver) add(p config.Profile) {
	d.t.Helper()
	if _, err := d.settings().SetProfile(p); err != nil {
		d.t.Fatal(err)
	}
}
