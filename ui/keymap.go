package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// reserved are keys that terminals use for others, or that must always work.
var reserved = []string{"ctrl+c", "ctrl+h", "ctrl+i", "ctrl+j", "ctrl+m", "ctrl+[", "esc"}

// catalog returns the actions of every part of every screen by part name.
func catalog() map[string][]kit.Action {
	program := New(Options{})
	program.session = &session.Session{}
	everywhere := program.programActions(false)
	all := map[string][]kit.Action{}
	for _, s := range screens {
		if c, ok := s.open(program).(page.Catalog); ok {
			for part, actions := range c.Catalog() {
				all[strings.TrimSuffix(s.Name+", "+part, ", ")] = append(actions, everywhere...)
			}
		}
	}
	return all
}

// CheckKeys returns the first action with invalid keys and the reason: an unknown action or an
// unusable key. The error is nil if all are valid. An action loses a default key that the user gives
// to another one.
func CheckKeys(keys map[string][]string) (action string, err error) {
	if len(keys) == 0 {
		return "", nil
	}
	all := catalog()
	parts := slices.Sorted(maps.Keys(all))
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		known := slices.ContainsFunc(parts, func(part string) bool {
			return slices.ContainsFunc(all[part], func(a kit.Action) bool { return a.ID == id })
		})
		switch {
		case !known:
			return id, fmt.Errorf("there is no action %q: docs/keys.md and the help (press ?) name them", id)
		case len(keys[id]) == 0:
			return id, fmt.Errorf("%q has no key: give at least one", id)
		}
		for _, k := range keys[id] {
			if press := kit.KeyMsg(k); k == "" || press.Code == tea.KeyExtended || press.String() != k {
				return id, fmt.Errorf("%q is no key: give one such as \"x\", \"X\", \"ctrl+x\", \"f5\" or \"space\"", k)
			}
			if slices.Contains(reserved, k) {
				return id, fmt.Errorf("%q cannot be given to an action: it must keep its meaning", k)
			}
		}
	}
	return "", nil
}
