package ui

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
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

// KeySetting assigns the user's keys to an action by its ID. It also accepts the names of version 0.1.
type KeySetting struct {
	Action string
	Keys   []string
}

// reserved are keys that terminals use for others, or that must always work.
var reserved = []string{"ctrl+c", "ctrl+h", "ctrl+i", "ctrl+j", "ctrl+m", "ctrl+[", "esc"}

// catalog returns the actions of every part of every screen by part name.
func catalog() map[string][]kit.Action {
	program := &Model{session: &session.Session{}}
	everywhere := program.programActions(false)
	all := map[string][]kit.Action{}
	for name, s := range map[string]any{
		"picker":     picker.New(picker.Options{}),
		"uploads":    uploads.New(uploads.Options{}),
		"extensions": extensions.New(extensions.Options{}),
		"library":    library.New(library.Options{}),
		"settings":   settings.New(settings.Options{}),
		"details":    details.New(details.Options{Files: []api.File{{}}}),
		"form":       upload.New(upload.Options{Sources: []api.Source{{Path: "x"}}}),
	} {
		if s, ok := s.(page.Catalog); ok {
			for part, actions := range s.Catalog() {
				all[strings.TrimSuffix(name+", "+part, ", ")] = append(actions, everywhere...)
			}
		}
	}
	return all
}

// idsOf returns the action IDs of a name in the settings.
func idsOf(name string) []string {
	if ids, ok := keyNames[name]; ok {
		return ids
	}
	return []string{name}
}

// keysByID returns the keys by action ID. It logs the new ID for each name of version 0.1.
func keysByID(list []KeySetting) map[string][]string {
	keys := map[string][]string{}
	for _, s := range list {
		for _, id := range idsOf(s.Action) {
			keys[id] = s.Keys
		}
	}
	return keys
}

// OldNames returns a sentence with the new name for each setting that uses a name of version 0.1.
func OldNames(list []KeySetting) []string {
	var notes []string
	for _, s := range list {
		if ids, ok := keyNames[s.Action]; ok {
			notes = append(notes, fmt.Sprintf("Keys: %q is now %s in the settings file.", s.Action, strings.Join(ids, ", ")))
			slog.Warn("the settings name an action by its name of version 0.1", "name", s.Action, "ids", ids)
		}
	}
	return notes
}

// CheckKeys returns the first invalid setting and the reason: an unknown action, an unusable key, or a key that another
// action of the same part has. The index is -1 and the error nil if all are valid.
func CheckKeys(list []KeySetting) (index int, err error) {
	if len(list) == 0 {
		return -1, nil
	}
	all := catalog()
	parts := slices.Sorted(maps.Keys(all))
	own, names := keysByID(list), map[string]string{}
	for i, s := range list {
		for _, id := range idsOf(s.Action) {
			if before, twice := names[id]; twice && slices.Contains([]string{s.Action, id}, before) {
				return i, fmt.Errorf("%q has keys already, by a line above: give all of them in one", s.Action)
			}
			names[id] = s.Action
			known := slices.ContainsFunc(parts, func(part string) bool {
				return slices.ContainsFunc(all[part], func(a kit.Action) bool { return a.ID == id })
			})
			if !known {
				return i, fmt.Errorf("there is no action %q%s", s.Action, nearest(s.Action, all))
			}
		}
		if len(s.Keys) == 0 {
			return i, fmt.Errorf("%q has no key: give at least one", s.Action)
		}
		for _, k := range s.Keys {
			if press := kit.KeyMsg(k); k == "" || press.Code == tea.KeyExtended || press.String() != k {
				return i, fmt.Errorf("%q is no key: give one such as \"x\", \"X\", \"ctrl+x\", \"f5\" or \"space\"", k)
			}
			if slices.Contains(reserved, k) {
				return i, fmt.Errorf("%q cannot be given to an action: it must keep its meaning", k)
			}
		}
		for _, part := range parts {
			for _, id := range idsOf(s.Action) {
				if other, k := clash(all[part], own, id); other != "" {
					return i, fmt.Errorf("%q is given to %q, but on the screen %s it is the key of %q: choose another, or give that one another key too", k, id, part, other)
				}
			}
		}
	}
	return -1, nil
}

// nearest suggests an action for an unknown name.
func nearest(name string, all map[string][]kit.Action) string {
	_, word, _ := strings.Cut(name, ".")
	word = cmp.Or(word, name)
	var near []string
	for _, actions := range all {
		for _, a := range actions {
			if a.ID != "" && strings.Contains(a.ID, word) && !slices.Contains(near, a.ID) {
				near = append(near, a.ID)
			}
		}
	}
	slices.Sort(near)
	if len(near) == 0 {
		return ": the help (press ?) names them"
	}
	return "; near it: " + strings.Join(near[:min(3, len(near))], ", ")
}

// clash returns another action of the part that has one of the keys of id.
func clash(actions []kit.Action, own map[string][]string, id string) (other, k string) {
	if !slices.ContainsFunc(actions, func(a kit.Action) bool { return a.ID == id }) {
		return "", ""
	}
	for _, a := range actions {
		if a.ID == id {
			continue
		}
		keys := a.Keys.Keys()
		if theirs, ok := own[a.ID]; ok {
			keys = theirs
		}
		for _, k := range own[id] {
			if slices.Contains(keys, k) {
				return a.ID, k
			}
		}
	}
	return "", ""
}
