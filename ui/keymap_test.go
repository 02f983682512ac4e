package ui

import (
	"os"
	"regexp"
	"strings"
	"testing"
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
	} {
		at, err := CheckKeys(c.list)
		if at != c.at || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: setting %d, %v; want %d, %q", name, at, err, c.at, c.says)
		}
	}
}

// By themselves the screens' keys do not clash.
func TestUsualKeysDoNotClash(t *testing.T) {
	for screen, acts := range catalogue() {
		has := map[string]string{}
		for _, a := range acts {
			for _, k := range a.Binding.Keys() {
				if other, taken := has[k]; taken && other != a.Binding.Help().Desc {
					t.Errorf("%s: %s is the key of %q and of %q", screen, k, other, a.Binding.Help().Desc)
				}
				has[k] = a.Binding.Help().Desc
			}
		}
	}
}

// Every key in the table of the README does something on some screen.
func TestKeysOfTheReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(readme), "## Keys\n")
	table, _, _ := strings.Cut(after, "\n`esc` is always")
	bound := map[string]bool{"ctrl+c": true} // the root takes it before anything else
	for _, acts := range catalogue() {
		for _, a := range acts {
			for _, k := range a.Binding.Keys() {
				bound[k] = true
			}
		}
	}
	// Bound only while a field, a light or the region has the focus, which has
	// tests of its own.
	for _, k := range []string{"k", "ctrl+g", "r", "+", "-", ">", "<", "t", "c", "a", "e", "E", "m"} {
		bound[k] = true
	}
	signs := map[string]string{"↑": "up", "↓": "down", "←": "left", "→": "right", "pgdn": "pgdown", "F1": "f1", "F2": "f2"}
	found := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(table, -1)
	if len(found) < 40 {
		t.Fatalf("only %d keys in the table", len(found))
	}
	for _, f := range found {
		k := f[1]
		if name, ok := signs[k]; ok {
			k = name
		}
		if !bound[k] && !strings.HasPrefix(k, "$") {
			t.Errorf("the README has the key %s, which no screen has", f[1])
		}
	}
}
