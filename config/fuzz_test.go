package config

import (
	"bytes"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
)

// FuzzLoad: loading never panics, and returns settings or an error with a position.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(fullFile))
	f.Add([]byte("[profiles.w]\nkind = 1"))
	f.Add([]byte("[[local]]\n[[profiles.w]]"))
	f.Add([]byte("a.b.c = [[{}]]\nprofile = 1979-05-27"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parse("config.toml", string(data))
		if c.Profiles[LocalProfile].Kind != KindLocal || c.Current().Name == "" {
			t.Fatalf("no profile in use: %+v", c)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "config.toml") {
			t.Fatalf("the error does not name the file: %v", err)
		}
		if err == nil && c.Concurrency < 0 {
			t.Fatalf("bad settings were accepted: %+v", c)
		}
	})
}

// FuzzPlaces: every key of a valid file has its line, in any notation.
func FuzzPlaces(f *testing.F) {
	for _, seed := range []string{
		"", "#", "# c", fullFile, defaultText, "theme='dark'#x", "theme = \"\"\"\ndark\"\"\"", "\"theme\"=\"dark\"", "'theme' = 'dark'\r\n",
		"profiles.w.base_url = 'https://x' # [\n", "webhook = { listen = '127.0.0.1:1' }", "bookmarks = [ '/a', # ]\n \"/b\\\"\" ]",
		"[ local . \"commands\" ]\nx = ['a']", "[profiles]\n[profiles.w]\nupload_url='https://u'\nbase_url='https://b'\n[profiles.local]\n",
		"[local.commands]\n\"\" = ['']", "bookmarks = ['''/a''''', \"\"\"/b\\\"\"\"\"\"]", "\ufefftheme = 'dark'", "theme = 'dark' \t", "concurrency = 0x10",
		"local.commands.a = ['x']\nlocal.commands.b = ['y']", "[local]\ncommands.a = ['x']\n[webhook]", "profiles = {}", "profiles.local = {}",
		"profiles = { w = {\n upload_url = 'https://u' } }",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d := document{text: text}
		if d.parse() != nil {
			return
		}
		var check func(values map[string]any, table []string)
		check = func(values map[string]any, table []string) {
			for name, value := range values {
				key := append(slices.Clone(table), name)
				if inner, ok := value.(map[string]any); ok {
					check(inner, key)
				}
				if line := lineOf(d.places, key); line < 1 || line > 1+bytes.Count(text, []byte("\n")) {
					t.Fatalf("%q is in line %d of %q", key, line, text)
				} else if _, table := value.(map[string]any); !table && !slices.ContainsFunc(d.places, func(p place) bool { return slices.Equal(p.key, key) }) {
					t.Fatalf("%q was not found in %q", key, text)
				}
			}
		}
		check(d.values, nil)
	})
}

// TestProfilesReadBack: an accepted profile reads back as it was set, in any order of edits.
func TestProfilesReadBack(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		paths := FindPaths(env("MEDIADESK_HOME", filepath.Join(dir, rapid.StringMatching(`[a-z]{12}`).Draw(t, "home"))))
		c, err := Load(paths)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]Profile{}
		for name, p := range c.Profiles {
			want[name] = p
		}
		for range rapid.IntRange(1, 4).Draw(t, "edits") {
			p := Profile{
				Name: rapid.SampledFrom([]string{"a", "b", "c-1"}).Draw(t, "name"), Kind: rapid.SampledFrom([]Kind{KindHosted, KindOwn}).Draw(t, "kind"),
				UploadURL: "https://u/" + rapid.StringMatching(`[a-z]{0,3}`).Draw(t, "upload"), BaseURL: "https://b",
				MaxSize: rapid.Int64Range(0, 3).Draw(t, "size"), Folder: rapid.SampledFrom([]string{"", "/x", "/é \"q\""}).Draw(t, "folder"),
				Tags:       rapid.SliceOfN(rapid.SampledFrom([]string{"t", "ü", `a"b\`}), 0, 3).Draw(t, "tags"),
				Naming:     rapid.SampledFrom([]api.Naming{"", api.NameExact, api.NameHere}).Draw(t, "naming"),
				KeyCommand: rapid.SliceOfN(rapid.SampledFrom([]string{"pass", "", "#"}), 0, 2).Draw(t, "command"),
			}
			clean, err := p.clean()
			next, setErr := c.SetProfile(p)
			if (err == nil) != (setErr == nil) {
				t.Fatalf("%+v: %v but %v", p, err, setErr)
			}
			if err == nil {
				want[p.Name], c = clean, next
			}
		}
		got, err := Load(paths)
		if err != nil {
			t.Fatal(err)
		}
		for name, p := range want {
			g := got.Profiles[name]
			if len(g.Tags) == 0 && len(p.Tags) == 0 {
				g.Tags, p.Tags = nil, nil
			}
			if len(g.KeyCommand) == 0 && len(p.KeyCommand) == 0 {
				g.KeyCommand, p.KeyCommand = nil, nil
			}
			if !reflect.DeepEqual(g, p) {
				t.Fatalf("%s: got %+v, want %+v", name, g, p)
			}
		}
	})
}
