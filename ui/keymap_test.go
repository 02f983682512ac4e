package ui

import (
	"strings"
	"testing"

	"mediadesk/ui/kit"
)

func TestCheckKeys(t *testing.T) {
	for name, c := range map[string]struct {
		list []KeySetting
		at   int
		says string
	}{
		"none":         {nil, -1, ""},
		"free":         {[]KeySetting{{"picker.filter", []string{"ctrl+g", "f7"}}}, -1, ""},
		"old name":     {[]KeySetting{{"filter", []string{"ctrl+g", "f7"}}}, -1, ""},
		"taken":        {[]KeySetting{{"program.quit", []string{"f9"}}, {"picker.filter", []string{"v"}}}, 1, `key of "picker.range"`},
		"exchanged":    {[]KeySetting{{"picker.home", []string{"S"}}, {"picker.samples", []string{"~"}}}, -1, ""},
		"both":         {[]KeySetting{{"picker.filter", []string{"f7"}}, {"picker.sort", []string{"f7"}}}, 0, `key of "picker.sort"`},
		"everywhere":   {[]KeySetting{{"picker.filter", []string{"q"}}}, 0, `key of "program.quit"`},
		"unknown":      {[]KeySetting{{"fliter", []string{"f7"}}}, 0, "no action"},
		"near":         {[]KeySetting{{"images.filter", []string{"f7"}}}, 0, "extensions.filter"},
		"no key":       {[]KeySetting{{"picker.filter", nil}}, 0, "no key"},
		"not a key":    {[]KeySetting{{"picker.filter", []string{"hyper+q"}}}, 0, "is no key"},
		"reserved":     {[]KeySetting{{"picker.filter", []string{"ctrl+c"}}}, 0, "must keep its meaning"},
		"no terminal":  {[]KeySetting{{"picker.filter", []string{"ctrl+m"}}}, 0, "must keep its meaning"},
		"of a state":   {[]KeySetting{{"go on with all", []string{"f7"}}, {"show failed", []string{"f8"}}}, -1, ""},
		"twice":        {[]KeySetting{{"picker.filter", []string{"f7"}}, {"picker.filter", []string{"f8"}}}, 1, "already"},
		"old and new":  {[]KeySetting{{"filter", []string{"f7"}}, {"picker.filter", []string{"f8"}}}, -1, ""},
		"of a part":    {[]KeySetting{{"picker.clear-tray", []string{"f7"}}}, -1, ""},
		"in that part": {[]KeySetting{{"picker.clear-tray", []string{"d"}}}, 0, `on the screen picker, tray it is the key of "picker.remove"`},
	} {
		at, err := CheckKeys(c.list)
		if at != c.at || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: setting %d, %v; want %d, %q", name, at, err, c.at, c.says)
		}
	}
}

// TestOldNamesLeadToActions: the action names of version 0.1 lead to actions that exist, and the
// log says which.
func TestOldNamesLeadToActions(t *testing.T) {
	known := map[string]bool{}
	for _, actions := range catalog() {
		for _, a := range actions {
			known[a.ID] = true
		}
	}
	for name, ids := range keyNames {
		for _, id := range ids {
			if !known[id] {
				t.Errorf("%q leads to %q, which no screen has", name, id)
			}
		}
	}
	if notes := OldNames([]KeySetting{{"clear the tray", []string{"X"}}, {"picker.filter", []string{"F"}}}); len(notes) != 1 || !strings.Contains(notes[0], "picker.clear-tray") {
		t.Errorf("got the notes %q", notes)
	}
}

// TestEveryActionCanHaveAnotherKey: every action that the help shows on any screen can get another
// key by its ID.
func TestEveryActionCanHaveAnotherKey(t *testing.T) {
	names, actions := actionsByScreen(t)
	for _, name := range names {
		for _, a := range actions[name] {
			if a.ID == "" {
				t.Errorf("%s: %q has no ID", name, a.Label())
			} else if _, err := CheckKeys([]KeySetting{{a.ID, []string{"f11"}}}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestUsualKeysDoNotClash: the default keys of a part do not clash, with two exceptions. Enter
// draws a region if there is a picture, and goes on otherwise. While a picture fills the screen,
// q closes it and cannot quit the program.
func TestUsualKeysDoNotClash(t *testing.T) {
	for part, actions := range catalog() {
		has := map[string]kit.Action{}
		for _, a := range actions {
			for _, k := range a.Keys.Keys() {
				if other, taken := has[k]; taken && other.ID != a.ID && other.ID != "form.draw-region" && other.ID != "viewer.close" {
					t.Errorf("%s: %s is the key of %q and of %q", part, k, other.ID, a.ID)
				}
				has[k] = a
			}
		}
	}
}
