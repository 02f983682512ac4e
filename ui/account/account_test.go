package account

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/media/mediatest"
	"mediadesk/config"
	"mediadesk/ui/uitest"
)

func TestConnectsAHostedAccount(t *testing.T) {
	d := newDriver(t, Options{Mode: Add, Use: true}).open()
	d.Sees("Connect an account · step 1", "ImageKit.io")
	d.Press("enter").Typed("my_pictures").Sees("my_pictures")
	mediatest.Equal(t, d.Store.Attempts, 0, "the keyring was used before it was needed")
	d.Press("enter", "enter")
	d.Sees("Connect my_pictures · step 2 of 2", "It is stored in the keyring", "and nowhere else")
	mediatest.Equal(t, d.Store.Attempts, 1, "attempts at the keyring before the key was asked for")
	d.Typed(uitest.TestKey).Sees(strings.Repeat("*", len(uitest.TestKey)))
	mediatest.Equal(t, d.Settings().Exists, false, "something was written before the key was given")
	d.Press("enter")
	mediatest.Equal(t, d.done, true, "done:\n%s\n", d.Drawn())
	if got := d.result; got.Name != "my_pictures" || got.Key != nil || got.Place != "in the keyring" {
		t.Errorf("result %+v", got)
	}
	c := d.Settings()
	p := c.Profiles[c.Profile]
	if p.Name != "my_pictures" || p.Kind != config.KindHosted || p.DeliveryURL != "https://ik.imagekit.io/my_pictures" {
		t.Errorf("in use is %+v", p)
	}
	mediatest.Equal(t, d.Store.Keys["my_pictures"].Reveal(), uitest.TestKey, "the keyring")
	d.HidesKey()
}

func TestConnectsAnotherServer(t *testing.T) {
	d := newDriver(t, Options{Mode: Add}).open()
	d.Press("right", "down").Typed("http://media.example.com").Sees("is plain http to media.example.com")
	d.Press("ctrl+u").Typed("https://media.example.com/").Press("ctrl+s")
	d.Sees("Connect example · step 2 of 2")
	d.Typed(uitest.TestKey).Press("enter")
	c := d.Settings()
	p := c.Profiles["example"]
	if p.Kind != config.KindOther || p.UploadURL != "https://media.example.com" || p.BaseURL != p.UploadURL ||
		p.DeliveryURL != "" {
		t.Errorf("written was %+v", p)
	}
	mediatest.Equal(t, c.Profile, config.LocalProfile, "the profile in use without the answer")
}

func TestFormSaysWhatIsWrong(t *testing.T) {
	tests := []struct {
		name, text, want string
		keys             []string
	}{
		{"no id", "", "The id is missing", []string{"enter"}},
		{"id with a slash", "a/b", "an id cannot contain '/'", []string{"enter"}},
		{"a key for an id", "private_abc", "This looks like a key", []string{"enter"}},
		{"no address", "", "The URL is missing", []string{"right", "enter"}},
		{"no https", "http://example.com", "plain http", []string{"right", "enter"}},
		{"no address at all", "example.com:x", "is not a URL", []string{"right", "enter"}},
		{"user in the address", "https://x@example.com", "has a user or key before the @", []string{"right", "enter"}},
		{"name taken", "local", `An account "local" already exists`, []string{"enter", "x", "enter"}},
		{"name with a blank", "my work", "contains ' '", []string{"enter", "x", "enter"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDriver(t, Options{Mode: Add}).open()
			d.Press(tt.keys...).Typed(tt.text).Press("ctrl+s")
			screen := strings.ToLower(strings.Join(strings.Fields(d.Drawn()), " "))
			uitest.Shows(t, screen, strings.ToLower(tt.want))
			d.Sees("step 1 of 2")
		})
	}
}

func TestEmptyFieldsAreNoMistakeAtFirst(t *testing.T) {
	d := newDriver(t, Options{Mode: Add}).open()
	d.Press("enter")
	uitest.Lacks(t, d.Drawn(), "missing") // a field that was just reached is not missing yet
}

func TestKeyringStates(t *testing.T) {
	for problem, want := range map[config.KeyringProblem]string{
		config.KeyringMissing: "This session has no keyring",
		config.KeyringLocked:  "The keyring is locked.",
		config.KeyringSilent:  "The keyring did not answer within 3s.",
		config.KeyringRefused: "The keyring refused it",
	} {
		d := newDriver(t, Options{Mode: Add})
		d.Store.TryErr = &config.KeyringError{Problem: problem, Doing: "trying the keyring"}
		d.open().Press("enter").Typed("x").Press("ctrl+s")
		d.Sees(want, "Try the keyring again", "Use it for this run only", "Read it from a file", "Ask a command for it",
			"MEDIADESK_PRIVATE_KEY is not set", "never stored in plain text")
		mediatest.Equal(t, d.flow.Capturing(), false, "%v: the dialog asks for a key that it cannot store", problem)
	}
}

func TestKeyForThisRun(t *testing.T) {
	d := newDriver(t, Options{Mode: Add, Use: true})
	d.Store.TryErr = &config.KeyringError{Problem: config.KeyringMissing, Doing: "trying the keyring"}
	d.open().Press("enter").Typed("x").Press("ctrl+s", "o").Sees("for this run only and not stored")
	d.Typed(uitest.TestKey).Press("enter")
	r := d.result
	if !d.done || r.Key == nil || r.Key.Reveal() != uitest.TestKey || r.Place != "typed for this run" {
		t.Fatalf("done %v, result %+v", d.done, r)
	}
	mediatest.Equal(t, len(d.Store.Keys), 0, "keys stored without the answer")
	mediatest.Equal(t, d.Settings().Profile, "x", "the account is not in use")
	d.HidesKey()
}

func TestKeyIsNotLostWhenKeepingFails(t *testing.T) {
	d := newDriver(t, Options{Mode: Add})
	d.Store.SetErr = &config.KeyringError{Problem: config.KeyringLocked, Doing: "keeping"}
	d.open().Press("enter").Typed("x").Press("ctrl+s").Typed(uitest.TestKey).Press("enter")
	d.Sees("The keyring is locked.", "Try the keyring again")
	mediatest.Equal(t, d.Settings().Exists, false, "an account without a key was written")
	d.Press("o", "enter")
	if r := d.result; !d.done || r.Key == nil || r.Key.Reveal() != uitest.TestKey {
		t.Errorf("the key has to be typed again:\n%s", d.Drawn())
	}
	d.HidesKey()
}

func TestAsksTheKeyringAgain(t *testing.T) {
	d := newDriver(t, Options{Mode: Add})
	d.Store.TryErr = &config.KeyringError{Problem: config.KeyringLocked, Doing: "trying"}
	d.open().Press("enter").Typed("x").Press("ctrl+s").Sees("Unlock it and try again.")
	d.Store.TryErr = nil
	d.Press("r").Sees("and nowhere else")
}

func TestKeyFile(t *testing.T) {
	dir := t.TempDir()
	good, open := filepath.Join(dir, "key"), filepath.Join(dir, "open")
	for path, mode := range map[string]os.FileMode{good: 0o600, open: 0o644} {
		mediatest.Must(t, os.WriteFile(path, []byte(uitest.TestKey+"\n"), mode))
	}
	d := newDriver(t, Options{Mode: Add}).open()
	d.Press("enter").Typed("x").Press("ctrl+s", "ctrl+o", "f")
	d.Press("enter").Sees("Type something first")
	d.Typed(filepath.Join(dir, "none")).Press("enter").Sees("gives no key: it cannot be opened")
	mediatest.Equal(t, d.Settings().Exists, false, "a file that gives no key was written down")
	d.Press("ctrl+u").Typed(good).Press("enter")
	mediatest.Equal(t, d.done, true, "done:\n%s\n", d.Drawn())
	mediatest.Equal(t, d.Settings().Profiles["x"].KeyFile, good, "the key file that was written")
	d.HidesKey()
}

func TestKeyCommand(t *testing.T) {
	d := newDriver(t, Options{Mode: Add}).open()
	d.Press("enter").Typed("x").Press("ctrl+s", "ctrl+o", "c")
	d.Typed("no-such-program-here").Press("enter").Sees("there is no such program")
	d.Press("ctrl+u").Typed("echo abc").Press("enter")
	if p := d.Settings().Profiles["x"]; !d.done || strings.Join(p.KeyCommand, "|") != "echo|abc" {
		t.Errorf("written was %+v:\n%s", p, d.Drawn())
	}
}

func TestReplacesTheKey(t *testing.T) {
	d := newDriver(t, Options{Mode: Key, Name: "work"})
	p := config.HostedPreset("work", "w")
	p.KeyCommand = []string{"pass", "show"}
	p.Tags = []string{"kept"}
	d.Add(p)
	d.open().Sees("The private key of the account work")
	d.Send(tea.PasteMsg{Content: uitest.TestKey + "\n"})
	d.Press("enter")
	got := d.Settings().Profiles["work"]
	if !d.done || len(got.KeyCommand) > 0 || len(got.Tags) != 1 {
		t.Errorf("done %v, written was %+v", d.done, got)
	}
	mediatest.Equal(t, d.Store.Keys["work"].Reveal(), uitest.TestKey, "the keyring has not the new key")
	d.HidesKey()
}

// TestKeyOfAnAccountOfTheUsersFile: the key of an account in config.toml can be replaced unless
// that file sets its source. In that case the dialog stores nothing.
func TestKeyOfAnAccountOfTheUsersFile(t *testing.T) {
	const work = "[profiles.work]\nupload_url = \"https://u.example.com\"\nbase_url = \"https://u.example.com\"\n"
	d := newDriver(t, Options{Mode: Key, Name: "work"})
	d.WriteConfig(work)
	d.open().Typed(uitest.TestKey).Press("enter")
	if !d.done || d.Store.Keys["work"].Reveal() != uitest.TestKey {
		t.Errorf("done %v:\n%s", d.done, d.Drawn())
	}

	d = newDriver(t, Options{Mode: Key, Name: "work"})
	d.WriteConfig(work + "key_command = [\"pass\"]\n")
	d.open().Typed(uitest.TestKey).Press("enter").Sees("set in config.toml line 1: change or delete it there")
	if d.done || len(d.Store.Keys) > 0 {
		t.Errorf("done %v, keys %v", d.done, d.Store.Keys)
	}
}

// TestUseWhereTheUsersFileSaysWhatIsInUse: if config.toml sets the account in use, a new account
// opens and the notice explains the next start.
func TestUseWhereTheUsersFileSaysWhatIsInUse(t *testing.T) {
	d := newDriver(t, Options{Mode: Add, Use: true})
	d.WriteConfig("profile = \"local\"\n")
	d.open().Press("enter").Typed("my_pictures").Press("ctrl+s").Typed(uitest.TestKey).Press("enter")
	if got := d.result; !d.done || got.Name != "my_pictures" ||
		!strings.Contains(got.Notice, "set in config.toml line 1") {
		t.Errorf("done %v, %+v:\n%s", d.done, got, d.Drawn())
	}
	if c := d.Settings(); c.Profile != config.LocalProfile || len(c.Profiles) != 2 {
		t.Errorf("written was %+v", c)
	}
}

func TestRefusesWhatIsNoKey(t *testing.T) {
	d := newDriver(t, Options{Mode: Key, Name: "work"})
	d.Add(config.HostedPreset("work", "w"))
	d.open().Press("enter").Sees("it is empty")
	d.Typed("a b").Press("enter").Sees("there is a space")
	uitest.Lacks(t, d.Drawn(), "a b") // the typed key is not drawn
}

func TestEdit(t *testing.T) {
	d := newDriver(t, Options{Mode: Edit, Name: "lab"})
	d.Add(config.Profile{Name: "lab", Kind: config.KindOther, UploadURL: "https://u.example.com", BaseURL: "https://b.example.com", Folder: "/x"})
	d.open().Sees("The account lab", "https://u.example.com", "https://b.example.com")
	d.Press("ctrl+e").Press("down", "down").Typed("https://d.example.com").Press("ctrl+s")
	if p := d.Settings().Profiles["lab"]; !d.done || p.DeliveryURL != "https://d.example.com" ||
		p.Folder != "/x" || p.BaseURL != "https://b.example.com" {
		t.Errorf("done %v, written was %+v", d.done, p)
	}
	mediatest.Equal(t, d.Store.Attempts, 0, "uses of the keyring without need")
}

func TestEnvironment(t *testing.T) {
	d := newDriver(t, Options{Mode: AddWithEnvironment, Use: true})
	d.Env[config.KeyVariable] = uitest.TestKey
	d.open().Press("enter").Typed("x").Press("ctrl+s")
	if r := d.result; !d.done || r.Key != nil || r.Place != "from the environment" || d.Store.Attempts > 0 {
		t.Errorf("done %v, result %+v", d.done, r)
	}
	d.HidesKey()

	d = newDriver(t, Options{Mode: Add})
	d.Env[config.KeyVariable] = uitest.TestKey
	d.open().Press("enter").Typed("x").Press("ctrl+s").Sees("is used before one in the keyring")
	d.Press("ctrl+o", "v")
	if !d.done || d.Settings().Profiles["x"].Name != "x" {
		t.Errorf("the key of the environment was not used:\n%s", d.Drawn())
	}
	d.HidesKey()
}

func TestKeyForRunWritesNothing(t *testing.T) {
	d := newDriver(t, Options{Mode: KeyForRun, Name: "unnamed"}).open()
	d.Typed(uitest.TestKey).Press("ctrl+o").Sees("Private key")
	d.Press("enter")
	if r := d.result; !d.done || r.Key.Reveal() != uitest.TestKey {
		t.Errorf("done %v", d.done)
	}
	if d.Settings().Exists || d.Store.Attempts > 0 {
		t.Error("something was written or tried")
	}
}

func TestEscIsOneStepBack(t *testing.T) {
	d := newDriver(t, Options{Mode: Add}).open()
	d.Press("enter").Typed("x").Press("ctrl+s").Sees("Private key")
	d.Press("ctrl+o").Sees("Where do you want to keep the key?")
	d.Press("o").Sees("this run only").Typed("secret")
	d.Press("esc").Sees("Where do you want to keep the key?")
	d.Press("o").Sees("this run only").SeesNot("***")
	d.Press("esc", "esc").Sees("Connect an account · step 1", "x")
	mediatest.Equal(t, d.flow.Closed(), false, "the dialog closed too early")
	d.Press("esc")
	if !d.flow.Closed() || d.done {
		t.Error("the dialog does not close")
	}
	mediatest.Equal(t, d.Settings().Exists, false, "something was written")
}

func TestStaleRepliesAreDropped(t *testing.T) {
	d := newDriver(t, Options{Mode: Add}).open()
	d.Press("enter").Typed("x")
	var held []tea.Cmd
	d.Hold = &held
	d.Press("ctrl+s").Sees("Testing the keyring")
	d.Press("esc").Sees("Connect an account · step 1")
	d.Hold = nil
	for _, cmd := range held {
		d.Run(cmd)
	}
	d.Sees("Connect an account · step 1")
}

func TestSettingsThatCannotBeRead(t *testing.T) {
	d := newDriver(t, Options{Mode: Add})
	d.WriteConfig("\nthme = \"dark\"\n")
	d.open().Sees("line 2", "did you mean")
	mediatest.Must(t, os.Remove(d.Paths.Config))
	d.Press("r").Sees("Connect an account · step 1")
}

func TestSettingsThatCannotBeWritten(t *testing.T) {
	d := newDriver(t, Options{Mode: Add}).open()
	d.Press("enter").Typed("x").Press("ctrl+s").Typed(uitest.TestKey)
	// Put a file where the folder belongs.
	mediatest.Must(t, os.WriteFile(filepath.Dir(d.Paths.Config), nil, 0o600))
	d.Press("enter").Sees("step 2 of 2: the private key", "MEDIADESK_HOME")
	mediatest.Equal(t, d.done, false, "the dialog reports success")
	mediatest.Must(t, os.Remove(filepath.Dir(d.Paths.Config)))
	d.Press("enter")
	mediatest.Equal(t, d.done, true, "done without typing the key again:\n%s\n", d.Drawn())
	d.HidesKey()
}

func TestMouse(t *testing.T) {
	d := newDriver(t, Options{Mode: Add}).open()
	d.Click("Account name")
	d.On("Account name")
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
	d.open().Press("enter").Typed("x").Press("ctrl+s")
	d.Sees("This session has no keyring (no session bus was found).", "Use it for this run only")
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
		f := fieldsOf(config.Profile{}, nil)
		*f.value["upload"] = c.typed
		mediatest.Equal(t, f.address("upload"), c.want, "%s", c.typed)
	}
	d := newDriver(t, Options{Mode: Add}).open()
	d.Press("right", "down").Typed("localhost:7999").Sees("mediadesk uses http://localhost:7999.")
}
