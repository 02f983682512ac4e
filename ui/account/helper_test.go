package account

import (
	"context"
	"image"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
)

// testKey must never be seen.
const testKey = "private_Zq81+not/shown="

// store is a keyring in memory, in the state of its errors.
type store struct {
	keys     map[string]config.Secret
	try, set error
	tries    int
}

func (s *store) Try(context.Context) error {
	s.tries++
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

// desk is a dialogue over settings of its own.
type desk struct {
	t     *testing.T
	o     Options
	store *store
	env   map[string]string
	flow  *Flow
	event Event
	// seen is everything that was ever drawn.
	seen strings.Builder
}

func newDesk(t *testing.T, o Options) *desk {
	t.Helper()
	d := &desk{t: t, store: &store{}, env: map[string]string{}}
	home := t.TempDir()
	o.Paths = config.FindPaths(func(name string) string {
		return map[string]string{"MEDIADESK_HOME": filepath.Join(home, "desk")}[name]
	})
	o.Keys = &config.Keys{Keyring: d.store, Getenv: func(name string) string { return d.env[name] }}
	d.o = o
	return d
}

// open begins the dialogue and brings it to rest.
func (d *desk) open() *desk {
	d.t.Helper()
	d.flow = New(d.o)
	d.run(d.flow.Init())
	return d
}

// run executes a command and all that it leads to.
func (d *desk) run(cmd tea.Cmd) {
	d.t.Helper()
	queue := []tea.Cmd{cmd}
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		if next == nil {
			continue
		}
		msg := next()
		if strings.Contains(reflect.ValueOf(msg).String(), testKey) {
			d.t.Errorf("a message holds the key")
		}
		d.send(msg)
	}
}

func (d *desk) send(msg tea.Msg) {
	d.t.Helper()
	cmd, event := d.flow.Update(msg)
	if event != Open {
		d.event = event
	}
	d.run(cmd)
	d.screen()
}

// press sends keys by their names.
func (d *desk) press(keys ...string) *desk {
	d.t.Helper()
	for _, k := range keys {
		d.send(kit.KeyMsg(k))
	}
	return d
}

// typed writes text into the field with the focus.
func (d *desk) typed(text string) *desk {
	d.t.Helper()
	for _, r := range text {
		d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return d
}

// screen is what is drawn now, without colours.
func (d *desk) screen() string {
	text := ansi.Strip(d.flow.View(image.Pt(100, 32), theme.New(true, true)))
	d.seen.WriteString(text)
	return text
}

// sees fails where a text is not on the screen; line ends count as blanks.
func (d *desk) sees(texts ...string) *desk {
	d.t.Helper()
	screen := d.screen()
	flat := strings.Join(strings.Fields(screen), " ")
	for _, text := range texts {
		if !strings.Contains(flat, text) {
			d.t.Errorf("%q is not on the screen:\n%s", text, screen)
		}
	}
	return d
}

// settings are those in the file.
func (d *desk) settings() config.Config {
	d.t.Helper()
	c, err := config.Load(d.o.Paths)
	if err != nil {
		d.t.Fatal(err)
	}
	return c
}

// add puts an account into the settings.
func (d *desk) add(p config.Profile) {
	d.t.Helper()
	if _, err := d.settings().SetProfile(p); err != nil {
		d.t.Fatal(err)
	}
}
