package rule_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api/rule"
)

// TestCheckTags: service.md §4.1, tags, and §8: at most 500 characters of the joined text, no "%".
func TestCheckTags(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, test := range []struct {
		about string
		tags  []string
		bad   bool
	}{
		{"none", nil, false},
		{"some", []string{"summer", "am Meer", "день", "#1"}, false},
		{"500 characters in one", []string{x(500)}, false},
		{"501 characters in one", []string{x(501)}, true},
		{"500 with the comma", []string{x(250), x(249)}, false},
		{"501 with the comma", []string{x(250), x(250)}, true},
		{"500 characters of four bytes", []string{strings.Repeat("𝒜", 500)}, false},
		{"marks count as characters", []string{strings.Repeat("e\u0301", 251)}, true},
		{"percent within", []string{"a", "50% off"}, true},
		{"full-width percent is another character", []string{"％"}, false},
		{"comma", []string{"a,b"}, true},
		{"empty tag", []string{"a", ""}, true},
	} {
		t.Run(test.about, func(t *testing.T) {
			field := ""
			if test.bad {
				field = "tags"
			}
			wantRule(t, rule.CheckTags(test.tags), field)
		})
	}
}

func TestSplitTags(t *testing.T) {
	for joined, want := range map[string][]string{
		"":                nil,
		" , ,":            nil,
		"a":               {"a"},
		"tag1,tag2,tag3":  {"tag1", "tag2", "tag3"},
		" a , b,a,, c d ": {"a", "b", "c d"},
		"A,a":             {"A", "a"},
	} {
		if got := rule.SplitTags(joined); !slices.Equal(got, want) {
			t.Errorf("SplitTags(%q) = %q, want %q", joined, got, want)
		}
	}
}

func TestTagProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		joined := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ab é,%]{0,30}`)).Draw(t, "tags")
		tags := rule.SplitTags(joined)
		if again := rule.SplitTags(rule.JoinTags(tags)); !slices.Equal(again, tags) {
			t.Fatalf("SplitTags(%q) = %q, joined and split again %q", joined, tags, again)
		}
		err := rule.CheckTags(tags)
		bad := strings.Contains(joined, "%") || rule.TagsLength(tags) > rule.MaxTagsLength
		if bad != (err != nil) {
			t.Fatalf("CheckTags(%q) = %v", tags, err)
		}
	})
}
