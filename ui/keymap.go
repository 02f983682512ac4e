package ui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/details"
	"mediadesk/ui/extensions"
	"mediadesk/ui/kit"
	"mediadesk/ui/library"
	"mediadesk/ui/page"
	"mediadesk/ui/picker"
	"mediadesk/ui/settings"
	"mediadesk/ui/upload"
	"mediadesk/ui/uploads"
)

// KeySetting gives an act, by its words in the help, keys of the person's own
// in the place of the usual ones.
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
	return all
}

// CheckKeys says which of the settings cannot hold, and why: an act that does
// not exist, a key that cannot be used, or one that another act of the same
// screen has. The index is -1 and the error nil where all can.
func CheckKeys(list []KeySetting) (index int, err error) {
	if len(list) == 0 {
		return -1, nil
	}
	own := map[string][]string{}
	for _, s := range list {
		own[s.Act] = s.Keys
	}
	all := catalogue()
	for i, s := range list {
		known := false
		for _, acts := range all {
			known = known || slices.ContainsFunc(acts, func(a kit.Act) bool { return a.Binding.Help().Desc == s.Act })
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
		for _, screen := range []string{"picker", "form", "uploads", "extensions", "library", "details", "settings"} {
			if other, k := clash(all[screen], own, s); other != "" {
				return i, fmt.Errorf("%q is given to %q, but on the screen %s it is the key of %q: choose another, or give that one another key too", k, s.Act, screen, other)
			}
		}
	}
	return -1, nil
}

// clash finds an act of a screen that has one of the setting's keys.
func clash(acts []kit.Act, own map[string][]string, s KeySetting) (other, k string) {
	if !slices.ContainsFunc(acts, func(a kit.Act) bool { return a.Binding.Help().Desc == s.Act }) {
		return "", ""
	}
	for _, a := range acts {
		words := a.Binding.Help().Desc
		if words == s.Act {
			continue
		}
		keys := a.Binding.Keys()
		if theirs, ok := own[words]; ok {
			keys = theirs
		}
		for _, k := range s.Keys {
			if slices.Contains(keys, k) {
				return words, k
			}
		}
	}
	return "", ""
}

// keysOf are the person's own keys of an act; nil: the usual ones hold.
func (m *Model) keysOf(a kit.Act) []string {
	for _, s := range m.o.KeyMap {
		if s.Act == a.Binding.Help().Desc {
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
		if b.Binding.Help().Desc == a.Binding.Help().Desc {
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
