package account

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
)

func TestConnectsAHostedAccount(t *testing.T) {
	d := newDriver(t, Options{Mode: Add, Use: true}).open()
	d.sees("Which account?", "hosted service")
	d.press("enter").typed("my_pictures").sees("my_pictures")
	if d.store.attempts != 0 {
		t.Error("the keyring was used before it was needed")
	}
	d.press("enter", "enter").sees("Unique names", "A retry after a lost connection does not create a second copy.")
	d.press("right", "right").sees("If one is taken, mediadesk asks before it sends.").press("enter", "enter")
	d.sees("The private key of the account my_pictures", "It is stored in the keyring", "and nowhere else")
	if d.store.attempts != 1 {
		t.Errorf("the keyring was tried %d times before the key was asked for, want 1", d.store.attempts)
	}
	d.typed(testKey).sees(strings.Repeat("*", len(testKey)))
	if d.settings().Exists {
		t.Error("something was written before the key was given")
	}
	d.press("enter")
	if !d.done {
		t.Fatalf("not done:\n%s", d.screen())
	}
	if got := d.result; got.Name != "my_pictures" || got.Key != nil || got.Place != "in the keyring" {
		t.Errorf("result %+v", got)
	}
	c := d.settings()
	p := c.Current()
	if p.Name != "my_pictures" || p.Kind != config.KindHosted || p.DeliveryURL != "https://ik.imagekit.io/my_pictures" {
		t.Errorf("in use is %+v", p)
	}
	if got := d.store.keys["my_pictures"].Reveal(); got != testKey {
		t.Errorf("the keyring has %q, want %q", got, testKey)
	}
	d.hidesKey()
}

// hidesKey fails if the key was ever drawn or written to the settings.
func (d *driver) hidesKey() {
	d.t.Helper()
	if strings.Contains(d.seen.String(), testKey) {
		d.t.Error("the key was drawn")
	}
	for _, path := range []string{d.o.Paths.Config, d.o.Paths.StateFile()} {
		file, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			d.t.Fatal(err)
		}
		if strings.Contains(string(file), testKey) {
			d.t.Errorf("the key is in %s", path)
		}
	}
}

func TestConnectsAnotherServer(t *testing.T) {
	d := newDriver(t, Options{Mode: Add}).open()
	d.press("right", "down").typed("http://media.example.com").sees("is plain http to media.example.com")
	d.press("ctrl+u").typed("https://media.example.com/").press("ctrl+s")
	d.sees("The private key of the account example")
	d.typed(testKey).press("enter")
	c := d.settings()
	p := c.Profiles["example"]
	if p.Kind != config.KindOwn || p.UploadURL != "https://media.example.com" || p.BaseURL != p.UploadURL || p.DeliveryURL != "" {
		t.Errorf("written was %+v", p)
	}
	if c.Profile != config.LocalProfile {
		t.Errorf("the profile %q is in use without the answer, want %v", c.Profile, config.LocalProfile)
	}
}

func TestFormSaysWhatIsWrong(t *testing.T) {
	tests := []struct {
		name, text, want string
		keys             []string
	}{
		{"no id", "", "The id is missing", []string{"enter"}},
		{"id with a slash", "a/b", "an id cannot contain '/'", []string{"enter"}},
		{"a key for an id", "private_abc", "This looks like a key", []string{"enter"}},
		{"no address", "", "The address is missing", []string{"right", "enter"}},
		{"no https", "http://example.com", "plain http", []string{"right", "enter"}},
		{"no address at all", "example.com:x", "is not an address", []string{"right", "enter"}},
		{"user in the address", "https://x@example.com", "has a user or key before the @", []string{"right", "enter"}},
		{"name taken", "local", `An account "local" already exists`, []string{"enter", "x", "enter"}},
		{"name with a blank", "my work", "has ' ' in it", []string{"enter", "x", "enter"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDriver(t, Options{Mode: Add}).open()
			d.press(tt.keys...).typed(tt.text).press("ctrl+s")
			screen := strings.ToLower(strings.Join(strings.Fields(d.screen()), " "))
			if !strings.Contains(screen, strings.ToLower(tt.want)) {
				t.Errorf("%q is not on the screen:\n%s", tt.want, d.screen())
			}
			if d.flow.step != stepForm {
				t.Error("the dialog went on without the answer")
			}
		})
	}
}

func TestEmptyFieldsAreNoMistakeAtFirst(t *testing.T) {
	d := newDriver(t, Options{Mode: Add}).open()
	d.press("enter")
	if strings.Contains(d.screen(), "missing") {
		t.Errorf("a field that was just reached is called missing:\n%s", d.screen())
	}
}

func TestKeyringStates(t *testing.T) {
	for problem, want := range map[config.KeyringProblem]string{
		config.KeyringNoBus:        "This session has no keyring",
		config.KeyringBadAddress:   "The session bus of the keyring cannot be reached",
		config.KeyringNoService:    "No keyring runs in this session",
		config.KeyringNoCollection: "The keyring has no collection",
		config.KeyringLocked:       "The keyring is locked.",
		config.KeyringSilent:       "The keyring did not answer within 3s.",
		config.KeyringUnsupported:  "There is no keyring for this system.",
		config.KeyringBroken:       "The keyring answered with an error",
	} {
		d := newDriver(t, Options{Mode: Add})
		d.store.try = &config.KeyringError{Problem: problem, Doing: "trying the keyring"}
		d.open().press("enter").typed("x").press("ctrl+s")
		d.sees(want, "Try the keyring again", "Use it for this run only", "Read it from a file", "Ask a command for it",
			"MEDIADESK_PRIVATE_KEY is not set", "never stored in plain text")
		if d.flow.Capturing() {
			t.Errorf("%v: the dialog asks for a key that it cannot store", problem)
		}
	}
}

func TestKeyForThisRun(t *testing.T) {
	d := newDriver(t, Options{Mode: Add, Use: true})
	d.store.try = &config.KeyringError{Problem: config.KeyringNoBus, Doing: "trying the keyring"}
	d.open().press("enter").typed("x").press("ctrl+s", "o").sees("for this run only and not stored")
	d.typed(testKey).press("enter")
	r := d.result
	if !d.done || r.Key == nil || r.Key.Reveal() != testKey || r.Place != "typed for this run" {
		t.Fatalf("done %v, result %+v", d.done, r)
	}
	if len(d.store.keys) > 0 {
		t.Error("the key was stored without the answer")
	}
	if d.settings().Profile != "x" {
		t.Error("the account is not in use")
	}
	d.hidesKey()
}

func TestKeyIsNotLostWhenKeepingFails(t *testing.T) {
	d := newDriver(t, Options{Mode: Add})
	d.store.set = &config.KeyringError{Problem: config.KeyringLocked, Doing: "keeping"}
	d.open().press("enter").typed("x").press("ctrl+s").typed(testKey).press("enter")
	d.sees("The keyring is locked.", "Try the keyring again")
	if d.settings().Exists {
		t.Error("an account without a key was written")
	}
	d.press("o", "enter")
	if r := d.result; !d.done || r.Key == nil || r.Key.Reveal() != testKey {
		t.Errorf("the key has to be typed again:\n%s", d.screen())
	}
	d.hidesKey()
}

func TestAsksTheKeyringAgain(t *testing.T) {
	d := newDriver(t, Options{Mode: Add})
	d.store.try = &config.KeyringError{Problem: config.KeyringLocked, Doing: "trying"}
	d.open().press("enter").typed("x").press("ctrl+s").sees("Unlock it first")
	d.store.try = nil
	d.press("r").sees("and nowhere else")
}

func TestKeyFile(t *testing.T) {
	dir := t.TempDir()
	good, open := filepath.Join(dir, "key"), filepath.Join(dir, "open")
	for path, mode := range map[string]os.FileMode{good: 0o600, open: 0o644} {
		if err := os.WriteFile(path, []byte(testKey+"\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	d := newDriver(t, Options{Mode: Add}).open()
	d.press("enter").typed("x").press("ctrl+s", "ctrl+o", "f")
	d.press("enter").sees("Type something first")
	d.typed(filepath.Join(dir, "none")).press("enter").sees("gives no key: it cannot be opened")
	if d.settings().Exists {
		t.Error("a file that gives no key was written down")
	}
	d.press("ctrl+u").typed(good).press("enter")
	if !d.done {
		t.Fatalf("not done:\n%s", d.screen())
	}
	if p := d.settings().Profiles["x"]; p.KeyFile != good {
		t.Errorf("written was %+v", p)
	}
	d.hidesKey()
}

func TestKeyCommand(t *testing.T) {
	d := newDriver(t, Options{Mode: Add}).open()
	d.press("enter").typed("x").press("ctrl+s", "ctrl+o", "c")
	d.typed(`printf %s 'a b`).sees("Close the quote")
	d.press("enter").sees("Close the quote")
	d.press("ctrl+u").typed("no-such-program-here").press("enter").sees("there is no such program")
	d.press("ctrl+u").typed("echo 'abc'").sees("runs echo with: abc").press("enter")
	if p := d.settings().Profiles["x"]; !d.done || strings.Join(p.KeyCommand, "|") != "echo|abc" {
		t.Errorf("written was %+v:\n%s", p, d.screen())
	}
}

func TestReplacesTheKey(t *testing.T) {
	d := newDriver(t, Options{Mode: Key, Name: "work"})
	p := config.HostedPreset("work", "w")
	p.KeyCommand = []string{"pass", "show"}
	p.Tags = []string{"kept"}
	d.add(p)
	d.open().sees("The private key of the account work")
	d.Send(tea.PasteMsg{Content: testKey + "\n"})
	d.press("enter")
	got := d.settings().Profiles["work"]
	if !d.done || len(got.KeyCommand) > 0 || len(got.Tags) != 1 {
		t.Errorf("done %v, written was %+v", d.done, got)
	}
	if d.store.keys["work"].Reveal() != testKey {
		t.Error("the keyring has not the new key")
	}
	d.hidesKey()
}

// own writes the user's config.toml.
func (d *driver) own(text string) {
	d.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(d.o.Paths.Config), 0o700), os.WriteFile(d.o.Paths.Config, []byte(text), 0o600)); err != nil {
		d.t.Fatal(err)
	}
}

// TestKeyOfAnAccountOfTheUsersFile: the key of an account in config.toml can be replaced unless
// that file sets its source. In that case the dialog stores nothing.
func TestKeyOfAnAccountOfTheUsersFile(t *testing.T) {
	const work = "[profiles.work]\nupload_url = \"https://u.example.com\"\nbase_url = \"https://u.example.com\"\n"
	d := newDriver(t, Options{Mode: Key, Name: "work"})
	d.own(work)
	d.open().typed(testKey).press("enter")
	if !d.done || d.store.keys["work"].Reveal() != testKey {
		t.Errorf("done %v:\n%s", d.done, d.screen())
	}

	d = newDriver(t, Options{Mode: Key, Name: "work"})
	d.own(work + "key_command = [\"pass\"]\n")
	d.open().typed(testKey).press("enter").sees("set in config.toml line 1: change or delete it there")
	if d.done || len(d.store.keys) > 0 {
		t.Errorf("done %v, keys %v", d.done, d.store.keys)
	}
}

// TestUseWhereTheUsersFileSaysWhatIsInUse: if config.toml sets the account in use, a new account
// opens and the notice explains the next start.
func TestUseWhereTheUsersFileSaysWhatIsInUse(t *testing.T) {
	d := newDriver(t, Options{Mode: Add, Use: true})
	d.own("profile = \"local\"\n")
	d.open().press("enter").typed("my_pictures").press("ctrl+s").typed(testKey).press("enter")
	if got := d.result; !d.done || got.Name != "my_pictures" || !strings.Contains(got.Notice, "set in config.toml line 1") {
		t.Errorf("done %v, %+v:\n%s", d.done, got, d.screen())
	}
	if c := d.settings(); c.Profile != config.LocalProfile || len(c.Profiles) != 2 {
		t.Errorf("written was %+v", c)
	}
}

func TestRefusesWhatIsNoKey(t *testing.T) {
	d := newDriver(t, Options{Mode: Key, Name: "work"})
	d.add(config.HostedPreset("work", "w"))
	d.open().press("enter").sees("it is empty")
	d.typed("a b").press("enter").sees("there is a space")
	if strings.Contains(d.screen(), "a b") {
		t.Error("the typed key is drawn")
	}
}

func TestEdit(t *testing.T) {
	d := newDriver(t, Options{Mode: Edit, Name: "lab"})
	d.add(config.Profile{Name: "lab", Kind: config.KindOwn, UploadURL: "https://u.example.com", BaseURL: "https://b.example.com", Folder: "/x"})
	d.open().sees("The account lab", "https://u.example.com", "https://b.example.com")
	d.press("ctrl+e").press("down", "down").typed("https://d.example.com").press("ctrl+s")
	if p := d.settings().Profiles["lab"]; !d.done || p.DeliveryURL != "https://d.example.com" || p.Folder != "/x" || p.BaseURL != "https://b.example.com" {
		t.Errorf("done %v, written was %+v", d.done, p)
	}
	if d.store.attempts > 0 {
		t.Error("the keyring was used without need")
	}
}

func TestEnvironment(t *testing.T) {
	d := newDriver(t, Options{Mode: AddWithEnvironment, Use: true})
	d.env[config.KeyVariable] = testKey
	d.open().press("enter").typed("x").press("ctrl+s")
	if r := d.result; !d.done || r.Key != nil || r.Place != "from the environment" || d.store.attempts > 0 {
		t.Errorf("done %v, result %+v", d.done, r)
	}
	d.hidesKey()

	d = newDriver(t, Options{Mode: Add})
	d.env[config.KeyVariable] = testKey
	d.open().press("enter").typed("x").press("ctrl+s").sees("is used before one in the keyring")
	d.press("ctrl+o", "v")
	if !d.done || d.settings().Profiles["x"].Name != "x" {
		t.Errorf("the key of the environment was not used:\n%s", d.screen())
	}
	d.hidesKey()
}

func TestKeyForRunWritesNothing(t *testing.T) {
	d := newDriver(t, Options{Mode: KeyForRun, Name: "unnamed"}).open()
	d.typed(testKey).press("ctrl+o").sees("Private key")
	d.press("enter")
	if r := d.result; !d.done || r.Key.Reveal() != testKey {
		t.Errorf("done %v", d.done)
	}
	if d.settings().Exists || d.store.attempts > 0 {
		t.Error("something was written or tried")
	}
}

func TestEscIsOneStepBack(t *testing.T) {
	d := newDriver(t, Options{Mode: Add}).open()
	d.press("enter").typed("x").press("ctrl+s").sees("Private key")
	d.press("ctrl+o").sees("Where do you want to keep the key?")
	d.press("o").sees("this run only").typed("secret")
	d.press("esc").sees("Where do you want to keep the key?")
	d.press("o").sees("this run only")
	if d.flow.input.Value() != "" {
		t.Error("the typed key was not cleared")
	}
	d.press("esc", "esc").sees("Which account?", "x")
	if d.flow.Closed() {
		t.Fatal("the dialog closed too early")
	}
	d.press("esc")
	if !d.flow.Closed() || d.done {
		t.Error("the dialog does not close")
	}
	if d.settings().Exists {
		t.Error("something was written")
	}
}

func TestStaleRepliesAreDropped(t *testing.T) {
	d := newDriver(t, Options{Mode: Add}).open()
	d.press("enter").typed("x")
	var held []tea.Cmd
	d.Hold = &held
	d.press("ctrl+s").sees("Testing the keyring")
	d.press("esc").sees("Which account?")
	d.Hold = nil
	for _, cmd := range held {
		d.Run(cmd)
	}
	d.sees("Which account?")
}

func TestSettingsThatCannotBeRead(t *testing.T) {
	d := newDriver(t, Options{Mode: Add})
	if err := os.MkdirAll(filepath.Dir(d.o.Paths.Config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.o.Paths.Config, []byte("\nthme = \"dark\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.open().sees("line 2", "did you mean")
	if err := os.Remove(d.o.Paths.Config); err != nil {
		t.Fatal(err)
	}
	d.press("r").sees("Which account?")
}

func TestSettingsThatCannotBeWritten(t *testing.T) {
	d := newDriver(t, Options{Mode: Add}).open()
	d.press("enter").typed("x").press("ctrl+s").typed(testKey)
	// Put a file where the folder belongs.
	if err := os.WriteFile(filepath.Dir(d.o.Paths.Config), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d.press("enter").sees("The private key of the account x", "MEDIADESK_HOME")
	if d.done {
		t.Error("the dialog reports success")
	}
	if err := os.Remove(filepath.Dir(d.o.Paths.Config)); err != nil {
		t.Fatal(err)
	}
	d.press("enter")
	if !d.done {
		t.Errorf("the key has to be typed again:\n%s", d.screen())
	}
	if strings.Contains(d.seen.String(), testKey) {
		t.Error("the key was drawn")
	}
}

func TestMouse(t *testing.T) {
	d := newDriver(t, Options{Mode: Add}).open()
	d.click("Name here")
	if d.flow.form.at != entryName {
		t.Error("a click does not give the focus")
	}
	d.click("[ Go on")
	d.sees("The id is missing")
}

// TestNoSessionBus: the test uses the real keyring without a session bus, as over SSH.
func TestNoSessionBus(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("keyrings of this system need no session bus")
	}
	if _, err := os.Stat(fmt.Sprintf("/run/user/%d/bus", os.Getuid())); err == nil {
		t.Skip("this session has a bus that is found without the environment")
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	d := newDriver(t, Options{Mode: Add})
	d.o.Keys.Keyring = config.NewKeyring()
	d.open().press("enter").typed("x").press("ctrl+s")
	d.sees("This session has no keyring (no session bus was found).", "Use it for this run only")
}

// TestAddressWithoutScheme: an address without a scheme gets http for this computer and https for
// any other host, and the form says so.
func TestAddressWithoutScheme(t *testing.T) {
	for _, c := range []struct{ typed, want string }{
		{"127.0.0.1:7999", "http://127.0.0.1:7999"},
		{"localhost:7999", "http://localhost:7999"},
		{"[::1]:7999", "http://[::1]:7999"},
		{"media.example.com", "https://media.example.com"},
		{"media.example.com:8443/api", "https://media.example.com:8443/api"},
		{"192.168.1.5:7999", "https://192.168.1.5:7999"},
		{"https://media.example.com", "https://media.example.com"},
	} {
		d := newDriver(t, Options{Mode: Edit, Name: "lab"})
		d.add(config.Profile{Name: "lab", Kind: config.KindOwn, UploadURL: "https://u.example.com", BaseURL: "https://u.example.com"})
		d.open().press("ctrl+u").typed(c.typed)
		if c.typed != c.want {
			d.sees("mediadesk uses " + c.want + ".")
		}
		d.press("down").sees(c.want)
		d.press("ctrl+s")
		if p := d.settings().Profiles["lab"]; !d.done || p.UploadURL != c.want {
			t.Errorf("%s: done %v, written was %+v", c.typed, d.done, p)
		}
	}
}
