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
		"none":        {nil, -1, ""},
		"free":        {[]KeySetting{{"filter", []string{"ctrl+g", "f7"}}}, -1, ""},
		"taken":       {[]KeySetting{{"quit", []string{"f9"}}, {"filter", []string{"v"}}}, 1, `key of "begin or pick a range"`},
		"exchanged":   {[]KeySetting{{"home folder", []string{"S"}}, {"sample pictures", []string{"~"}}}, -1, ""},
		"both":        {[]KeySetting{{"filter", []string{"f7"}}, {"sort", []string{"f7"}}}, 0, `key of "sort"`},
		"everywhere":  {[]KeySetting{{"filter", []string{"q"}}}, 0, `key of "quit"`},
		"unknown":     {[]KeySetting{{"fliter", []string{"f7"}}}, 0, "no act"},
		"no key":      {[]KeySetting{{"filter", nil}}, 0, "no key"},
		"not a key":   {[]KeySetting{{"filter", []string{"hyper+q"}}}, 0, "is no key"},
		"reserved":    {[]KeySetting{{"filter", []string{"ctrl+c"}}}, 0, "must keep its meaning"},
		"no terminal": {[]KeySetting{{"filter", []string{"ctrl+m"}}}, 0, "must keep its meaning"},
		"of a number": {[]KeySetting{{"upload 1,234 files", []string{"f7"}}, {"edit 1 file", []string{"f8"}}}, -1, ""},
		"of a state":  {[]KeySetting{{"go on with all", []string{"f7"}}, {"show failed", []string{"f8"}}}, -1, ""},
		"twice":       {[]KeySetting{{"pause", []string{"f7"}}, {"go on", []string{"f8"}}}, 1, "already"},
		"tray":        {[]KeySetting{{"clear the tray", []string{"f7"}}}, -1, ""},
		"in the tray": {[]KeySetting{{"clear the tray", []string{"d"}}}, 0, `on the screen picker, tray it is the key of "remove from the tray"`},
	} {
		at, err := CheckKeys(c.list)
		if at != c.at || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: setting %d, %v; want %d, %q", name, at, err, c.at, c.says)
		}
	}
}

// What an act is called besides its name leads to an act.
func TestOtherNamesAreOfActs(t *testing.T) {
	known := map[string]bool{}
	for _, acts := range catalogue() {
		for _, a := range acts {
			known[a.Name()] = true
		}
	}
	for other, name := range otherNames {
		if !known[name] || known[other] {
			t.Errorf("%q is to mean %q", other, name)
		}
	}
}

// Every act of every screen can be given another key by what the help calls it, in
// every state of the screens.
func TestEveryActCanHaveAnotherKey(t *testing.T) {
	names, acts := actsByScreen(t)
	for _, name := range names {
		for _, a := range acts[name] {
			for _, called := range []string{a.Name(), a.Binding.Help().Desc} {
				if _, err := CheckKeys([]KeySetting{{called, []string{"f11"}}}); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

// An act whose words change with what is picked keeps the person's own key.
func TestOwnKeyOfActsWhoseWordsChange(t *testing.T) {
	m := New(Options{KeyMap: []KeySetting{{"upload 2 files", []string{"f7"}}}})
	for _, words := range []string{"upload form", "upload 1 file", "upload 1,234 files"} {
		act := kit.Act{Binding: kit.Bind(words, "", "u"), Called: "upload form"}
		if got := m.renamed([]kit.Act{act})[0]; got.Keys() != "f7" || got.Binding.Help().Desc != words {
			t.Errorf("%s has the key %s and is called %s", words, got.Keys(), got.Binding.Help().Desc)
		}
	}
}

// By themselves the screens' keys do not clash.
func TestUsualKeysDoNotClash(t *testing.T) {
	for screen, acts := range catalogue() {
		has := map[string]string{}
		for _, a := range acts {
			for _, k := range a.Binding.Keys() {
				if other, taken := has[k]; taken && other != a.Name() {
					t.Errorf("%s: %s is the key of %q and of %q", screen, k, other, a.Name())
				}
				has[k] = a.Name()
			}
		}
	}
}
