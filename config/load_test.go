package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
)

const fullFile = `# my settings
profile = "work"   # in use
theme = "dark"
colors = "256"
pictures = "blocks"
# a comment
concurrency = 5

[webhook]
listen = "127.0.0.1:0"

[local]
addr = "127.0.0.1:9000"
max_size = 1000

[local.commands]
"remove-bg" = ["rembg", "i", "-", "-"]

# the account at work
[profiles.work]
kind = "own"
upload_url = "https://Upload.example.com/"
base_url = "http://127.0.0.1:7843//"
delivery_url = "https://media.example.com/work"
max_size = 10
max_video_size = 20
folder = "/summer"
tags = ["a", "b c"]
naming = "off"
colour_option = "bg_color"
webhook_url = "http://desk.example.com:8080/hooks/"
webhook_secret_file = "~/.hooks"
key_file = "~/.key"
key_command = ["pass", "show", "media"]

[profiles.ik]
kind = "hosted"
upload_url = "https://upload.imagekit.io"
base_url = "https://api.imagekit.io"

[profiles.local]
folder = "/inbox"
`

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// home makes a MEDIADESK_HOME with a config.toml, or without one if text is "".
func home(t *testing.T, text string) Paths {
	t.Helper()
	paths := FindPaths(env("MEDIADESK_HOME", t.TempDir()))
	if text != "" {
		overwrite(t, paths.Config, text)
	}
	return paths
}

func overwrite(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestLoadFull(t *testing.T) {
	paths := home(t, fullFile)
	c, err := Load(paths)
	must(t, err)
	want := Config{
		Path: paths.Config, Exists: true, Webhook: Webhook{"127.0.0.1:0"},
		Local: Local{Addr: "127.0.0.1:9000", MaxSize: 1000, Commands: map[string][]string{"remove-bg": {"rembg", "i", "-", "-"}}},
		Choices: Choices{
			Profile: "work", Theme: ThemeDark, Pictures: PicturesBlocks, Colors: Depth256, Concurrency: 5,
			Profiles: map[string]Profile{
				"local": {
					Name: "local", Kind: KindLocal, MaxSize: 1000, MaxVideoSize: 1000, Folder: "/inbox",
					Naming: job.NameHere, ColorOption: ColorBritish,
				},
				"ik": {
					Name: "ik", Kind: KindHosted, UploadURL: "https://upload.imagekit.io", BaseURL: "https://api.imagekit.io",
					Naming: job.NameHere, ColorOption: ColorAmerican,
				},
				"work": {
					Name: "work", Kind: KindOther, UploadURL: "https://upload.example.com", BaseURL: "http://127.0.0.1:7843",
					DeliveryURL: "https://media.example.com/work", MaxSize: 10, MaxVideoSize: 20, Folder: "/summer",
					Tags: []string{"a", "b c"}, Naming: job.NameExact, ColorOption: ColorAmerican,
					WebhookURL: "http://desk.example.com:8080/hooks", WebhookSecretFile: "~/.hooks", KeyFile: "~/.key", KeyCommand: []string{"pass", "show", "media"},
				},
			},
		},
		places: c.places, paths: paths,
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
	if got := c.Names(); !reflect.DeepEqual(got, []string{"local", "ik", "work"}) {
		t.Errorf("names: %v", got)
	}
	mediatest.Equal(t, c.Profiles[c.Profile].Name, "work", "in use: %+v", c.Profiles[c.Profile])
}

// TestLoadProblems: an error in a file names the line and says what helps.
func TestLoadProblems(t *testing.T) {
	own := "[profiles.w]\nkind = \"own\"\nupload_url = \"https://u\"\nbase_url = \"https://b\"\n"
	for _, test := range []struct {
		name, text string
		line       int
		says       []string
	}{
		{"syntax", "theme = \n", 1, []string{"not TOML"}},
		{"unknown key", "\n\ntheem = \"dark\"\n", 3, []string{`"theem"`, "at the top", `did you mean "theme"?`}},
		{"unknown in a profile", own + "uplod_url = \"x\"\n", 5, []string{"[profiles.w]", `did you mean "upload_url"?`}},
		{"unknown table", "[webhok]\nlisten = \"x\"\n", 1, []string{`did you mean "webhook"?`}},
		{"wrong place", "listen = \"127.0.0.1:1\"\n", 1, []string{"it belongs in [webhook]"}},
		{"wrong place below", own + "theme = \"dark\"\n", 5, []string{"at the top, before the first [table]"}},
		{"wrong place, profile", "key_file = \"/x\"\n", 1, []string{"in [profiles.NAME]"}},
		{"nonsense", "zzzzzzzz = 1\n", 1, []string{"no setting", "remove the line"}},
		{"inline", "webhook = { lissten = \"x\" }\n", 1, []string{`did you mean "listen"?`}},
		{"array of tables", "[[profiles]]\nname = \"x\"\n", 1, []string{"write it like [profiles.work]"}},
		{"text for number", "concurrency = \"3\"\n", 1, []string{"write it like concurrency = 0"}},
		{"number for text", "theme = 3\n", 1, []string{`write it like theme = "auto"`}},
		{"bad theme", "theme = \"dork\"\n", 1, []string{"auto, dark, light", `did you mean "dark"?`}},
		{"too many", "\nconcurrency = 33\n", 2, []string{"1 to 32"}},
		{"bad listen", "[webhook]\nlisten = \"7844\"\n", 2, []string{"127.0.0.1:7843"}},
		{"bad addr", "[local]\naddr = \"example.com:1\"\n", 2, []string{"not an address"}},
		{"bad size", "[local]\nmax_size = -1\n", 2, []string{"must not be negative"}},
		{"empty command", "[local.commands]\nx = []\n", 1, []string{"argument list"}},
		{"unknown profile in use", "profile = \"wrok\"\n" + strings.ReplaceAll(own, ".w]", ".work]"), 1, []string{`did you mean "work"?`, "local, work"}},
		{"kind", "[profiles.w]\nkind = \"hosed\"\n", 2, []string{`did you mean "hosted"?`}},
		{"local by another name", "[profiles.w]\nkind = \"local\"\n", 2, []string{"is the local library of this computer"}},
		{"local of another kind", "[profiles.local]\nkind = \"own\"\n", 2, []string{"is the local library of this computer"}},
		{"local with address", "[profiles.local]\nbase_url = \"https://x\"\n", 2, []string{"[local]"}},
		{"local with limit", "[profiles.local]\nmax_size = 1\n", 2, []string{"[local]"}},
		{"missing address", "\n[profiles.w]\nkind = \"own\"\n", 2, []string{"upload_url", "is missing"}},
		{"plain http", strings.Replace(own, "https://b", "http://b", 1), 4, []string{"use https"}},
		{"bad name", strings.Replace(own, ".w]", ".\"w w\"]", 1), 1, []string{"letters a–z"}},
		{"bad tag", own + "tags = [\"a,b\"]\n", 5, []string{"contains a comma"}},
		{"bad folder", own + "folder = \"summer\"\n", 5, []string{"begin with /"}},
		{"bad naming", own + "naming = \"hear\"\n", 5, []string{`did you mean "here"?`}},
		{"bad key file", own + "key_file = \"key\"\n", 5, []string{"absolute path"}},
		{"bad key command", own + "key_command = [\"\"]\n", 5, []string{"argument list"}},
		{"negative limit", own + "max_size = -1\n", 5, []string{"must not be negative"}},
		{"invalid bytes", "theme = \"\xff\"\n", 1, []string{"not TOML"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, test.text)
			c, err := Load(Paths{Config: path})
			problem, ok := errors.AsType[*FileError](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			mediatest.Equal(t, problem.Line, test.line, "the line of %v", err)
			for _, part := range append(test.says, path) {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not contain %q", err, part)
				}
			}
			if c.Profile != LocalProfile || c.Concurrency != 0 {
				t.Errorf("the settings beside the error are not the defaults: %+v", c)
			}
		})
	}
}

func TestLoadTellsAllProblems(t *testing.T) {
	_, err := Load(Paths{Config: write(t, "theem = 1\n[webhook]\nlissten = true\n")})
	if err == nil || strings.Count(err.Error(), "\n") != 1 || !strings.Contains(err.Error(), "line 1") ||
		!strings.Contains(err.Error(), "line 3") {
		t.Errorf("got %v", err)
	}
}

func TestCheckURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://a.example": "https://a.example", " https://A.example/x// ": "https://a.example/x",
		"http://localhost:80/": "http://localhost:80", "http://127.9.9.9": "http://127.9.9.9", "http://[::1]:7843/": "http://[::1]:7843",
		"https://a/b c": "https://a/b%20c", "https://[::ffff:10.0.0.1]": "https://[::ffff:10.0.0.1]",
	} {
		if got, err := (Profile{}).CheckURL(text); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %v", text, got, err, want)
		}
		if again, err := (Profile{}).CheckURL(want); err != nil || again != want {
			t.Errorf("%q does not stay: %q, %v", want, again, err)
		}
	}
	for text, says := range map[string]string{
		"": "https://", "example.com": "https://", "ftp://x": "https://", "https:x": "https://", "https://": "no host",
		"http://example.com": "use https", "http://localhost.example.com": "use https", "http://10.0.0.1": "use https",
		"https://private_key:@x": "before the @", "https://private_key@x": "before the @", "https://private_key@x:y:z/%": "not a URL",
		"https://x?a": "?", "https://x?": "?", "https://x#f": "#", "https://x#": "#", "https://x:0": "port", "https://x:99999": "port",
		"https://x:": "port", "https://x/\x1b[0m": "not a URL", "https://x/\u202e": "not a URL",
	} {
		_, err := Profile{}.CheckURL(text)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		} else if strings.Contains(err.Error(), "private_key") {
			t.Errorf("the error repeats the key: %v", err)
		}
	}
}

func TestHostedPreset(t *testing.T) {
	for id, want := range map[string]string{
		"": "", "demo": "https://ik.imagekit.io/demo", " /demo/ ": "https://ik.imagekit.io/demo",
		"https://media.example.com/x/": "https://media.example.com/x", "a b": "https://ik.imagekit.io/a%20b",
	} {
		p, err := HostedPreset("ik", id).clean()
		if err != nil || p.DeliveryURL != want || p.Kind != KindHosted || p.ColorOption != ColorAmerican ||
			p.MaxSize != 25_000_000 {
			t.Errorf("%q: %+v, %v", id, p, err)
		}
	}
}

func TestCheckProfileName(t *testing.T) {
	for _, good := range []string{"a", "Work-2_x", strings.Repeat("x", 64)} {
		must(t, CheckProfileName(good))
	}
	for _, bad := range []string{"", "a b", "a.b", "é", "a/b", "a\n", strings.Repeat("x", 65), ".."} {
		mediatest.Equal(t, CheckProfileName(bad) == nil, false, "%q was accepted", bad)
	}
}

// TestByteOrderMark: editors of Windows begin a file with a byte order mark.
func TestByteOrderMark(t *testing.T) {
	c := load(t, home(t, "\ufeff# settings\nTheme = \"dark\"\n"))
	if c.Theme != ThemeDark || c.SetIn("theme") != "set in config.toml line 2" {
		t.Errorf("%q, %q", c.Theme, c.SetIn("theme"))
	}
}
