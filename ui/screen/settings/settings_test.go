package settings

import (
	"errors"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/media/mediatest"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

func hosted(name string) config.Profile { return config.HostedPreset(name, name) }

func TestShowsAccounts(t *testing.T) {
	lab := config.Profile{
		Name: "lab", Kind: config.KindOther, UploadURL: "https://u.example.com",
		BaseURL: "https://a.example.com", Folder: "/in", Tags: []string{"x", "y"}, WebhookURL: "https://hook.example.com",
	}
	d := newDriver(t, hosted("work"), lab).open()
	d.Sees("local", "in use", "work", "hosted", "upload.imagekit.io", "lab", "own", "u.example.com",
		"The local library, inside this program.", "Address 127.0.0.1:7843", d.Paths.Library(), "created by the library", "Webhooks 127.0.0.1:7844", " auto (dark) ")
	d.Press("j").Sees("https://a.example.com", "Uploads to   /in", "x, y", "https://hook.example.com", "none yet: K sets it")
	d.Press("j").Sees("https://ik.imagekit.io/work", "25 MB, video 100 MB")
}

func TestPicturesShowASample(t *testing.T) {
	d := newDriver(t)
	d.o.Loader = picture.NewLoader()
	d.open()
	sampled := func() bool { return strings.ContainsAny(d.Text(), "▀▄▌▐▖▗▘▝▚▞▁▂▃▅▆▇") }
	for name, shown := range map[string]bool{"Theme": false, "Color depth": false, "Pictures": true, "Parallel uploads": false} {
		d.to(name)
		mediatest.Equal(t, sampled(), shown, "%s shows a sample", name)
	}
	d.to("Pictures").Send(picture.Abilities{Method: picture.MethodOff})
	mediatest.Equal(t, sampled(), false, "a sample without pictures")
}

func TestWhereTheKeyIs(t *testing.T) {
	file := hosted("bfile")
	file.KeyFile = "/no/such/key"
	command := hosted("ccommand")
	command.KeyCommand = []string{"/no/such/program"}
	d := newDriver(t, hosted("akey"), file, command)
	key, err := config.NewSecret(uitest.TestKey)
	must(t, err)
	d.Store.Keys["akey"] = key
	d.open()
	if d.Store.Gets > 0 {
		t.Error("the keyring was read for an account that was not shown")
	}
	d.Press("j").Sees("from: keyring")
	d.Press("j").Sees("The key file /no/such/key gives no key")
	d.Press("j").Sees("from the command /no/such/program (not run yet)")
	d.Press("r").Sees("key command /no/such/program gives no key")
	d.Press("k", "k", "j", "k")
	if d.Store.Gets != 1 {
		t.Errorf("the keyring was asked %d times for one key, want 1", d.Store.Gets)
	}
	d.Press("r")
	mediatest.Equal(t, d.Store.Gets, 2, "r does not look again")
	d.Store.Err = &config.KeyringError{Problem: config.KeyringLocked, Doing: "reading"}
	d.Press("r").Sees("none found: the keyring is locked")
	d.HidesKey()
}

func TestUsesAnAccount(t *testing.T) {
	d := newDriver(t, hosted("work")).open()
	d.Press("enter")
	mediatest.Equal(t, last[page.Toast](d).Text, "It is the account in use.", "the messages")
	d.Press("j", "enter")
	if use := last[page.UseProfile](d); use.Name != "work" || use.Key != nil {
		t.Errorf("%+v", use)
	}
	mediatest.Equal(t, d.Settings().Profile, "work", "the next start would use another")
}

func TestAddsAnAccount(t *testing.T) {
	d := newDriver(t).open()
	d.Press("a", "enter").Typed("pics").Press("ctrl+s").Typed(uitest.TestKey).Press("enter")
	d.Sees("pics", "in the keyring")
	d.On("pics")
	mediatest.Equal(t, d.Settings().Profile, config.LocalProfile, "the profile was used without the answer")
	d.answer("n")
	d.answer("u")
	if use := last[page.UseProfile](d); use.Name != "pics" || use.Key != nil {
		t.Errorf("%+v", use)
	}
	d.HidesKey()
}

func TestAddsAnAccountForThisRun(t *testing.T) {
	d := newDriver(t)
	d.Store.Err = &config.KeyringError{Problem: config.KeyringMissing, Doing: "trying"}
	d.open().Press("a", "enter").Typed("pics").Press("ctrl+s", "o").Typed(uitest.TestKey).Press("enter")
	if text := last[page.Ask](d).Text; !strings.Contains(text, "the key is lost") ||
		strings.Contains(text, uitest.TestKey) {
		t.Errorf("asked was %q", text)
	}
	d.answer("u")
	if use := last[page.UseProfile](d); use.Key == nil || use.Key.Reveal() != uitest.TestKey {
		t.Errorf("%+v", use)
	}
}

func TestReplacesAndForgetsAKey(t *testing.T) {
	d := newDriver(t, hosted("work")).open()
	d.Press("j", "K").Typed(uitest.TestKey).Press("enter").Sees("in the keyring")
	mediatest.Equal(t, d.Store.Keys["work"].Reveal(), uitest.TestKey, "the key is not kept")
	mediatest.Equal(t, last[page.Toast](d).Text, "The key of the account work is in the keyring.",
		"the messages")
	d.Press("F").answer("n")
	mediatest.Equal(t, len(d.Store.Keys), 1, "the safe choice forgot the key")
	d.answer("f").Sees("none yet")
	mediatest.Equal(t, len(d.Store.Keys), 0, "the key is still there")
	d.Press("F").answer("f")
	if toast := last[page.Toast](d); toast.Level != page.Bad || toast.Text != "The keyring has no such key." {
		t.Errorf("got the messages %+v", toast)
	}
}

func TestKeyOfTheAccountInUse(t *testing.T) {
	d := newDriver(t, hosted("work"))
	d.o.Profile = session.Profile{Name: "work", Host: "upload.imagekit.io", KeySource: "environment"}
	d.open().Sees("in use: environment", "nowhere: the service cannot reach this computer")
	d.Press("K").Typed(uitest.TestKey).Press("enter")
	uitest.Shows(t, last[page.Ask](d).Text, "opened again")
	d.answer("u")
	if use := last[page.UseProfile](d); use.Name != "work" {
		t.Errorf("%+v", use)
	}
	d.Press("F").answer("f").Sees("in use until you leave the account")
}

func TestRemovesAnAccount(t *testing.T) {
	key, err := config.NewSecret(uitest.TestKey)
	must(t, err)
	d := newDriver(t, hosted("a"), hosted("b")).open()
	d.Store.Keys["a"], d.Store.Keys["b"] = key, key
	d.Press("j", "d").answer("n").answer("r")
	if _, still := d.Settings().Profiles["a"]; still || len(d.Store.Keys) != 2 {
		t.Error("the account is still there, or its key is not")
	}
	d.Press("g", "j", "d").answer("f")
	if _, still := d.Settings().Profiles["b"]; still || len(d.Store.Keys) != 1 {
		t.Error("the account or its key is still there")
	}
}

func TestKeepsWhatIsInUse(t *testing.T) {
	d := newDriver(t, hosted("work"))
	d.o.Profile.Name = "work"
	d.open()
	for _, keys := range [][]string{{"g", "d"}, {"g", "K"}, {"g", "F"}, {"g", "j", "d"}} {
		d.Out = nil
		d.Press(keys...)
		last[page.Toast](d)
	}
	if len(d.Settings().Profiles) != 2 || d.Host.Covered() {
		t.Error("an action was done without the answer")
	}
}

func TestProgramSettings(t *testing.T) {
	d := newDriver(t).open()
	d.to("Theme").Press("right")
	if got := last[Changed](d); got.Theme != config.ThemeDark || d.Settings().Theme != config.ThemeDark {
		t.Errorf("%+v", got)
	}
	d.Press("enter")
	mediatest.Equal(t, d.Settings().Theme, config.ThemeLight, "theme")
	d.Press("j", "space").Sees("Takes effect at the next start.")
	mediatest.Equal(t, d.Settings().Colors, config.Depth16, "colors")
	d.Press("j", "space")
	if got := last[Changed](d); got.Pictures != config.PicturesKitty ||
		d.Settings().Pictures != config.PicturesKitty {
		t.Errorf("%+v", got)
	}
	d.to("Parallel uploads").Press("space")
	if got := last[Changed](d); got.Concurrency != 1 || d.Settings().Concurrency != 1 {
		t.Errorf("%+v", got)
	}
}

// TestFastChoicesAllHold: a choice made during a save is saved after it.
func TestFastChoicesAllHold(t *testing.T) {
	d := newDriver(t).open().to("Theme")
	var held []tea.Cmd
	d.Hold = &held
	d.Press("right", "right")
	d.Hold = nil
	for _, cmd := range held {
		d.Run(cmd)
	}
	if saved := uitest.Taken[Changed](&d.Out); len(saved) != 2 {
		t.Errorf("saved were %+v, want dark, then light", saved)
	}
	mediatest.Equal(t, d.Settings().Theme, config.ThemeLight, "theme")
}

func TestUnusualNumberOfUploads(t *testing.T) {
	d := newDriver(t)
	choices := d.Settings().Choices
	choices.Concurrency = 5
	_, err := d.Settings().Set(choices)
	must(t, err)
	d.open()
	d.to("Parallel uploads").Sees("✓ 5 ")
}

func TestSettingsThatCannotBeWritten(t *testing.T) {
	d := newDriver(t).open()
	must(t, os.WriteFile(filepath.Dir(d.Paths.Config), nil, 0o600))
	d.to("Theme").Press("right")
	if toast := last[page.Toast](d); toast.Level != page.Bad {
		t.Errorf("got the messages %+v", toast)
	}
	d.Sees("‹ auto (dark) ›")
}

func TestBrokenSettingsFile(t *testing.T) {
	d := newDriver(t)
	path := d.Paths.Config
	d.WriteConfig("thme = 3\n")
	d.open().Sees("The settings cannot be read", "line 1", "did you mean", path)
	d.Press("a")
	uitest.Shows(t, last[page.Toast](d).Text, "correct it first")
	must(t, os.Remove(path))
	d.Send(page.Shown{})
	d.Sees("Accounts", "in use")
}

func TestEditor(t *testing.T) {
	d := newDriver(t).open()
	t.Setenv("PATH", t.TempDir())
	d.Press("E")
	uitest.Shows(t, last[page.Toast](d).Text, "EDITOR")
	d.Env["EDITOR"] = "true --wait"
	d.Out = nil
	if d.Press("E"); len(d.Out) != 1 || len(uitest.Taken[page.Toast](&d.Out)) > 0 {
		t.Errorf("no editor is started: %+v", d.Out)
	}
	if !d.Settings().Exists {
		t.Error("the settings have nothing to edit")
	}
	d.Send(edited{err: errors.New("exit status 1")})
	if toast := last[page.Toast](d); toast.Level != page.Bad {
		t.Errorf("got the messages %+v", toast)
	}
}

func TestStaleRepliesAreDropped(t *testing.T) {
	d := newDriver(t, hosted("work")).open()
	stale := d.Late(func() { d.Send(page.Shown{}) })
	_, err := d.Settings().SetProfile(hosted("newer"))
	must(t, err)
	d.Send(page.Shown{})
	stale()
	d.Sees("newer")

	stale = d.Late(func() { d.to("newer") }) // looks for the key
	d.Press("K").Typed(uitest.TestKey).Press("enter").Sees("Key in the keyring")
	stale()
	d.Sees("Key in the keyring")

	stale = d.Late(func() { d.Send(page.Shown{}) })
	d.to("Theme").Press("right")
	stale()
	d.Press("right")
	mediatest.Equal(t, d.Settings().Theme, config.ThemeLight, "a read that began before the choice was saved undid it: theme")
}

func TestMouse(t *testing.T) {
	d := newDriver(t, hosted("work")).open()
	d.Click("hosted · upload")
	d.On("work")
	d.Click("hosted · upload")
	if use := last[page.UseProfile](d); use.Name != "work" {
		t.Errorf("%+v", use)
	}
}

func TestActions(t *testing.T) {
	d := newDriver(t, hosted("work")).open()
	for _, keys := range [][]string{{"g"}, {"j", "j", "j"}, {"G"}, {"/"}, {"esc", "a"}} {
		d.Press(keys...)
		for _, a := range d.Host.Actions() {
			if a.KeyLabel() == "" && !a.Aside || a.Label() == "" || a.Group == "" || a.Do == nil {
				t.Errorf("action without words: %+v", a.Keys.Help())
			}
		}
	}
}

func TestViews(t *testing.T) {
	hostile := "\x1b[31m\u202e猫👩🏽‍🚀e\u0301\u0301\u0301\u0301\u0301\r\n" + strings.Repeat("long ", 100)
	many := make([]config.Profile, 0, 30)
	for i := range 12 {
		many = append(many, hosted(strings.Repeat(string(rune('a'+i%26)), 1+5*i)))
	}
	wide := hosted("wide")
	wide.Folder, wide.Tags = "/猫猫猫e\u0301"+strings.Repeat("x", 200), []string{"猫", "e\u0301"}
	desks := map[string]*driver{
		"one": newDriver(t), "many": newDriver(t, append(many, wide)...), "foreign": newDriver(t, wide),
		"broken": newDriver(t),
	}
	desks["foreign"].o.Profile = session.Profile{
		Name: hostile, Host: hostile, KeySource: hostile, Receiver: hostile,
	}
	path := desks["broken"].o.Paths.Config
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte("\"\\u202e\x01"), 0o600))
	for name, d := range desks {
		t.Run(name, func(t *testing.T) {
			view := func(w, h int, th *theme.Theme) string { return d.m.View(image.Pt(w, h), th) }
			d.m = New(d.o)
			uitest.Sweep(t, view)
			d.open()
			uitest.Sweep(t, view)
			for _, keys := range [][]string{{"j"}, {"j", "j", "tab"}, {"esc", "G"}} {
				d.Press(keys...)
				uitest.Sweep(t, view)
			}
		})
	}
}

func TestTerminalPage(t *testing.T) {
	d := newDriver(t).open()
	dumb := func(name string) string { return map[string]string{"TERM": "dumb"}[name] }
	requested := picture.NewDetector(config.PicturesAuto, dumb)
	d.Send(requested.Abilities())
	d.to("Pictures").Sees("terminals of type dumb")
}

// TestShowsWhatTheUsersFileSets: the screen shows the line of config.toml that fixes a setting. The
// user can still switch accounts until the next start.
func TestShowsWhatTheUsersFileSets(t *testing.T) {
	d := newDriver(t, hosted("work"))
	own := "theme = \"dark\"\nprofile = \"mine\"\n[profiles.mine]\nupload_url = \"https://u.example.com\"\nbase_url = \"https://u.example.com\"\n"
	must(t, os.WriteFile(d.Paths.Config, []byte(own), 0o600))
	d.open().Press("down").Sees("https://u.example.com", "Settings     set in config.toml line 3")
	d.to("Theme").Sees("dark set in config.toml line 1")
	for _, key := range []string{"right", "left", "space", "enter", "h", "l"} {
		d.Out = nil
		d.Press(key)
		mediatest.Equal(t, last[page.Toast](d).Text, "It is set in config.toml line 1: E edits that file.",
			"%s says", key)
	}
	d.to("Parallel uploads").Press("right")
	if got := d.Settings(); got.Concurrency != 1 || got.Theme != config.ThemeDark {
		t.Errorf("got %+v", got)
	}
	d.to("work").Press("enter")
	if use := last[page.UseProfile](d); use.Name != "work" {
		t.Errorf("opened %+v", use)
	}
	if toast := last[page.Toast](d); !strings.Contains(toast.Text, "The next start opens another account: profile is set in config.toml line 2") {
		t.Errorf("got the messages %q", toast.Text)
	}
	if text, err := os.ReadFile(d.Paths.Config); err != nil || string(text) != own {
		t.Errorf("config.toml was changed: %v", err)
	}
}

var must = mediatest.Must
