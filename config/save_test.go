package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

func load(t *testing.T, path string) Config {
	t.Helper()
	c, err := Load(Paths{Config: path})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func must(t *testing.T) func(Config, error) Config {
	return func(c Config, err error) Config {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

// The first choice makes the file, with every setting explained, for its owner alone.
func TestFirstEditMakesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "config.toml")
	c := must(t)(load(t, path).Use(LocalProfile))
	if !c.Exists || textOf(t, path) != DefaultText() {
		t.Errorf("got %+v\n%s", c, textOf(t, path))
	}
	info, err := os.Stat(path)
	if err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	c = must(t)(c.SetTheme(ThemeDark))
	text := textOf(t, path)
	if !strings.Contains(text, "# theme = \"auto\"\ntheme = \"dark\"\n") {
		t.Errorf("the setting is not below its comment:\n%s", text)
	}
	if c.Theme != ThemeDark || !reflect.DeepEqual(load(t, path), c) {
		t.Errorf("got %+v", c)
	}
	must(t)(c.SetProfile(HostedPreset("ik", "demo")))
	if got := textOf(t, path); !strings.HasPrefix(got, text) || !strings.Contains(got, "\n\n[profiles.ik]\nkind = \"hosted\"\n") {
		t.Errorf("got\n%s", got)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 2 { // the settings and their lock
		t.Errorf("left behind: %v %v", left, err)
	}
}

// The examples in the comments of a new file are right: uncommented they load, and none is missing.
func TestDefaultTextIsRight(t *testing.T) {
	var lines []string
	for line := range strings.Lines(DefaultText()) {
		example := strings.TrimPrefix(line, "# ")
		if example != line && (strings.Contains(example, " = ") || strings.HasPrefix(example, "[")) {
			lines = append(lines, example)
		}
	}
	text := strings.Join(lines, "")
	c, err := parse("x", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	d := defaults("x")
	if c.Profile != d.Profile || c.Theme != d.Theme || c.Pictures != d.Pictures || c.Concurrency != d.Concurrency ||
		c.Webhook != d.Webhook || c.Local.Addr != d.Local.Addr || c.Local.MaxSize != d.Local.MaxSize {
		t.Errorf("an example is not the default: %+v", c)
	}
	found := map[string]bool{}
	for _, e := range scan(text) {
		found[strings.Join(e.key, ".")] = true
	}
	want := func(prefix string, of any) {
		for key, kind := range fieldsOf(reflect.TypeOf(of)) {
			if kind.Kind() != reflect.Map && kind.Kind() != reflect.Struct && !found[prefix+key] {
				t.Errorf("%s is not in the comments of a new file", prefix+key)
			}
		}
	}
	want("", fileConfig{})
	want("webhook.", fileWebhook{})
	want("local.", fileLocal{})
	want("profiles.work.", fileProfile{})
}

// Only what changed is touched, in every way of writing it.
func TestEditKeepsTheRest(t *testing.T) {
	own := Profile{Name: "w", Kind: KindOwn, UploadURL: "https://u", BaseURL: "https://b"}
	table := "[profiles.w]\nkind = \"own\"\nupload_url = \"https://u\"\nbase_url = \"https://b\"\n"
	withFolder := own
	withFolder.Folder = "/x"
	for _, test := range []struct {
		name, before string
		edit         func(Config) (Config, error)
		after        string
	}{
		{
			"value with a comment", "# top\n\n  theme   =  'dark'  # mine\n",
			func(c Config) (Config, error) { return c.SetTheme(ThemeLight) },
			"# top\n\n  theme   =  \"light\"  # mine\n",
		},
		{
			"new key at the top", "# top\n\n# about w\n" + table,
			func(c Config) (Config, error) { return c.SetTheme(ThemeLight) },
			"# top\ntheme = \"light\"\n\n# about w\n" + table,
		},
		{
			"comment of the first table", "# about w\n" + table,
			func(c Config) (Config, error) { return c.SetTheme(ThemeLight) },
			"theme = \"light\"\n# about w\n" + table,
		},
		{
			"after the last key", "profile = \"local\"\n\n# about w\n" + table,
			func(c Config) (Config, error) { return c.SetConcurrency(9) },
			"profile = \"local\"\nconcurrency = 9\n\n# about w\n" + table,
		},
		{
			"no line end", "theme = \"dark\"",
			func(c Config) (Config, error) { return c.SetConcurrency(9) },
			"theme = \"dark\"\nconcurrency = 9\n",
		},
		{
			"carriage returns", "theme = \"dark\"\r\n",
			func(c Config) (Config, error) { return c.SetWebhook(Webhook{"127.0.0.1:1"}) },
			"theme = \"dark\"\r\n\r\n[webhook]\r\nlisten = \"127.0.0.1:1\"\r\n",
		},
		{
			"into a table", table + "# end of w\n\n# next\n[webhook]\n",
			func(c Config) (Config, error) { return c.SetProfile(withFolder) },
			table + "folder = \"/x\"\n# end of w\n\n# next\n[webhook]\n",
		},
		{
			"into an empty table", "[webhook] # here\n# listen = 1\n",
			func(c Config) (Config, error) { return c.SetWebhook(Webhook{"127.0.0.1:1"}) },
			"[webhook] # here\nlisten = \"127.0.0.1:1\"\n# listen = 1\n",
		},
		{
			"dotted", "profiles.w.kind = \"own\"\nprofiles.w.upload_url = \"https://u\"\nprofiles.w.base_url = \"https://b\"\ntheme = \"dark\"\n",
			func(c Config) (Config, error) { return c.SetProfile(withFolder) },
			"profiles.w.kind = \"own\"\nprofiles.w.upload_url = \"https://u\"\nprofiles.w.base_url = \"https://b\"\nprofiles.w.folder = \"/x\"\ntheme = \"dark\"\n",
		},
		{
			"dotted in a table", "[profiles]\nw.upload_url = \"https://u\"\nw.base_url = \"https://b\"\n# end\n",
			func(c Config) (Config, error) { return c.SetProfile(withFolder) },
			"[profiles]\nw.upload_url = \"https://u\"\nw.base_url = \"https://b\"\nw.folder = \"/x\"\n# end\n",
		},
		{
			"inline", "profiles = { w = { upload_url = \"https://u\", base_url = \"https://b\" } } # all\n",
			func(c Config) (Config, error) { return c.SetProfile(withFolder) },
			"profiles = { w = { base_url = \"https://b\", folder = \"/x\", upload_url = \"https://u\" } } # all\n",
		},
		{
			"key away", table + "folder = \"/x\" # gone\n# stays\n",
			func(c Config) (Config, error) { return c.SetProfile(own) },
			table + "# stays\n",
		},
		{
			"inline key away", "webhook = {}\nlocal = { commands = { a = [\"x\"], b = [\"y\"] } }\n",
			func(c Config) (Config, error) { return c.SetLocal(Local{Commands: map[string][]string{"b": {"y"}}}) },
			"webhook = {}\nlocal = { commands = { b = [\"y\"] } }\n",
		},
		{
			"list of several lines", "bookmarks = [\n  \"/a\", # first\n  \"/b]\", # second\n]\ntheme = \"dark\"\n",
			func(c Config) (Config, error) { return c.SetBookmarks([]string{"/c"}) },
			"bookmarks = [\"/c\"]\ntheme = \"dark\"\n",
		},
		{
			"list away", "bookmarks = [\n  \"/a\", # [first\n]\ntheme = \"dark\"\n",
			func(c Config) (Config, error) { return c.SetBookmarks(nil) },
			"theme = \"dark\"\n",
		},
		{
			"table in the middle away", "theme = \"dark\"\n\n# about w\n" + table + "# inside\n\n# next\n[webhook]\nlisten = \"127.0.0.1:1\"\n",
			func(c Config) (Config, error) { return c.RemoveProfile("w") },
			"theme = \"dark\"\n\n# next\n[webhook]\nlisten = \"127.0.0.1:1\"\n",
		},
		{
			"last table away", "theme = \"dark\"\n\n# about w\n" + table + "# inside\n",
			func(c Config) (Config, error) { return c.RemoveProfile("w") },
			"theme = \"dark\"\n",
		},
		{
			"only table away", table,
			func(c Config) (Config, error) { return c.RemoveProfile("w") },
			"",
		},
		{
			"quoted key", "[local.commands]\n\"remove-bg\" = ['a'] # x\n\"é.\\u0061\" = ['b']\n",
			func(c Config) (Config, error) {
				return c.SetLocal(Local{Commands: map[string][]string{"remove-bg": {"c d", `"\`}, "é.a": {"z"}}})
			},
			"[local.commands]\n\"remove-bg\" = [\"c d\", \"\\\"\\\\\"] # x\n\"é.\\u0061\" = [\"z\"]\n",
		},
		{
			"nothing to change", "  theme='dark'",
			func(c Config) (Config, error) { return c.SetTheme(ThemeDark) },
			"  theme='dark'",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, test.before)
			c := must(t)(test.edit(load(t, path)))
			if got := textOf(t, path); got != test.after {
				t.Errorf("got\n%s\nwant\n%s", got, test.after)
			}
			if again := load(t, path); !reflect.DeepEqual(again, c) {
				t.Errorf("the settings given are not those of the file:\n%+v\n%+v", c, again)
			}
			if _, err := test.edit(c); err != nil && !strings.Contains(err.Error(), "there is no profile") {
				t.Error(err)
			}
			if got := textOf(t, path); got != test.after {
				t.Errorf("a second time gives\n%s", got)
			}
		})
	}
}

func TestEditRefusals(t *testing.T) {
	path := write(t, fullFile)
	c := load(t, path)
	for name, test := range map[string]struct {
		edit func() (Config, error)
		says string
	}{
		"use unknown":     {func() (Config, error) { return c.Use("wrk") }, `did you mean "work"?`},
		"remove unknown":  {func() (Config, error) { return c.RemoveProfile("ok") }, `did you mean "ik"?`},
		"remove local":    {func() (Config, error) { return c.RemoveProfile("local") }, "always there"},
		"remove in use":   {func() (Config, error) { return c.RemoveProfile("work") }, "in use"},
		"bad name":        {func() (Config, error) { return c.SetProfile(Profile{Name: "a b"}) }, "letters"},
		"no address":      {func() (Config, error) { return c.SetProfile(Profile{Name: "x"}) }, "upload_url is missing"},
		"bad theme":       {func() (Config, error) { return c.SetTheme("dork") }, "auto, dark, light"},
		"bad signal":      {func() (Config, error) { return c.SetSignal("gong") }, "desktop"},
		"bad pictures":    {func() (Config, error) { return c.SetPictures("png") }, "sixel"},
		"bad concurrency": {func() (Config, error) { return c.SetConcurrency(1000) }, "1 to 32"},
		"bad bookmark":    {func() (Config, error) { return c.SetBookmarks([]string{"x"}) }, "whole path"},
		"invalid text":    {func() (Config, error) { return c.SetBookmarks([]string{"/\xff"}) }, "not text"},
		"bad webhook":     {func() (Config, error) { return c.SetWebhook(Webhook{"x"}) }, "listen"},
		"bad local":       {func() (Config, error) { return c.SetLocal(Local{MaxSize: -1}) }, "below 0"},
		"bad command":     {func() (Config, error) { return c.SetLocal(Local{Commands: map[string][]string{"x": {""}}}) }, "argument list"},
	} {
		got, err := test.edit()
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want %q", name, err, test.says)
		}
		if !reflect.DeepEqual(got, c) {
			t.Errorf("%s: the settings given changed", name)
		}
	}
	if textOf(t, path) != fullFile {
		t.Error("a refused edit changed the file")
	}
}

// What an editor wrote meanwhile is kept; if it broke the file, the edit says so and leaves it.
func TestEditReadsAnew(t *testing.T) {
	path := write(t, "theme = \"dark\"\n")
	c := load(t, path)
	if err := os.WriteFile(path, []byte("# by hand\nconcurrency = 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c = must(t)(c.SetTheme(ThemeLight))
	if c.Concurrency != 7 || textOf(t, path) != "# by hand\nconcurrency = 7\ntheme = \"light\"\n" {
		t.Errorf("got %+v\n%s", c, textOf(t, path))
	}
	if err := os.WriteFile(path, []byte("oops"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SetTheme(ThemeDark); err == nil || !strings.Contains(err.Error(), "line 1") || textOf(t, path) != "oops" {
		t.Errorf("got %v", err)
	}
}

func TestEditKeepsALink(t *testing.T) {
	path := write(t, "theme = \"dark\"\n")
	link := filepath.Join(t.TempDir(), "config.toml")
	if err := os.Symlink(path, link); err != nil {
		t.Skip("no links here:", err)
	}
	must(t)(load(t, link).SetTheme(ThemeLight))
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v", err)
	}
	if textOf(t, path) != "theme = \"light\"\n" {
		t.Errorf("got %q", textOf(t, path))
	}
}

// Edits at the same time do not lose each other.
func TestEditsTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			c, err := Load(Paths{Config: path})
			if err == nil {
				_, err = c.SetProfile(HostedPreset(fmt.Sprintf("p%d", i), ""))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if names := load(t, path).Names(); len(names) != 9 {
		t.Errorf("got %v", names)
	}
}

func TestEditWhereNothingCanBeWritten(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "config.toml", "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(filepath.Join(dir, "config.toml"), "x"); err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	file := write(t, "")
	c := defaults(filepath.Join(file, "below", "config.toml"))
	if _, err := c.SetTheme(ThemeDark); err == nil || !strings.Contains(err.Error(), "MEDIADESK_HOME") {
		t.Errorf("got %v", err)
	}
}
