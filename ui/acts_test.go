package ui

import (
	"slices"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// furtherScenes are further screen states with other actions.
var furtherScenes = []scene{
	{"picker, contact sheet", after("picker", "t")},
	{"picker, tray", after("picker", "tab")},
	{"form, name", after("form", "shift+tab")},
	{"form, extensions", after("form", "tab", "tab")},
	{"form, existing", after("form", "tab", "tab", "tab")},
	{"uploads, earlier ones", after("uploads", "j", "j", "j")},
	{"extensions, a failed one", after("extensions", "j")},
	{"library, sheet", after("library", "down", "t")},
	{"library, a file", after("library", "down")},
	{"details, tags", after("details", "e")},
	{"details, region", after("details", "tab", "tab")},
	{"settings, another account", after("settings", "j")},
	{"settings, program", after("settings", "tab")},
	{"settings, files", after("settings", "tab", "tab")},
}

// after returns a scene setup that presses more keys.
func after(name string, keys ...string) func(*stage) {
	return func(s *stage) {
		for _, sc := range scenes {
			if sc.name == name {
				sc.play(s)
			}
		}
		s.press(keys...)
	}
}

// formLosingTags opens the form for a stored file whose tags would be lost, then presses keys.
func formLosingTags(keys ...string) func(*stage) {
	return func(s *stage) {
		s.press("/", "h", "a", "r", "b", "enter", "space", "u")
		s.waitFor("Stored as", "Checks")
		s.press("shift+tab", "down", "right", "right")
		s.waitFor("Looked up", "Press k")
		s.press(keys...)
		s.waitForAction("keep what would be lost")
	}
}

// play plays a scene in a new program.
func (s *stage) play(sc scene) {
	s.t.Helper()
	s.fresh()
	s.waitFor("logo.png", "Extensions ◐1")
	s.m.messages.Dismiss() // messages about the uploads before the scene
	sc.play(s)
}

// works presses a key and reports whether it changed the screen or returned a command. It does not
// run the command.
func (s *stage) works(k string) bool {
	s.m.View() // a screen may learn its size when it is drawn
	before := s.m.View()
	cmd := s.m.input(kit.KeyMsg(k))
	now := s.m.View()
	return cmd != nil || now.Content != before.Content
}

// TestEveryActionWorks: every key of an enabled action in the help, the palette or the hints does something,
// and every disabled action has a reason.
func TestEveryActionWorks(t *testing.T) {
	s := newStage(t)
	defer s.end()
	pressed := 0
	for i, sc := range append(slices.Clone(scenes), furtherScenes...) {
		further := i >= len(scenes)
		if sc.name == "help" || further && mediatest.Racing {
			continue // its rows are the actions of the screen below
		}
		s.play(sc)
		before := s.m.View().Content
		s.press("f12")
		if s.m.View().Content != before {
			t.Errorf("%s: a key without an action does something", sc.name)
		}
		front, capturing := s.m.host.Front(), s.m.host.Capturing()
		var offered []offer
		for _, a := range s.m.host.Actions() {
			offered = append(offered, offer{a, a.Reason()})
		}
		for _, a := range offered {
			words, keys := a.Label(), a.Keys.Keys()
			if a.Group == everywhere && further {
				continue // already pressed on this screen
			}
			if capturing && (a.reason != "" || a.Group == everywhere && len(keys[0]) == 1) {
				continue // the key is text there, as the help says
			}
			if mediatest.Racing || further {
				keys = keys[:1]
			}
			for _, k := range keys {
				if k == "esc" && a.reason != "" {
					continue // with nothing open, esc does nothing
				}
				pressed++
				if !s.presses(sc, front, a, k) {
					t.Errorf("%s: %s does nothing, but is shown as %q (disabled reason %q):\n%s", sc.name, k, words, a.reason, s.screen())
				}
			}
		}
	}
	t.Logf("%d keys pressed", pressed)
	if pressed < 150 {
		t.Errorf("only %d keys were pressed", pressed)
	}
}

// offer is an action with its disabled reason at the time, because the model moves on.
type offer struct {
	kit.Action
	reason string
}

// presses reports whether the key of an action works now, or after the scene is played again. A key
// that moves the cursor to where it is does nothing, so the cursor is moved first.
func (s *stage) presses(sc scene, front page.ID, a offer, k string) bool {
	s.t.Helper()
	words := a.Label()
	over := sc.name == "dialog"
	same := func() bool {
		return s.m.host.Front() == front && (s.m.host.Overlays.Top() != nil) == over && slices.ContainsFunc(s.m.host.Actions(), func(b kit.Action) bool {
			return b.Label() == words && (b.Reason() == "") == (a.reason == "")
		})
	}
	if same() && s.works(k) {
		return true
	}
	for _, before := range [][]string{nil, {"down"}, {"down", "down"}, {"up"}, {"tab"}, {"right"}, {"end"}} {
		s.play(sc)
		s.press(before...)
		if same() && s.works(k) {
			return true
		}
	}
	return false
}

// TestPaletteRunsFromATextField: the palette runs its actions also while a text field has the focus.
func TestPaletteRunsFromATextField(t *testing.T) {
	s := newStage(t)
	defer s.end()
	s.play(scene{play: after("details", "e")})
	if !s.m.host.Capturing() {
		t.Fatalf("no text field has the focus:\n%s", s.screen())
	}
	s.press("f1")
	for _, r := range "go to uploads" {
		s.press(string(r))
	}
	s.press("enter")
	if s.m.host.Front() != page.Uploads {
		t.Errorf("the wrong screen is in front:\n%s", s.screen())
	}
}

// TestOwnKeysWork: the user's keys run their actions on every screen, whatever the current labels are,
// and the default keys no longer work.
func TestOwnKeysWork(t *testing.T) {
	own := []KeySetting{
		{"upload files", []string{"f7"}},
		{"go to Library", []string{"f8"}},
		{"keep what would be lost", []string{"f9"}},
		{"clear the tray", []string{"X"}},
		{"show failed", []string{"f10"}},
	}
	if at, err := CheckKeys(own); err != nil {
		t.Fatal(at, err)
	}
	for _, c := range []struct {
		name        string
		from        func(*stage)
		usual, ours string
		then        string // shown on the screen afterwards
	}{
		{"the form for two files", after("picker"), "u", "f7", "Stored as"},
		{"the library", after("picker"), "4", "f8", "Folder      /summer/"},
		{"the tray", after("picker", "tab"), "D", "X", "Tray: nothing picked yet"},
		{"what is lost, by letters", formLosingTags(), "k", "f9", "Its 2 tags are kept"},
		{"what is lost, in a text field", formLosingTags("up"), "ctrl+g", "f9", "Its 2 tags are kept"},
		{"a status of the runs", after("extensions"), "f", "f10", "showing pending only"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t) // the next program restores a changed form
			defer s.end()
			s.play(scene{play: c.from})
			if !s.works(c.usual) {
				t.Errorf("%s does nothing:\n%s", c.usual, s.screen())
			}
		})
		t.Run(c.name+", own key", func(t *testing.T) {
			s := newStage(t)
			defer s.end()
			s.play(scene{play: c.from})
			s.m.host.Keys = keysByID(own)
			if s.works(c.usual) {
				t.Errorf("%s still does something:\n%s", c.usual, s.screen())
			}
			s.press(c.ours)
			s.waitFor(c.then)
		})
	}
}

// TestHintsAreActions: the hints show only actions that the help has.
func TestHintsAreActions(t *testing.T) {
	s := newStage(t)
	defer s.end()
	for _, sc := range append(slices.Clone(scenes), furtherScenes...) {
		s.play(sc)
		if s.m.host.Overlays.Top() != nil {
			continue
		}
		lines := strings.Split(s.screen(), "\n")
		hints := lines[len(lines)-1]
		for _, a := range s.m.host.Actions() {
			if words := a.KeyLabel() + " " + a.Label(); a.Footer && a.Reason() == "" {
				hints = strings.Replace(hints, words, "", 1)
			}
		}
		if rest := strings.TrimSpace(hints); rest != "" {
			t.Errorf("%s: the hints have %q, which is not an action", sc.name, rest)
		}
	}
}
