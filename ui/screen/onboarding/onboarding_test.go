package onboarding

import (
	"errors"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/config"
	"mediadesk/ui/page"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

type driver struct {
	uitest.Accounts[*driver]
	o Options
	m *Model
}

func newDriver(t *testing.T) *driver {
	t.Helper()
	d := &driver{}
	d.Begin(t, d)
	d.o = Options{Paths: d.Paths, Keys: d.Keys, Getenv: d.Keys.Getenv}
	return d
}

func (d *driver) open() *driver {
	d.TB.Helper()
	d.m = New(d.o)
	d.Driver = uitest.Drive(d.TB, page.Onboarding, d.m, image.Pt(100, 32))
	return d
}

func (d *driver) used() page.UseProfile {
	d.TB.Helper()
	for _, msg := range d.Out {
		if use, ok := msg.(page.UseProfile); ok {
			return use
		}
	}
	d.TB.Fatalf("no profile is used; said was %v:\n%s", d.Out, d.Drawn())
	return page.UseProfile{}
}

func (d *driver) untouched() {
	d.TB.Helper()
	if _, err := os.Stat(filepath.Dir(d.Paths.Config)); !errors.Is(err, os.ErrNotExist) {
		d.TB.Errorf("a file was written before the choice (%v)", err)
	}
}

func TestFirstStartWritesNothing(t *testing.T) {
	d := newDriver(t).open()
	d.Sees("Upload, tag and crop images", "Try it here", "Connect an account", "no account")
	d.SeesNot("in the environment") // there is no such key
	d.Press("down", "up", "esc", "k", "j")
	d.Press("c").Sees("Connect an account · step 1").Press("enter").Typed("x").Press("ctrl+s", "esc", "esc").Sees("Try it here")
	d.untouched()
	if len(d.Out) > 0 {
		t.Errorf("said was %v", d.Out)
	}
}

func TestTryItHere(t *testing.T) {
	for _, keys := range [][]string{{"enter"}, {"t"}, {"down", "up", "l"}} {
		d := newDriver(t).open().Press(keys...)
		if use := d.used(); use.Name != config.LocalProfile || use.Key != nil {
			t.Errorf("%v: %+v", keys, use)
		}
		if c := d.Settings(); !c.Exists || c.Profile != config.LocalProfile {
			t.Errorf("%v: the next start would ask again", keys)
		}
	}
}

func TestTryItHereWhereNothingCanBeWritten(t *testing.T) {
	d := newDriver(t)
	d.open()
	// A file appears at the path of the folder, between the start and the choice.
	mediatest.Must(t, os.WriteFile(filepath.Dir(d.Paths.Config), nil, 0o600))
	d.Press("enter").Sees("MEDIADESK_HOME", "Try it here")
	if len(d.Out) > 0 {
		t.Errorf("said was %v", d.Out)
	}
}

func TestConnect(t *testing.T) {
	d := newDriver(t).open().Press("c", "enter").Typed("pics").Press("ctrl+s").
		Typed(uitest.TestKey).Press("enter")
	if use := d.used(); use.Name != "pics" || use.Key != nil {
		t.Errorf("%+v", use)
	}
	if d.Settings().Profile != "pics" || d.Store.Keys["pics"].Reveal() != uitest.TestKey {
		t.Error("account or key is not kept")
	}
	d.HidesKey()
}

func TestConnectForThisRun(t *testing.T) {
	d := newDriver(t)
	d.Store.Err = &config.KeyringError{Problem: config.KeyringMissing, Doing: "trying the keyring"}
	d.open().Press("c", "enter").Typed("pics").Press("ctrl+s").Sees("This session has no keyring")
	d.Press("o").Typed(uitest.TestKey).Press("enter")
	if use := d.used(); use.Name != "pics" || use.Key == nil || use.Key.Reveal() != uitest.TestKey {
		t.Errorf("%+v", use)
	}
}

func TestKeyOfTheEnvironment(t *testing.T) {
	d := newDriver(t)
	d.Env[config.KeyVariable] = uitest.TestKey
	d.open().Sees("Use the key in the environment").Press("e", "enter").Typed("pics").Press("ctrl+s")
	if use := d.used(); use.Name != "pics" || use.Key != nil {
		t.Errorf("%+v", use)
	}
	d.HidesKey()
}

func withAccount(t *testing.T, problem error) *driver {
	d := newDriver(t)
	c, err := d.Settings().SetProfile(config.HostedPreset("work", "w"))
	if err == nil {
		_, err = c.Use("work")
	}
	mediatest.Must(t, err)
	d.o.Problem = problem
	return d
}

func TestNoKey(t *testing.T) {
	locked := &config.KeyringError{Problem: config.KeyringLocked, Doing: "reading"}
	d := withAccount(t, &config.NoKeyError{Profile: "work", Keyring: locked})
	d.Store.Err = locked
	d.open().Sees("The account work could not be opened", "No private key was found", "The keyring is locked.",
		"Give the private key", "Try again", "Use the local library for now", "Connect another account")
	d.Press("p").Sees("The keyring is locked.", "Use it for this run only").Press("o").Typed(uitest.TestKey).Press("enter")
	if use := d.used(); use.Name != "work" || use.Key.Reveal() != uitest.TestKey {
		t.Errorf("%+v", use)
	}
}

func TestKeyFileThatGivesNone(t *testing.T) {
	d := withAccount(t, &config.SourceError{Source: "key file /k", Err: errors.New("others can read it")})
	d.open().Sees("The key file /k gives no key: others can read it.", "Give the private key")
	d.Press("p").Typed(uitest.TestKey).Press("enter")
	if use := d.used(); use.Name != "work" || use.Key != nil ||
		d.Store.Keys["work"].Reveal() != uitest.TestKey {
		t.Errorf("%+v", use)
	}
}

func TestTryAgainAndLocal(t *testing.T) {
	d := withAccount(t, errors.New("the network is down")).open()
	d.Sees("The network is down.")
	d.SeesNot("Give the private key") // it would not help
	d.Press("r")
	if use := d.used(); use.Name != "" {
		t.Errorf("%+v", use)
	}

	d = withAccount(t, errors.New("the network is down")).open().Press("u")
	if use := d.used(); use.Name != config.LocalProfile {
		t.Errorf("%+v", use)
	}
	mediatest.Equal(t, d.Settings().Profile, "work", "the settings were changed for now")
}

func TestLocalLibraryInUse(t *testing.T) {
	d := newDriver(t)
	d.o.Problem = hinted{}
	d.open().Sees("The local library could not be opened", "The folder is taken.", "End the other one.", "Connect another account")
	d.SeesNot("Use the local library") // it is the one that fails
}

type hinted struct{}

func (hinted) Error() string { return "the folder is taken" }
func (hinted) Hint() string  { return "end the other one" }

func TestBrokenSettingsFile(t *testing.T) {
	d := newDriver(t)
	d.WriteConfig("them = 3\n\nconcurency = 3\n")
	_, d.o.Problem = config.Load(d.Paths)
	d.open().Sees("line 1", "did you mean", "Try again", "Correct the file")
	d.SeesNot("Connect") // it needs the settings
}

func TestUnnamedAccount(t *testing.T) {
	d := newDriver(t)
	d.o.Problem = &config.NoKeyError{Profile: "unnamed"}
	d.open().Press("p").Sees("for this run only").Typed(uitest.TestKey).Press("enter")
	if use := d.used(); use.Name != "" || use.Key.Reveal() != uitest.TestKey {
		t.Errorf("%+v", use)
	}
	d.untouched()
}

func TestMouse(t *testing.T) {
	d := newDriver(t).open()
	d.Click("Connect an account")
	d.Sees("Connect an account · step 1")
}

func TestActions(t *testing.T) {
	d := newDriver(t)
	d.Env[config.KeyVariable] = uitest.TestKey
	d.open()
	var words []string
	for _, a := range d.Host.Actions() {
		words = append(words, a.Label())
	}
	for _, want := range []string{"choose", "Quit", "Try it here", "Connect an account", "Use the key in the environment", "next choice"} {
		if !slices.Contains(words, want) {
			t.Errorf("%q is not among the actions %q", want, words)
		}
	}
	if d.Host.Capturing() {
		t.Error("q would be text")
	}
	d.Press("c", "enter")
	if !d.Host.Capturing() {
		t.Error("q would quit in a text field")
	}
}

func TestViews(t *testing.T) {
	hostile := "\x1b[31m\u202e猫👩🏽‍🚀e\u0301\u0301\u0301\u0301\u0301\r\n" + strings.Repeat("long ", 25)
	first := newDriver(t)
	first.Env[config.KeyVariable] = uitest.TestKey
	help := withAccount(t, errors.New(hostile))
	help.o.Profile = "猫"
	key := withAccount(t, &config.NoKeyError{Profile: hostile})
	flow := newDriver(t)
	for name, d := range map[string]*driver{"first": first, "help": help, "key": key, "flow": flow} {
		t.Run(name, func(t *testing.T) {
			d.open()
			if name == "flow" {
				d.Press("c", "enter").Typed(hostile)
			}
			uitest.Sweep(t,
				func(w, h int, th *theme.Theme) string { d.Resize(image.Pt(w, h)); return d.Host.View(th) })
			d.Press("G")
			uitest.Sweep(t,
				func(w, h int, th *theme.Theme) string { d.Resize(image.Pt(w, h)); return d.Host.View(th) })
		})
	}
}
