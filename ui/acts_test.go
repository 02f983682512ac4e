package ui

import (
	"slices"
	"strings"
	"testing"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// more are further screen states with other actions.
var more = []scene{
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

// after is a scene that goes on with keys.
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

// losing opens the form for a stored file whose tags would be lost, then presses keys.
func losing(keys ...string) func(*stage) {
	return func(s *stage) {
		s.press("/", "h", "a", "r", "b", "enter", "space", "u")
		s.until("Stored as", "Checks")
		s.press("shift+tab", "down", "right", "right")
		s.until("Looked up", "Press k")
		s.press(keys...)
		s.offered("keep what would be lost")
	}
}

// enter plays a scene on a program of its own.
func (s *stage) enter(sc scene) {
	s.t.Helper()
	s.fresh()
	s.until("logo.png", "Extensions ◐1")
	s.m.messages.Dismiss() // how the uploads before the scene ended
	sc.play(s)
}

// works presses a key and reports whether it changed the screen or returned a command. It does not run the command.
func (s *stage) works(k string) bool {
	s.m.View() // what is drawn first may tell a screen its size
	before := s.m.View()
	cmd := s.m.input(kit.KeyMsg(k))
	now := s.m.View()
	return cmd != nil || now.Content != before.Content
}

// Every key of an enabled action in the help, the palette or the hints does something, and every disabled action gives a reason.
func TestEveryActionWorks(t *testing.T) {
	s := newStage(t)
	defer s.end()
	pressed := 0
	for i, sc := range append(slices.Clone(scenes), more...) {
		further := i >= len(scenes)
		if sc.name == "help" || further && racing {
			continue // its rows are the acts of the screen below
		}
		s.enter(sc)
		before := s.m.View().Content
		s.press("f12")
		if s.m.View().Content != before {
			t.Errorf("%s: a key without an act does something", sc.name)
		}
		front, capturing := s.m.host.Front(), s.m.host.Capturing()
		var offered []offer
		for _, a := range s.m.host.Actions() {
			offered = append(offered, offer{a, a.Reason()})
		}
		for _, a := range offered {
			words, keys := a.Label(), a.Keys.Keys()
			if a.Group == everywhere && further {
				continue // they were pressed on this screen already
			}
			if capturing && (a.reason != "" || a.Group == everywhere && len(keys[0]) == 1) {
				continue // the key is text there, as the help says
			}
			if racing || further {
				keys = keys[:1]
			}
			for _, k := range keys {
				if k == "esc" && a.reason != "" {
					continue // with nothing open, esc does nothing
				}
				pressed++
				if !s.presses(sc, front, a, k) {
					t.Errorf("%s: %s does nothing, and stands there as %q (%s):\n%s", sc.name, k, words, a.reason, s.screen())
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

// presses tells whether the key of an act does something, or says why it cannot:
// where the program is just now, else in the scene. What goes to where the cursor
// is already does nothing there: the cursor is moved before.
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
		s.enter(sc)
		s.press(before...)
		if same() && s.works(k) {
			return true
		}
	}
	return false
}

// The palette runs what it shows, also where letters are text.
func TestPaletteRunsFromATextField(t *testing.T) {
	s := newStage(t)
	defer s.end()
	s.enter(scene{play: after("details", "e")})
	if !s.m.host.Capturing() {
		t.Fatalf("no text field has the keys:\n%s", s.screen())
	}
	s.press("f1")
	for _, r := range "go to uploads" {
		s.press(string(r))
	}
	s.press("enter")
	if s.m.host.Front() != page.Uploads {
		t.Errorf("in front is\n%s", s.screen())
	}
}

// The user's keys run their actions on every screen, whatever the current labels, and the default keys no longer work.
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
		then        string // what is on the screen after it
	}{
		{"the form for two files", after("picker"), "u", "f7", "Stored as"},
		{"the library", after("picker"), "4", "f8", "Folder      /summer/"},
		{"the tray", after("picker", "tab"), "D", "X", "Tray: nothing picked yet"},
		{"what is lost, by letters", losing(), "k", "f9", "Its 2 tags are kept"},
		{"what is lost, in a text field", losing("up"), "ctrl+g", "f9", "Its 2 tags are kept"},
		{"a status of the runs", after("extensions"), "f", "f10", "showing pending only"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t) // a form that was changed comes back in the next program
			defer s.end()
			s.enter(scene{play: c.from})
			if !s.works(c.usual) {
				t.Errorf("%s does nothing:\n%s", c.usual, s.screen())
			}
		})
		t.Run(c.name+", own key", func(t *testing.T) {
			s := newStage(t)
			defer s.end()
			s.enter(scene{play: c.from})
			s.m.host.Keys = keysByID(own)
			if s.works(c.usual) {
				t.Errorf("%s still does something:\n%s", c.usual, s.screen())
			}
			s.press(c.ours)
			s.until(c.then)
		})
	}
}

// The hints offer nothing that the help does not have.
func TestHintsAreActions(t *testing.T) {
	s := newStage(t)
	defer s.end()
	for _, sc := range append(slices.Clone(scenes), more...) {
		s.enter(sc)
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
			t.Errorf("%s: the hints have %q, which is no act", sc.name, rest)
		}
	}
}
