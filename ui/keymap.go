package ui

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/screen/details"
	"mediadesk/ui/screen/extensions"
	"mediadesk/ui/screen/library"
	"mediadesk/ui/screen/picker"
	"mediadesk/ui/screen/settings"
	"mediadesk/ui/screen/upload"
	"mediadesk/ui/screen/uploads"
)

// KeySetting gives an act, by its name or its words in the help, keys of the
// person's own in the place of the usual ones.
type KeySetting struct {
	Act  string
	Keys []string
}

// reserved are keys that terminals send for others, or that must always work.
var reserved = []string{"ctrl+c", "ctrl+h", "ctrl+i", "ctrl+j", "ctrl+m", "ctrl+[", "esc"}

// catalogue are the acts of each screen in its ordinary state, and those that
// hold everywhere.
func catalogue() map[string][]kit.Act {
	screens := map[string]page.Screen{
		"picker":     picker.New(picker.Options{}),
		"uploads":    uploads.New(uploads.Options{}),
		"extensions": extensions.New(extensions.Options{}),
		"library":    library.New(library.Options{}),
		"settings":   settings.New(settings.Options{}),
		"details":    details.New(details.Options{Files: []api.File{{}}}),
		"form":       upload.New(upload.Options{Sources: []api.Source{{Path: "x"}}}),
	}
	all := map[string][]kit.Act{}
	var everywhere []kit.Act
	for _, b := range []key.Binding{global.help, global.palette, global.quit, global.suspend, global.next, global.previous, global.detail, global.twin} {
		everywhere = append(everywhere, kit.Act{Binding: b})
	}
	for i, t := range page.Tabs {
		n := string(rune('1' + i))
		everywhere = append(everywhere, kit.Act{Binding: kit.Bind("go to "+t.Name, n, n)})
	}
	for name, s := range screens {
		all[name] = append(s.Acts(), everywhere...)
	}
	for name, states := range map[string]map[string][]kit.Act{
		"picker": picker.Further(), "form": upload.Further(), "library": library.Further(),
		"details": details.Further(), "settings": settings.Further(),
	} {
		for state, acts := range states {
			all[name+", "+state] = append(acts, everywhere...)
		}
	}
	return all
}

// otherNames are names that acts have in the settings files of people besides
// [kit.Act.Name]: their words in one of their states, and what they were called
// before.
var otherNames = map[string]string{
	"upload files": "upload form", "edit files": "edit details",
	"whole error": "more about it", "details": "more about it",
	"go on": "pause", "go on with all": "pause all",
	"show all": "show by status", "show pending": "show by status", "show success": "show by status",
	"show failed": "show by status", "show without news": "show by status",
	"part before": "previous part", "a page down": "page down", "a page up": "page up",
}

// counted is how many files an act is about just now.
var counted = regexp.MustCompile(`\d[\d,]* files?`)

// actName is the name of the act that a settings file calls so.
func actName(words string) string {
	words = counted.ReplaceAllString(words, "files")
	if name, ok := otherNames[words]; ok {
		return name
	}
	return words
}

// named are the settings by the names that their acts have.
func named(list []KeySetting) []KeySetting {
	list = slices.Clone(list)
	for i, s := range list {
		list[i].Act = actName(s.Act)
	}
	return list
}

// CheckKeys says which of the settings cannot hold, and why: an act that does
// not exist, a key that cannot be used, or one that another act of the same
// screen has. The index is -1 and the error nil where all can.
func CheckKeys(list []KeySetting) (index int, err error) {
	if len(list) == 0 {
		return -1, nil
	}
	written := list
	list = named(list)
	own := map[string][]string{}
	for i, s := range list {
		if _, twice := own[s.Act]; twice {
			return i, fmt.Errorf("%q has keys already, by a line above: give all of them in one", written[i].Act)
		}
		own[s.Act] = s.Keys
	}
	all := catalogue()
	screens := []string{"picker", "form", "uploads", "extensions", "library", "details", "settings"}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(screens, name) {
			screens = append(screens, name) // further states of them
		}
	}
	for i, s := range list {
		known := false
		for _, acts := range all {
			known = known || slices.ContainsFunc(acts, func(a kit.Act) bool { return a.Name() == s.Act })
		}
		if !known {
			return i, fmt.Errorf("there is no act %q: the acts are named as in the help (press ?)", s.Act)
		}
		if len(s.Keys) == 0 {
			return i, fmt.Errorf("%q has no key: give at least one", s.Act)
		}
		for _, k := range s.Keys {
			if press := kit.KeyMsg(k); k == "" || press.Code == tea.KeyExtended || press.String() != k {
				return i, fmt.Errorf("%q is no key: give one such as \"x\", \"X\", \"ctrl+x\", \"f5\" or \"space\"", k)
			}
			if slices.Contains(reserved, k) {
				return i, fmt.Errorf("%q cannot be given to an act: it must keep its meaning", k)
			}
		}
		for _, screen := range screens {
			if other, k := clash(all[screen], own, s); other != "" {
				return i, fmt.Errorf("%q is given to %q, but on the screen %s it is the key of %q: choose another, or give that one another key too", k, s.Act, screen, other)
			}
		}
	}
	return -1, nil
}

// clash finds an act of a screen that has one of the setting's keys.
func clash(acts []kit.Act, own map[string][]string, s KeySetting) (other, k string) {
	if !slices.ContainsFunc(acts, func(a kit.Act) bool { return a.Name() == s.Act }) {
		return "", ""
	}
	for _, a := range acts {
		name := a.Name()
		if name == s.Act {
			continue
		}
		keys := a.Binding.Keys()
		if theirs, ok := own[name]; ok {
			keys = theirs
		}
		for _, k := range s.Keys {
			if slices.Contains(keys, k) {
				return name, k
			}
		}
	}
	return "", ""
}

// keysOf are the person's own keys of an act; nil: the usual ones hold.
func (m *Model) keysOf(a kit.Act) []string {
	for _, s := range m.o.KeyMap {
		if s.Act == a.Name() {
			return s.Keys
		}
	}
	return nil
}

// renamed are the acts with the person's own keys, for help, palette and hints.
func (m *Model) renamed(acts []kit.Act) []kit.Act {
	if len(m.o.KeyMap) == 0 {
		return acts
	}
	acts = slices.Clone(acts)
	for i, a := range acts {
		if keys := m.keysOf(a); keys != nil {
			acts[i].Binding = kit.Bind(a.Binding.Help().Desc, strings.Join(keys, " "), keys...)
		}
	}
	return acts
}

// usualPress is the press of an act that the screens know, also where the act has
// keys of the person's own.
func (m *Model) usualPress(a kit.Act) tea.KeyPressMsg {
	for _, b := range m.usualActs() {
		if b.Name() == a.Name() {
			return b.Press()
		}
	}
	return a.Press()
}

// usual is the key press that the screens know, for one of the person's own
// keys. A usual key whose act has another one now means nothing: ok is false.
func (m *Model) usual(press tea.KeyPressMsg) (_ tea.KeyPressMsg, ok bool) {
	s := m.screens[m.front]
	if len(m.o.KeyMap) == 0 || s == nil || s.Capturing() && press.Text != "" {
		return press, true
	}
	name := press.String()
	gone := false
	for _, a := range m.usualActs() {
		keys := m.keysOf(a)
		has := slices.Contains(a.Binding.Keys(), name)
		switch {
		case keys == nil && has:
			return press, true // another act has it now
		case slices.Contains(keys, name):
			return a.Press(), true
		case keys != nil && has:
			gone = true
		}
	}
	return press, !gone
}
