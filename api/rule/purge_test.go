package rule_test

import (
	"testing"

	"mediadesk/api/rule"
)

func TestPurgeURL(t *testing.T) {
	for address, want := range map[string]string{
		"https://h/a/b.jpg?updatedAt=1": "https://h/a/b.jpg*",
		"https://h/a":                   "https://h/a", // too short for a *
		"https://h/x/folder/a":          "https://h/x/folder/a*",
	} {
		if got := rule.PurgeURL(address); got != want || rule.CheckPurgeURL(got) != nil {
			t.Errorf("for %s got %s, want %s", address, got, want)
		}
	}
	for _, wrong := range []string{"", "nowhere", "https://h", "https://h/a/*", "https://h/a/b/*/c.jpg"} {
		if rule.CheckPurgeURL(wrong) == nil {
			t.Errorf("%q was accepted", wrong)
		}
	}
}
