package settings

import (
	"errors"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

func hosted(name string) config.Profile { return config.HostedPreset(name, name) }

func TestShowsAccountsAndPlaces(t *testing.T) {
	lab := config.Profile{Name: "lab", Kind: config.KindOwn, UploadURL: "https://u.example.com", BaseURL: "https://a.example.com", Folder: "/in", Tags: []string{"x", "y"}, WebhookURL: "https://hook.example.com"}
	d := newDriver(t, hosted("work"), lab).open()
	d.sees("local", "in use", "work", "hosted", "upload.imagekit.io", "lab", "own", "u.example.com",
		"The local library, inside this program.", "http://127.0.0.1:7843", d.o.Paths.Library(), "its own, in its folder", "http://127.0.0.1:7844",
		d.o.Paths.Config, d.o.Paths.Journal(), d.o.Paths.Log(), "1.2.3", "auto", "dark", "light")
	d.press("j").sees("https://a.example.com", "Uploads go to /in", "x, y", "https://hook.example.com", "none yet: K sets it")
	d.press("j").sees("https://ik.imagekit.io/work", "25 MB, video 100 MB")
}

func TestWhereTheKeyIs(t *testing.T) {
	file := hosted("bfile")
	file.KeyFile = "/no/such/key"
	command := hosted("ccommand")
	command.KeyCommand = []string{"/no/such/program"}
	d := newDriver(t, hosted("akey"), file, command)
	key, err := config.NewSecret(testKey)
	if err != nil {
		t.Fatal(err)
	}
	d.store.keys["akey"] = key
	d.open()
	if d.store.gets > 0 {
		t.Error("the keyring was read for an account that was not shown")
	}
	d.press("j").sees("from: keyring")
	d.press("j").sees("The key file /no/such/key gives no key")
	d.press("j").sees("from the command /no/such/program (not run yet)")
	d.press("r").sees("key command /no/such/program gives no key")
	d.press("k", "k", "j", "k")
	if d.store.gets != 1 {
		t.Errorf("the keyring was asked %d times for one key, want 1", d.store.gets)
	}
	d.press("r")
	if d.store.gets != 2 {
		t.Error("r does not look again")
	}
	d.store.err = &config.KeyringError{Problem: config.KeyringLocked, Doing: "reading"}
	d.press("r").sees("none found: the keyring is locked")
	if strings.Contains(d.seen.String(), testKey) {
		t.Error("the key was drawn")
	}
}

func TestUsesAnAccount(t *testing.T) {
	d := newDriver(t, hosted("work")).open()
	d.press("enter")
	if toast := last[page.Toast](d); toast.Text != "It is the account in use." {
		t.Errorf("got the messages %q, want \"It is the account in use.\"", toast.Text)
	}
	d.press("j", "enter")
	if use := last[page.UseProfile](d); use.Name != "work" || use.Key != nil {
		t.Errorf("%+v", use)
	}
	if d.settings().Profile != "work" {
		t.Error("the next start would use another")
	}
}

func TestAddsAnAccount(t *testing.T) {
	d := newDriver(t).open()
	d.press("a", "enter").typed("pics").press("ctrl+s").typed(testKey).press("enter")
	d.sees("pics", "in the keyring")
	if name := d.m.selected().Name; name != "pics" {
		t.Errorf("the cursor is on %q, want \"pics\"", name)
	}
	if d.settings().Profile != config.LocalProfile {
		t.Error("the profile was used without the answer")
	}
	d.answer("n")
	d.answer("u")
	if use := last[page.UseProfile](d); use.Name != "pics" || use.Key != nil {
		t.Errorf("%+v", use)
	}
	if strings.Contains(d.seen.String(), testKey) {
		t.Error("the key was drawn")
	}
}

func TestAddsAnAccountForThisRun(t *testing.T) {
	d := newDriver(t)
	d.store.err = &config.KeyringError{Problem: config.KeyringNoBus, Doing: "trying"}
	d.open().press("a", "enter").typed("pics").press("ctrl+s", "o").typed(testKey).press("enter")
	if text := last[page.Ask](d).Text; !strings.Contains(text, "the key is lost") || strings.Contains(text, testKey) {
		t.Errorf("asked was %q", text)
	}
	d.answer("u")
	if use := last[page.UseProfile](d); use.Key == nil || use.Key.Reveal() != testKey {
		t.Errorf("%+v", use)
	}
}

func TestReplacesAndForgetsAKey(t *testing.T) {
	d := newDriver(t, hosted("work")).open()
	d.press("j", "K").typed(testKey).press("enter").sees("in the keyring")
	if d.store.keys["work"].Reveal() != testKey {
		t.Error("the key is not kept")
	}
	if toast := last[page.Toast](d); toast.Text != "The key of the account work is in the keyring." {
		t.Errorf("got the messages %q, want \"The key of the account work is in the keyring.\"", toast.Text)
	}
	d.press("F").answer("n")
	if len(d.store.keys) != 1 {
		t.Error("the safe choice forgot the key")
	}
	d.answer("f").sees("none yet")
	if len(d.store.keys) != 0 {
		t.Error("the key is still there")
	}
	d.press("F").answer("f")
	if toast := last[page.Toast](d); toast.Level != page.Bad || toast.Text != "The keyring has no such key." {
		t.Errorf("got the messages %+v", toast)
	}
}

func TestKeyOfTheAccountInUse(t *testing.T) {
	d := newDriver(t, hosted("work"))
	d.o.Profile = session.Profile{Name: "work", Host: "upload.imagekit.io", KeySource: "environment"}
	d.open().sees("in use: environment", "nowhere: the service cannot reach this computer")
	d.press("K").typed(testKey).press("enter")
	if ask := last[page.Ask](d); !strings.Contains(ask.Text, "opened again") {
		t.Errorf("asked was %q", ask.Text)
	}
	d.answer("u")
	if use := last[page.UseProfile](d); use.Name != "work" {
		t.Errorf("%+v", use)
	}
	d.press("F").answer("f").sees("in use until you leave the account")
}

func TestEditsAddresses(t *testing.T) {
	d := newDriver(t, hosted("work")).open()
	d.press("j", "e").typed("2").press("ctrl+s").sees("https://ik.imagekit.io/work2")
}

func TestRemovesAnAccount(t *testing.T) {
	key, err := config.NewSecret(testKey)
	if err != nil {
		t.Fatal(err)
	}
	d := newDriver(t, hosted("a"), hosted("b")).open()
	d.store.keys["a"], d.store.keys["b"] = key, key
	d.press("j", "d").answer("n").answer("r")
	if _, still := d.settings().Profiles["a"]; still || len(d.store.keys) != 2 {
		t.Error("the account is still there, or its key is not")
	}
	d.press("g", "j", "d").answer("f")
	if _, still := d.settings().Profiles["b"]; still || len(d.store.keys) != 1 {
		t.Error("the account or its key is still there")
	}
}

func TestKeepsWhatIsInUse(t *testing.T) {
	d := newDriver(t, hosted("work"))
	d.o.Profile.Name = "work"
	d.open()
	for _, keys := range [][]string{{"g", "d"}, {"g", "K"}, {"g", "F"}, {"g", "j", "d"}} {
		d.Out = nil
		d.press(keys...)
		last[page.Toast](d)
	}
	if len(d.settings().Profiles) != 2 || d.Host.Covered() {
		t.Error("an action was done without the answer")
	}
}

func TestProgramSettings(t *testing.T) {
	d := newDriver(t).open()
	d.press("tab", "right")
	if got := last[Changed](d); got.Theme != config.ThemeDark || d.settings().Theme != config.ThemeDark {
		t.Errorf("%+v", got)
	}
	d.press("enter")
	if d.settings().Theme != config.ThemeLight {
		t.Errorf("theme %q, want %v", d.settings().Theme, config.ThemeLight)
	}
	d.press("j", "space").sees("A change applies at the next start.")
	if got := d.settings().Colors; got != config.Depth16 {
		t.Errorf("colors %q, want %v", got, config.Depth16)
	}
	d.press("j", "space")
	if got := last[Changed](d); got.Pictures != config.PicturesKitty || d.settings().Pictures != config.PicturesKitty {
		t.Errorf("%+v", got)
	}
	d.press("j", "space")
	if got := last[Changed](d); got.Signal != config.SignalDesktop || d.settings().Signal != config.SignalDesktop {
		t.Errorf("%+v", got)
	}
	d.press("j", "space")
	if got := last[Changed](d); got.Concurrency != 1 || d.settings().Concurrency != 1 {
		t.Errorf("%+v", got)
	}
}

// TestOwnTheme: a user's own theme can be chosen, and the screen sends its colors at once.
func TestOwnTheme(t *testing.T) {
	d := newDriver(t)
	if err := os.MkdirAll(filepath.Dir(d.o.Paths.Config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.o.Paths.Config, []byte("[themes.sea.dark]\naccent = \"#5fd7ff\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.open().press("tab", "right", "right", "right", "right", "right")
	got := last[Changed](d)
	if got.Theme != "sea" || got.Themes["sea"].Dark.Accent != "#5fd7ff" || d.settings().Theme != "sea" {
		t.Errorf("%+v", got)
	}
}

// TestFastChoicesAllHold: a choice made during a save is saved after it.
func TestFastChoicesAllHold(t *testing.T) {
	d := newDriver(t).open().press("tab")
	var held []tea.Cmd
	d.Hold = &held
	d.press("right")
	if d.press("right"); !d.m.writing || d.m.write() != nil {
		t.Error("two commands write at the same time")
	}
	d.Hold = nil
	for _, cmd := range held {
		d.Run(cmd)
	}
	if got := d.settings().Theme; got != config.ThemeLight {
		t.Errorf("theme %q, want %v", got, config.ThemeLight)
	}
}

func TestUnusualNumberOfUploads(t *testing.T) {
	d := newDriver(t)
	if _, err := d.settings().Set(withUploads(d.settings().Choices, 5)); err != nil {
		t.Fatal(err)
	}
	d.open()
	if d.m.choices[areaUploads].Value() != "5" {
		t.Errorf("shown is %q, want \"5\"", d.m.choices[areaUploads].Value())
	}
}

func TestSettingsThatCannotBeWritten(t *testing.T) {
	d := newDriver(t).open()
	if err := os.WriteFile(filepath.Dir(d.o.Paths.Config), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d.press("tab", "right")
	if toast := last[page.Toast](d); toast.Level != page.Bad {
		t.Errorf("got the messages %+v", toast)
	}
	if d.m.choices[areaTheme].Value() != string(config.ThemeAuto) {
		t.Error("the screen shows a wrong value")
	}
}

func TestBrokenSettingsFile(t *testing.T) {
	d := newDriver(t)
	path := d.o.Paths.Config
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("thme = 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.open().sees("The settings cannot be read", "line 1", "did you mean", path)
	d.press("a")
	if toast := last[page.Toast](d); !strings.Contains(toast.Text, "correct it first") {
		t.Errorf("got the messages %q", toast.Text)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	d.Send(page.Shown{})
	d.sees("Accounts", "in use")
}

func TestCopiesAPath(t *testing.T) {
	d := newDriver(t).open().press("tab", "tab", "y")
	if got := last[page.Copy](d); got.Text != d.o.Paths.Config {
		t.Errorf("copied was %+v", got)
	}
}

func TestEditor(t *testing.T) {
	d := newDriver(t).open().press("E")
	if toast := last[page.Toast](d); !strings.Contains(toast.Text, "EDITOR") {
		t.Errorf("got the messages %q", toast.Text)
	}
	d.env["EDITOR"] = "true --wait"
	ready, ok := d.m.editFile()().(editorReady)
	if !ok || !slices.Equal(ready.args, []string{"true", "--wait", d.o.Paths.Config}) {
		t.Fatalf("%+v", ready)
	}
	if !d.settings().Exists {
		t.Error("the settings have nothing to edit")
	}
	if cmd := d.m.Update(ready); cmd == nil {
		t.Error("no editor is started")
	}
	d.Send(edited{err: errors.New("exit status 1")})
	if toast := last[page.Toast](d); toast.Level != page.Bad {
		t.Errorf("got the messages %+v", toast)
	}
}

func TestStaleRepliesAreDropped(t *testing.T) {
	d := newDriver(t, hosted("work")).open()
	late := func(cmd tea.Cmd) func() { // sends the request now and delivers the answer later
		msg := cmd()
		return func() { d.Run(d.Answer(msg)) }
	}
	stale := late(d.m.read(""))
	if _, err := d.settings().SetProfile(hosted("newer")); err != nil {
		t.Fatal(err)
	}
	d.Run(d.m.read(""))
	stale()
	d.sees("newer")

	answer := late(d.m.goTo(1))
	d.m.keyPlaceOf("newer").tell("in the keyring")
	answer()
	d.Send(page.Acted{})
	d.sees("in the keyring")
}

func TestMouse(t *testing.T) {
	d := newDriver(t, hosted("work")).open()
	for y, line := range strings.Split(d.screen(), "\n") {
		if strings.Contains(line, "upload.imagekit.io") {
			click := tea.MouseClickMsg{Button: tea.MouseLeft, X: 10, Y: y}
			d.Send(click)
			if d.m.selected().Name != "work" {
				t.Error("a click does not give the cursor")
			}
			d.Send(click)
			break
		}
	}
	if use := last[page.UseProfile](d); use.Name != "work" {
		t.Errorf("%+v", use)
	}
}

func TestActions(t *testing.T) {
	d := newDriver(t, hosted("work")).open()
	for _, keys := range [][]string{{"g"}, {"j"}, {"tab"}, {"tab"}, {"a"}} {
		d.press(keys...)
		for _, a := range d.Host.Actions() {
			if a.KeyLabel() == "" || a.Label() == "" || a.Group == "" || a.Do == nil {
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
	desks := map[string]*driver{"one": newDriver(t), "many": newDriver(t, append(many, wide)...), "foreign": newDriver(t, wide), "broken": newDriver(t)}
	desks["foreign"].o.Profile = session.Profile{Name: hostile, Host: hostile, KeySource: hostile, Receiver: hostile}
	desks["foreign"].o.Version = hostile
	path := desks["broken"].o.Paths.Config
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("\"\\u202e\x01"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, d := range desks {
		t.Run(name, func(t *testing.T) {
			view := func(w, h int, th *theme.Theme) string { return d.m.View(image.Pt(w, h), th) }
			d.m = New(d.o)
			uitest.Sweep(t, view)
			d.open()
			uitest.Sweep(t, view)
			for _, keys := range [][]string{{"j"}, {"tab", "j"}, {"G"}} {
				d.press(keys...)
				uitest.Sweep(t, view)
			}
		})
	}
}

func TestTerminalPage(t *testing.T) {
	d := newDriver(t).open()
	asked := picture.NewDetector(picture.SettingAuto, nil, false)
	d.Send(asked.Abilities())
	d.press("t").sees("This terminal", "not a terminal")
	if !d.Host.Covered() {
		t.Error("q would leave the program")
	}
	if d.press("esc").has("This terminal") {
		t.Error("esc does not close the page")
	}
}

// TestShowsWhatTheUsersFileSets: the screen shows the line of config.toml that fixes a setting. The
// user can still switch accounts until the next start.
func TestShowsWhatTheUsersFileSets(t *testing.T) {
	d := newDriver(t, hosted("work"))
	own := "theme = \"dark\"\nprofile = \"mine\"\n[profiles.mine]\nupload_url = \"https://u.example.com\"\nbase_url = \"https://u.example.com\"\n"
	if err := os.WriteFile(d.o.Paths.Config, []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	d.open().press("down").sees("https://u.example.com", "Settings set in config.toml line 3")
	d.press("e")
	if toast := last[page.Toast](d); toast.Text != "It is set in config.toml line 3: E edits that file." {
		t.Errorf("got the messages %q, want \"It is set in config.toml line 3: E edits that file.\"", toast.Text)
	}
	d.press("tab").sees("dark set in config.toml line 1")
	for _, key := range []string{"right", "left", "space", "enter", "h", "l"} {
		d.Out = nil
		d.press(key)
		if toast := last[page.Toast](d); toast.Text != "It is set in config.toml line 1: E edits that file." {
			t.Errorf("%s says %q, want \"It is set in config.toml line 1: E edits that file.\"", key, toast.Text)
		}
	}
	d.press("down", "down", "down", "right")
	if got := d.settings(); got.Signal != config.SignalDesktop || got.Theme != config.ThemeDark {
		t.Errorf("got %+v", got)
	}
	d.press("g", "down", "down", "enter")
	if use := last[page.UseProfile](d); use.Name != "work" {
		t.Errorf("opened %+v", use)
	}
	if toast := last[page.Toast](d); !strings.Contains(toast.Text, "The next start opens another account: profile is set in config.toml line 2") {
		t.Errorf("got the messages %q", toast.Text)
	}
	if text, err := os.ReadFile(d.o.Paths.Config); err != nil || string(text) != own {
		t.Errorf("config.toml was changed: %v", err)
	}
}

func withUploads(c config.Choices, n int) config.Choices {
	c.Concurrency = n
	return c
}
