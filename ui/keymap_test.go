package ui

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
)

func TestCheckKeys(t *testing.T) {
	t.Parallel()
	type keys = map[string][]string
	for name, c := range map[string]struct {
		keys     keys
		at, says string
	}{
		"none":        {nil, "", ""},
		"free":        {keys{"picker.filter": {"ctrl+g", "f7"}}, "", ""},
		"unknown":     {keys{"fliter": {"f7"}}, "fliter", "no action"},
		"no key":      {keys{"picker.filter": nil}, "picker.filter", "no key"},
		"not a key":   {keys{"picker.filter": {"hyper+q"}}, "picker.filter", "is no key"},
		"reserved":    {keys{"picker.filter": {"ctrl+c"}}, "picker.filter", "must keep its meaning"},
		"no terminal": {keys{"picker.filter": {"ctrl+m"}}, "picker.filter", "must keep its meaning"},
		"of a part":   {keys{"picker.clear-tray": {"f7"}}, "", ""},
	} {
		at, err := CheckKeys(c.keys)
		if at != c.at || (err == nil) != (c.says == "") ||
			err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: setting %q, %v; want %q, %q", name, at, err, c.at, c.says)
		}
	}
}

// TestUsualKeysDoNotClash: the default keys of a part do not clash, with three exceptions. Enter
// draws a region if there is a picture, and goes on otherwise. The key for sending goes to what blocks
// it. A picture that fills the screen takes its keys before the program does.
func TestUsualKeysDoNotClash(t *testing.T) {
	t.Parallel()
	for part, actions := range catalog() {
		has := map[string]kit.Action{}
		for _, a := range actions {
			for _, k := range a.Keys.Keys() {
				if other, taken := has[k]; taken && other.ID != a.ID && other.ID != "form.draw-region" &&
					!strings.HasPrefix(other.ID, "viewer.") {
					t.Errorf("%s: %s is the key of %q and of %q", part, k, other.ID, a.ID)
				}
				has[k] = a
			}
		}
	}
}

// actionsByScreen returns the actions that the screens offer in any state that the tests know. The
// actions of all screens are under "Everywhere". It checks that each can get another key by its ID, and
// that the hints show only actions.
func actionsByScreen(t *testing.T) (names []string, actions map[string][]kit.Action) {
	s := newStage(t)
	defer s.end()
	actions = map[string][]kit.Action{}
	for _, sc := range append(slices.Clone(scenes), furtherScenes...) {
		s.play(sc)
		s.requireHints(sc.name)
		title := screenOf(s.m.host.Front()).Title // without the welcome screen
		if title == "" || s.m.host.Covered() || s.m.host.Capturing() {
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
			if _, err := CheckKeys(map[string][]string{a.ID: {"f11"}}); err != nil {
				t.Errorf("%s: %q: %v", name, a.Label(), err)
			}
			if !slices.ContainsFunc(actions[name], func(b kit.Action) bool {
				return b.ID == a.ID && b.KeyLabel() == a.KeyLabel()
			}) {
				actions[name] = append(actions[name], a)
			}
		}
	}
	return names, actions
}

func (s *stage) requireHints(scene string) {
	if s.m.host.Overlays.Top() != nil {
		return
	}
	lines := strings.Split(s.screen(), "\n")
	hints := lines[len(lines)-1]
	for _, a := range s.m.host.Actions() {
		if words := a.KeyLabel() + " " + cmp.Or(a.Short, a.Label()); a.Footer && a.Reason() == "" {
			hints = strings.Replace(hints, words, "", 1)
		}
	}
	if rest := strings.TrimSpace(hints); rest != "" {
		s.t.Errorf("%s: the hints have %q, which is not an action", scene, rest)
	}
}

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
	"library.back": "step back", "library.mark-range": "mark a range", "library.mark": "mark",
}

// TestKeysPage: docs/keys.md has every key of every screen. After a change run
// go test ./ui -run TestKeysPage -update.
func TestKeysPage(t *testing.T) {
	mediatest.SkipRacing(t)
	if !updating() {
		mediatest.OnlyWithEverything(t)
	}
	t.Parallel()
	const file, begin, end = "../docs/keys.md", "<!-- keys, made by: go test ./ui -run TestKeysPage -update -->\n", "<!-- end of keys -->\n"
	text, err := os.ReadFile(file)
	must(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	have, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no markers %q and %q for the keys", file, begin, end)
	}
	names, actions := actionsByScreen(t)
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "\n**%s**: ", name)
		for i, a := range actions[name] {
			if i > 0 {
				b.WriteString(" · ")
			}
			b.WriteString(cmp.Or(general[a.ID], a.Label()))
			for _, k := range a.Keys.Keys() {
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
}
