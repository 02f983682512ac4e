package config

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
)

func load(t *testing.T, paths Paths) Config {
	t.Helper()
	c, err := Load(paths)
	must(t, err)
	return c
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}

func changed(t *testing.T) func(Config, error) Config {
	return func(c Config, err error) Config {
		t.Helper()
		must(t, err)
		return c
	}
}

// set changes choices.
func set(c Config, change func(want *Choices)) (Config, error) {
	want := c.Choices
	change(&want)
	return c.Set(want)
}

// setters change each choice to a value that is not its default.
var setters = map[string]func(Config) (Config, error){
	"profile":       func(c Config) (Config, error) { return c.Use("other") },
	"theme":         func(c Config) (Config, error) { return set(c, func(want *Choices) { want.Theme = ThemeLight }) },
	"colors":        func(c Config) (Config, error) { return set(c, func(want *Choices) { want.Colors = Depth16 }) },
	"pictures":      func(c Config) (Config, error) { return set(c, func(want *Choices) { want.Pictures = PicturesOff }) },
	"concurrency":   func(c Config) (Config, error) { return set(c, func(want *Choices) { want.Concurrency = 3 }) },
	"profiles.work": func(c Config) (Config, error) { return c.SetProfile(HostedPreset("work", "state")) },
	"profiles.local": func(c Config) (Config, error) {
		return c.SetProfile(Profile{Name: LocalProfile, Folder: "/state"})
	},
}

// valueOf returns the current value of a choice.
func valueOf(c Config, key string) any {
	return map[string]any{
		"profile": c.Profile, "theme": c.Theme, "colors": c.Colors, "pictures": c.Pictures, "concurrency": c.Concurrency,
		"profiles.work": c.Profiles["work"].DeliveryURL, "profiles.local": c.Profiles[LocalProfile].Folder,
	}[key]
}

// TestPrecedence: config.toml comes first and cannot be changed here, then state.json, then the default.
func TestPrecedence(t *testing.T) {
	for _, test := range []struct {
		key, own                 string
		byDefault, byState, byUs any
	}{
		{"profile", "profile = \"work\"\n[profiles.work]\nupload_url=\"https://u\"\nbase_url=\"https://u\"\n", LocalProfile, "other", "work"},
		{"theme", "theme = \"dark\"", ThemeAuto, ThemeLight, ThemeDark},
		{"colors", "colors = \"256\"", DepthAuto, Depth16, Depth256},
		{"pictures", "pictures = \"kitty\"", PicturesAuto, PicturesOff, PicturesKitty},
		{"concurrency", "concurrency = 9", 0, 3, 9},
		{"profiles.work", "[profiles.work]\nupload_url=\"https://u\"\nbase_url=\"https://u\"\ndelivery_url=\"https://own\"\n", "", "https://ik.imagekit.io/state", "https://own"},
		{"profiles.local", "[profiles.local]\nfolder=\"/own\"", "", "/state", "/own"},
	} {
		t.Run(test.key, func(t *testing.T) {
			paths := home(t, "")
			c := load(t, paths)
			if got := valueOf(c, test.key); got != test.byDefault || c.SetIn(test.key) != "" || c.Exists {
				t.Errorf("by default %v, %q", got, c.SetIn(test.key))
			}
			c = changed(t)(c.SetProfile(HostedPreset("other", "")))
			c = changed(t)(setters[test.key](c))
			if got := valueOf(c, test.key); got != test.byState || c.SetIn(test.key) != "" {
				t.Errorf("in state.json %v, %q", got, c.SetIn(test.key))
			}
			if again := load(t, paths); !reflect.DeepEqual(again, c) {
				t.Errorf("the settings returned are not those of the file:\n%+v\n%+v", c, again)
			}

			overwrite(t, paths.Config, "# mine\n\n"+test.own)
			c = load(t, paths)
			if got := valueOf(c, test.key); got != test.byUs ||
				c.SetIn(test.key) != "set in config.toml line 3" {
				t.Errorf("in config.toml %v, %q", got, c.SetIn(test.key))
			}
			state := textOf(t, paths.StateFile())
			got, err := setters[test.key](c)
			readOnly, ok := errors.AsType[*ReadOnlyError](err)
			if !ok || readOnly.Line != 3 || !strings.Contains(err.Error(), "set in config.toml line 3: ") ||
				!strings.Contains(err.Error(), paths.Config) {
				t.Errorf("a change is answered with %v", err)
			}
			if !reflect.DeepEqual(got, c) || textOf(t, paths.StateFile()) != state ||
				textOf(t, paths.Config) != "# mine\n\n"+test.own {
				t.Error("a change that was refused changed something")
			}
			if name, ok := strings.CutPrefix(test.key, "profiles."); ok && name != LocalProfile {
				if _, err := c.RemoveProfile(name); err == nil ||
					!strings.Contains(err.Error(), "set in config.toml line 3") {
					t.Errorf("removing it is answered with %v", err)
				}
			}

			overwrite(t, paths.Config, "# nothing")
			mediatest.Equal(t, valueOf(load(t, paths), test.key), test.byState, "without the line")
		})
	}
}

// TestSameValueIsNoChange: setting the current value is no change, even if it comes from config.toml.
func TestSameValueIsNoChange(t *testing.T) {
	paths := home(t, fullFile)
	c := load(t, paths)
	for name, edit := range map[string]func() (Config, error){
		"use":         func() (Config, error) { return c.Use("work") },
		"theme":       func() (Config, error) { return set(c, func(want *Choices) { want.Theme = ThemeDark }) },
		"concurrency": func() (Config, error) { return set(c, func(want *Choices) { want.Concurrency = 5 }) },
		"profile":     func() (Config, error) { return c.SetProfile(c.Profiles["work"]) },
		"local":       func() (Config, error) { return c.SetProfile(c.Profiles[LocalProfile]) },
	} {
		if got, err := edit(); err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("%s: %v", name, err)
		}
	}
	mediatest.Equal(t, exists(paths.StateFile()), false, "state.json was written without a change")
}

// TestFirstChoice: the first choice creates state.json, readable only by its owner, and no config.toml.
func TestFirstChoice(t *testing.T) {
	paths := FindPaths(env("MEDIADESK_HOME", filepath.Join(t.TempDir(), "new")))
	c := load(t, paths)
	mediatest.Equal(t, exists(filepath.Dir(paths.Config)), false, "looking for the settings made a folder")
	if c.Webhook.Listen != "127.0.0.1:7844" || c.Local.Addr != "127.0.0.1:7843" ||
		c.Profiles[c.Profile].MaxSize != 25_000_000 {
		t.Errorf("by default %+v", c)
	}
	c = changed(t)(c.Use(LocalProfile))
	if !c.Exists || !load(t, paths).Exists {
		t.Error("the choice is not known")
	}
	info, err := os.Stat(paths.StateFile())
	if err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	mediatest.Equal(t, exists(paths.Config), false, "config.toml was made")
	changed(t)(c.AddTip("picker"))
	left, err := os.ReadDir(paths.Data)
	if err != nil || len(left) != 2 { // state.json and its lock
		t.Errorf("files remain: %v %v", left, err)
	}
}

// TestProfileReadsBack: every setting of a profile is stored.
func TestProfileReadsBack(t *testing.T) {
	want := HostedPreset("work", "w")
	want.Folder, want.Tags, want.Extensions = `/é "q"/`, []string{"ü", `a"b`}, []string{`{"name":"remove-bg"}`}
	want.Crops = []string{"4:5", "card=w-400,fo-custom"}
	want.Naming, want.NamingChosen, want.ColorOption, want.Insecure = job.NameExact, true, ColorBritish, true
	want.WebhookURL, want.WebhookSecretFile = "https://hooks.example.com", "~/.hooks"
	want.KeyFile, want.KeyCommand = "/k", []string{"pass", "", "#"}
	for field, value := range reflect.ValueOf(want).Fields() {
		mediatest.Equal(t, value.IsZero(), false, "the test leaves out %s", field.Name)
	}
	paths := home(t, "")
	changed(t)(load(t, paths).SetProfile(want))
	if got := load(t, paths).Profiles["work"]; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestEditRefusals(t *testing.T) {
	paths := home(t, "")
	c := changed(t)(load(t, paths).SetProfile(HostedPreset("ik", "")))
	c = changed(t)(c.SetProfile(HostedPreset("work", "")))
	c = changed(t)(c.Use("work"))
	before := textOf(t, paths.StateFile())
	for name, test := range map[string]struct {
		edit func() (Config, error)
		says string
	}{
		"use unknown":     {func() (Config, error) { return c.Use("wrk") }, `did you mean "work"?`},
		"remove unknown":  {func() (Config, error) { return c.RemoveProfile("ok") }, `did you mean "ik"?`},
		"remove local":    {func() (Config, error) { return c.RemoveProfile("local") }, "cannot be removed"},
		"remove in use":   {func() (Config, error) { return c.RemoveProfile("work") }, "in use"},
		"bad name":        {func() (Config, error) { return c.SetProfile(Profile{Name: "a b"}) }, "letters"},
		"not an address":  {func() (Config, error) { return c.SetProfile(Profile{Name: "x"}) }, "upload_url is missing"},
		"bad theme":       {func() (Config, error) { return set(c, func(want *Choices) { want.Theme = "dork" }) }, "auto, dark, light"},
		"bad pictures":    {func() (Config, error) { return set(c, func(want *Choices) { want.Pictures = "png" }) }, "sixel"},
		"bad concurrency": {func() (Config, error) { return set(c, func(want *Choices) { want.Concurrency = 1000 }) }, "1 to 32"},
	} {
		got, err := test.edit()
		if err == nil || !strings.Contains(err.Error(), test.says) ||
			strings.Contains(err.Error(), "state.json") {
			t.Errorf("%s: %v, want %q", name, err, test.says)
		}
		if !reflect.DeepEqual(got, c) {
			t.Errorf("%s: the settings returned changed", name)
		}
	}
	mediatest.Equal(t, textOf(t, paths.StateFile()), before, "a refused edit changed the file")
}

// TestEditReadsAgain: an edit keeps what an editor wrote meanwhile. If that broke the file, the
// edit fails and changes nothing.
func TestEditReadsAgain(t *testing.T) {
	paths := home(t, "theme = \"dark\"\n")
	c := load(t, paths)
	overwrite(t, paths.Config, "# by hand\nconcurrency = 7\n")
	c = changed(t)(set(c, func(want *Choices) { want.Theme = ThemeLight }))
	if c.Concurrency != 7 || c.Theme != ThemeLight {
		t.Errorf("got %+v", c)
	}
	overwrite(t, paths.Config, "oops")
	if _, err := set(c, func(want *Choices) { want.Theme = ThemeDark }); err == nil ||
		!strings.Contains(err.Error(), "line 1") || strings.Contains(textOf(t, paths.StateFile()), "dark") {
		t.Errorf("got %v", err)
	}
}

// TestForeignState: an error in state.json is reported with what helps.
func TestForeignState(t *testing.T) {
	paths := home(t, "")
	for text, says := range map[string]string{
		"oops": "correct it, or move it away", `{"theme": 1}`: "correct it, or move it away", `{"concurrency": 99}`: "1 to 32",
		`{"profiles": {"x": {"kind": "own"}}}`: "upload_url is missing",
	} {
		overwrite(t, paths.StateFile(), text)
		_, err := Load(paths)
		if err == nil || !strings.Contains(err.Error(), paths.StateFile()+": ") ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestGoneFromTheUsersFile: what state.json names may be missing in config.toml. For a missing profile
// the user has to choose, because files must not go elsewhere silently.
func TestGoneFromTheUsersFile(t *testing.T) {
	paths := home(t, "[profiles.work]\nupload_url = \"https://u\"\nbase_url = \"https://u\"\n")
	c := load(t, paths)
	changed(t)(c.Use("work"))
	overwrite(t, paths.Config, "")
	c = load(t, paths)
	if _, err := c.Find(c.Profile); err == nil || !strings.Contains(err.Error(), `there is no profile "work"`) {
		t.Errorf("in use: %v", err)
	}
	c = changed(t)(c.Use(LocalProfile))
	if _, err := c.Find(c.Profile); err != nil {
		t.Error(err)
	}
}

// TestFileThatOthersMayWrite: as with ssh, because a user who can write the file could have any program run.
func TestFileThatOthersMayWrite(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("no such permissions here")
	}
	for text, line := range map[string]int{
		"theme = \"dark\"\n": 0,
		"\n[profiles.w]\nupload_url = \"https://u\"\nbase_url = \"https://u\"\nkey_command = [\"pass\"]\n":  5,
		"profiles.w = { upload_url = \"https://u\", base_url = \"https://u\", key_command = [\"pass\"] }\n": 1,
		"[local.commands]\nremove-bg = [\"rembg\"]\n":                                                       2,
	} {
		for _, mode := range []os.FileMode{0o600, 0o644, 0o664, 0o646} {
			paths := home(t, text)
			must(t, os.Chmod(paths.Config, mode))
			_, err := Load(paths)
			problem, refused := errors.AsType[*FileError](err)
			mediatest.Equal(t, refused, line > 0 && mode&0o022 != 0, "mode %o of %q: %v", mode, text, err)
			if refused &&
				(problem.Line != line || !strings.Contains(problem.Text, "run chmod go-w "+paths.Config)) {
				t.Errorf("mode %o of %q: line %d, %v", mode, text, problem.Line, err)
			}
		}
	}
	paths := home(t, "")
	p := HostedPreset("w", "")
	p.KeyCommand = []string{"pass"}
	changed(t)(load(t, paths).SetProfile(p))
	must(t, os.Chmod(paths.StateFile(), 0o666))
	if _, err := Load(paths); err == nil ||
		!strings.Contains(err.Error(), "run chmod go-w "+paths.StateFile()) {
		t.Errorf("state.json: %v", err)
	}
}

// TestKeysWithDots: names of actions have dots, and in quotes they are one name.
func TestKeysWithDots(t *testing.T) {
	c := load(t, home(t, "[keys]\n\"library.delete\" = [\"x\"]\nfilter = [\"f7\"]\n"))
	want := map[string][]string{"filter": {"f7"}, "library.delete": {"x"}}
	if !reflect.DeepEqual(c.Keys, want) || c.LineOf("filter") != 3 || c.LineOf("library.delete") != 2 {
		t.Errorf("got %+v, lines %d and %d", c.Keys, c.LineOf("filter"), c.LineOf("library.delete"))
	}
	if _, err := Load(home(t, "[keys]\nlibrary.delete = [\"x\"]\n")); err == nil || !strings.Contains(err.Error(), `write it like "picker.clear-tray" = ["X"]`) {
		t.Errorf("without quotes: %v", err)
	}
}

func TestCreateFile(t *testing.T) {
	paths := FindPaths(env("MEDIADESK_HOME", filepath.Join(t.TempDir(), "new")))
	if err := CreateFile(paths); err != nil || textOf(t, paths.Config) != defaultText {
		t.Fatal(err)
	}
	if c := load(t, paths); len(c.places) != 0 {
		t.Errorf("got %+v", c)
	}
	overwrite(t, paths.Config, "# mine")
	if err := CreateFile(paths); err != nil || textOf(t, paths.Config) != "# mine" {
		t.Errorf("a file of the user was replaced: %v", err)
	}
	paths.Config = filepath.Join(paths.Config, "below", "config.toml")
	mediatest.Equal(t, CreateFile(paths) == nil, false, "creating the file again succeeds")
}

// TestDefaultTextIsRight: the examples in the comments of a new file load when they are
// uncommented, and none is missing: unknown keys and wrong values are explained with them.
func TestDefaultTextIsRight(t *testing.T) {
	places, lines := examples()
	c := load(t, home(t, strings.Join(lines, "\n")))
	d := Config{}.withDefaults(c.paths)
	if c.Profile != d.Profile || c.Theme != d.Theme || c.Pictures != d.Pictures ||
		c.Concurrency != d.Concurrency ||
		c.Webhook != d.Webhook || c.Local.Addr != d.Local.Addr || c.Local.MaxSize != d.Local.MaxSize {
		t.Errorf("an example is not the default: %+v", c)
	}
	for prefix, of := range map[string]any{
		"": Config{}, "webhook.": Webhook{}, "local.": Local{}, "profiles.NAME.": Profile{},
	} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(of)) {
			key, _, _ := strings.Cut(field.Tag.Get("toml"), ",")
			explained := func(p place) bool {
				return strings.HasPrefix(strings.Join(p.key, ".")+".", prefix+key+".")
			}
			if key != "" && key != "-" && !slices.ContainsFunc(places, explained) {
				t.Errorf("%s is not in the comments of a new file", prefix+key)
			}
		}
	}
}

// childVariable is the home in which a child process edits: see TestEditInAChild.
const childVariable = "MEDIADESK_TEST_EDITS"

// child starts a process of this test that adds n profiles with this prefix.
func child(t *testing.T, paths Paths, prefix string, n int) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self, "-test.run=^TestEditInAChild$")
	cmd.Env = append(os.Environ(),
		fmt.Sprintf("%s=%s %s %d", childVariable, filepath.Dir(paths.Config), prefix, n))
	must(t, cmd.Start())
	return cmd
}

// TestEditInAChild is the main function of child.
func TestEditInAChild(t *testing.T) {
	var home, prefix string
	var n int
	if _, err := fmt.Sscan(os.Getenv(childVariable), &home, &prefix, &n); err != nil {
		t.Skip("only in a child of other tests")
	}
	c := load(t, FindPaths(env("MEDIADESK_HOME", home)))
	for i := range n {
		c = changed(t)(c.SetProfile(HostedPreset(fmt.Sprintf("%s%d", prefix, i), "")))
	}
}

// TestTwoProcesses: two processes that add profiles at once keep each other's profiles.
func TestTwoProcesses(t *testing.T) {
	paths := home(t, "")
	const n = 20
	a, b := child(t, paths, "a", n), child(t, paths, "b", n)
	must(t, errors.Join(a.Wait(), b.Wait()))
	if names := load(t, paths).Names(); len(names) != 1+2*n {
		t.Errorf("%d profiles: %v", len(names), names)
	}
}

// TestKilledWhileWriting: a process that is killed while it writes leaves the old file or the new
// one, and no lock.
func TestKilledWhileWriting(t *testing.T) {
	paths := home(t, "")
	c := changed(t)(load(t, paths).SetProfile(HostedPreset("before", "")))
	known := 0
	for round := range 5 {
		cmd := child(t, paths, fmt.Sprintf("r%d-", round), 1000)
		for deadline := time.Now().Add(time.Minute); len(load(t, paths).Profiles) < known+3+round; {
			if time.Now().After(deadline) {
				t.Fatal("the child wrote nothing")
			}
		}
		must(t, cmd.Process.Kill())
		_ = cmd.Wait()
		c = load(t, paths)
		for i := range len(c.Profiles) - max(known, 2) {
			if _, ok := c.Profiles[fmt.Sprintf("r%d-%d", round, i)]; !ok {
				t.Fatalf("round %d: profile %d of %d is missing", round, i, len(c.Profiles))
			}
		}
		if _, ok := c.Profiles["before"]; !ok {
			t.Fatal("the earlier content was lost")
		}
		known = len(c.Profiles)
	}
	changed(t)(set(c, func(want *Choices) { want.Theme = ThemeDark }))
}

func TestEditWhereNothingCanBeWritten(t *testing.T) {
	paths := home(t, "")
	must(t, os.MkdirAll(filepath.Join(paths.StateFile(), "in"), 0o700))
	if _, err := Load(paths); err == nil || !strings.Contains(err.Error(), "it is not a file") {
		t.Errorf("got %v", err)
	}
	file := write(t, "")
	c := Config{}.withDefaults(FindPaths(env("MEDIADESK_HOME", filepath.Join(file, "below"))))
	if _, err := set(c, func(want *Choices) { want.Theme = ThemeDark }); err == nil ||
		!strings.Contains(err.Error(), "MEDIADESK_HOME") {
		t.Errorf("got %v", err)
	}
}
