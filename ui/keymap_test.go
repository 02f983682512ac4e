package ui

import (
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
