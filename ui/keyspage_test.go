package ui

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// actionsByScreen are the actions that the screens offer in any of the states that
// the tests know, and under "Everywhere" those of all screens.
func actionsByScreen(t *testing.T) (names []string, actions map[string][]kit.Action) {
	s := newStage(t)
	defer s.end()
	titles := map[page.ID]string{
		page.Picker: "Pick", page.Form: "Upload form", page.Uploads: "Uploads", page.Extensions: "Extensions",
		page.Library: "Library", page.Details: "Details", page.Settings: "Settings",
	}
	actions = map[string][]kit.Action{}
	for _, sc := range append(slices.Clone(scenes), more...) {
		s.enter(sc)
		title, known := titles[s.m.host.Front()]
		if !known || s.m.host.Covered() || s.m.host.Capturing() {
			continue
		}
		for _, a := range s.m.host.Actions() {
			name := title
			if a.Group == everywhere {
				name = everywhere
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			if !slices.ContainsFunc(actions[name], func(b kit.Action) bool { return b.ID == a.ID && b.KeyLabel() == a.KeyLabel() }) {
				actions[name] = append(actions[name], a)
			}
		}
	}
	return names, actions
}

// keySigns are the keys as docs/keys.md has them, by how bindings name them.
var keySigns = map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "pgdn", "f1": "F1", "f2": "F2"}

func keySign(k string) string {
	if sign, ok := keySigns[k]; ok {
		return sign
	}
	return k
}

// TestKeysPage: docs/keys.md has every key of every screen. After a change:
// go test ./ui -run TestKeysPage -update.
func TestKeysPage(t *testing.T) {
	const file, begin, end = "../docs/keys.md", "<!-- keys, made by: go test ./ui -run TestKeysPage -update -->\n", "<!-- end of keys -->\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	have, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the keys, %q to %q", file, begin, end)
	}
	names, actions := actionsByScreen(t)
	bound := map[string]bool{
		"ctrl+c": true, // the root takes it before anything else
		"ctrl+g": true, // of the form, where sending would take something away
	}
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "\n**%s**: ", name)
		for i, a := range actions[name] {
			if i > 0 {
				b.WriteString(" · ")
			}
			b.WriteString(a.Label())
			for _, k := range a.Keys.Keys() {
				bound[k] = true
				b.WriteString(" `" + keySign(k) + "`")
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	if want := b.String(); have != want {
		if f := flag.Lookup("update"); f == nil || f.Value.String() != "true" {
			t.Errorf("the keys of %s are not those of the screens: go test ./ui -run TestKeysPage -update", file)
		} else if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	// The table of the most wanted keys is by hand: each of them is among those.
	_, table, _ := strings.Cut(before, "## The most important keys\n")
	table, _, _ = strings.Cut(table, "\n`esc` is always")
	signs := map[string]string{}
	for k := range bound {
		signs[keySign(k)] = k
	}
	shown := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(table, -1)
	if len(shown) < 40 {
		t.Fatalf("only %d keys in the table", len(shown))
	}
	for _, k := range shown {
		if signs[k[1]] == "" && !strings.HasPrefix(k[1], "$") {
			t.Errorf("%s has the key %s, which no screen has", file, k[1])
		}
	}
}
