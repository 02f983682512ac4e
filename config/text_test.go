package config

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"
)

// comments lists the comments of a text, without those inside a value.
func comments(text string) []string {
	places := scan(text)
	var found []string
	at := 0
	for line := range strings.Lines(text) {
		start := at
		at += len(line)
		inside := false
		for _, e := range places {
			if !e.header && start >= e.start && start < e.end {
				inside = true
				// A comment behind the value.
				if at == e.end {
					found = append(found, strings.TrimSpace(text[max(e.valueEnd, start):at]))
				}
			}
		}
		if trimmed := strings.TrimSpace(line); !inside && trimmed != "" {
			found = append(found, trimmed)
		}
	}
	return found
}

// Whatever way a valid file is written in, an edit gives what was asked for, keeps the comments, and
// a second time changes nothing.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{
		"", "#", "# c", fullFile, DefaultText(), "theme='dark'#x", "theme = \"\"\"\ndark\"\"\"", "\"theme\"=\"dark\"", "'theme' = 'dark'\r\n",
		"profiles.w.base_url = 'https://x' # [\n", "webhook = { listen = '127.0.0.1:1' }", "bookmarks = [ '/a', # ]\n \"/b\\\"\" ]",
		"[ local . \"commands\" ]\nx = ['a']", "[profiles]\n[profiles.w]\nupload_url='https://u'\nbase_url='https://b'\n[profiles.local]\n",
		"[local.commands]\n\"\" = ['']", "bookmarks = ['''/a''''', \"\"\"/b\\\"\"\"\"\"]", "\ufefftheme = 'dark'", "theme = 'dark' \t", "concurrency = 0x10",
		"local.commands.a = ['x']\nlocal.commands.b = ['y']", "[local]\ncommands.a = ['x']\n[webhook]", "profiles = {}", "profiles.local = {}",
	} {
		f.Add(seed, "w", "/folder")
	}
	f.Fuzz(func(t *testing.T, text, name, value string) {
		before, err := parse("x", text)
		if err != nil {
			return
		}
		if raw, err := decodeMap(text); err != nil || !samePlaces(scan(text), raw) {
			t.Fatalf("the keys of %q are not found: %v", text, err)
		}
		edits := [][]change{
			{{key: []string{"theme"}, value: "light"}},
			{{key: []string{"concurrency"}, value: int64(4)}},
			{{key: []string{"webhook", "listen"}, value: "127.0.0.1:5"}},
		}
		if encodable(name) && encodable(value) && name != "" {
			edits = append(edits,
				[]change{{key: []string{"local", "commands", name}, value: []string{"cmd", value}}},
				[]change{{key: []string{"bookmarks"}, value: []string{value}}},
				[]change{{key: []string{"profiles", "local", "folder"}, value: value}})
		}
		for name := range before.Profiles {
			edits = append(edits, []change{{key: []string{"profiles", name, "folder"}, value: "/there"}})
		}
		for _, edit := range edits {
			after, err := apply(text, edit)
			if err != nil {
				t.Fatalf("%q cannot be set in %q: %v", edit[0].key, text, err)
			}
			if again, err := apply(after, edit); err != nil || again != after {
				t.Fatalf("%q set twice in %q: %q, then %q, %v", edit[0].key, text, after, again, err)
			}
			if had, has := comments(text), comments(after); !contains(has, had) {
				t.Fatalf("setting %q in %q lost a comment: %q", edit[0].key, text, after)
			}
			if _, err := apply(after, []change{{key: edit[0].key}}); err != nil {
				t.Fatalf("%q cannot be taken out of %q: %v", edit[0].key, after, err)
			}
		}
		for name := range before.Profiles {
			if after, err := apply(text, []change{{key: []string{"profiles", name}}}); err != nil {
				t.Fatalf("profile %q cannot be removed from %q: %v", name, text, err)
			} else if c, err := parse("x", after); err == nil && name != LocalProfile && len(c.Profiles) != len(before.Profiles)-1 {
				t.Fatalf("profile %q is still in %q", name, after)
			}
		}
	})
}

// contains says that all of part is in whole, in this order.
func contains(whole, part []string) bool {
	for _, item := range whole {
		if len(part) > 0 && item == part[0] {
			part = part[1:]
		}
	}
	return len(part) == 0
}

// samePlaces says that each value in a tree can be read where the scanner says that it is.
func samePlaces(places []entry, raw map[string]any) bool {
	found := map[string]any{}
	for _, e := range places {
		if !e.header {
			put(found, e.key, true)
		}
	}
	var same func(found, raw map[string]any) bool
	same = func(found, raw map[string]any) bool {
		for key, value := range raw {
			mark, ok := found[key]
			inner, isTable := value.(map[string]any)
			if marked, deeper := mark.(map[string]any); ok && isTable && deeper {
				if !same(marked, inner) {
					return false
				}
			} else if !ok && (!isTable || len(prune(inner)) > 0) {
				return false
			}
		}
		return true
	}
	return same(found, raw)
}

// Loading never panics and gives either settings or an error that says where.
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
		if err == nil && c.Concurrency < 1 {
			t.Fatalf("bad settings were taken: %+v", c)
		}
	})
}

func TestEncodeStringReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.String().Draw(t, "text")
		var got struct{ V string }
		if err := toml.Unmarshal([]byte("v = "+encodeString(want)), &got); err != nil || got.V != want {
			t.Fatalf("%q came back as %q: %v", want, got.V, err)
		}
	})
}

// Any profile that is accepted is read back as it was set, in any order of edits.
func TestProfilesReadBack(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		file := rapid.StringMatching(`[a-z]{12}`).Draw(t, "file")
		c := defaults(dir + "/" + file + ".toml")
		if loaded, err := Load(Paths{Config: c.Path}); err == nil {
			c = loaded
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
				Naming:     rapid.SampledFrom([]Naming{"", NamingOff, NamingHere}).Draw(t, "naming"),
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
		got, err := Load(Paths{Config: c.Path})
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
