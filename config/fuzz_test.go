package config

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

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
		var values map[string]any
		if toml.Unmarshal(text, &values) != nil {
			return
		}
		places := findPlaces(text)
		var check func(values map[string]any, table []string)
		check = func(values map[string]any, table []string) {
			for name, value := range values {
				key := append(slices.Clone(table), name)
				key[0] = strings.ToLower(key[0])
				if inner, ok := value.(map[string]any); ok {
					check(inner, key)
				}
				if line := lineOf(places, key); line < 1 || line > 1+bytes.Count(text, []byte("\n")) {
					t.Fatalf("%q is in line %d of %q", key, line, text)
				} else if _, table := value.(map[string]any); !table &&
					!slices.ContainsFunc(places, func(p place) bool { return slices.Equal(p.key, key) }) {
					t.Fatalf("%q was not found in %q", key, text)
				}
			}
		}
		check(values, nil)
	})
}
