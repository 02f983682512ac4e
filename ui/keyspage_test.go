package ui

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// actionsByScreen returns the actions that the screens offer in any state that the tests know. The
// actions of all screens are under "Everywhere".
func actionsByScreen(t *testing.T) (names []string, actions map[string][]kit.Action) {
	s := newStage(t)
	defer s.end()
	titles := map[page.ID]string{
		page.Picker: "Pick", page.Form: "Upload form", page.Uploads: "Uploads", page.Extensions: "Extensions",
		page.Library: "Library", page.Details: "Details", page.Settings: "Settings",
	}
	actions = map[string][]kit.Action{}
	for _, sc := range append(slices.Clone(scenes), furtherScenes...) {
		s.play(sc)
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

// keySigns maps the names of keys in bindings to those in docs/keys.md.
var keySigns = map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "pgdn", "f1": "F1", "f2": "F2"}

func keySign(k string) string {
	if sign, ok := keySigns[k]; ok {
		return sign
	}
	return k
}

// general are the labels of actions whose labels on the screen depend on its state.
var general = map[string]string{
	"picker.upload": "upload form", "picker.open": "open", "picker.clear": "clear filter, range, tray", "picker.range": "begin or pick a range",
	"library.clear": "clear filter, range, search, marks",
}

// TestKeysPage: docs/keys.md has every key of every screen. After a change run
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
		t.Fatalf("%s has no markers %q and %q for the keys", file, begin, end)
	}
	names, actions := actionsByScreen(t)
	bound := map[string]bool{
		"ctrl+c": true, // the root handles it first
		"ctrl+g": true, // only in the form, if sending would remove something
	}
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "\n**%s**: ", name)
		for i, a := range actions[name] {
			if i > 0 {
				b.WriteString(" · ")
			}
			b.WriteString(cmp.Or(general[a.ID], a.Label()))
			for _, k := range a.Keys.Keys() {
				bound[k] = true
				b.WriteString(" `" + keySign(k) + "`")
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	if want := b.String(); have != want {
		if !updating() {
			t.Errorf("%s does not have the keys of the screens: run go test ./ui -run TestKeysPage -update", file)
		} else if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	// The table of the most important keys is written by hand. Each of its keys must exist.
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
