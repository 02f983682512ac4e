package rule_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
)

// TestCleanFolder: service.md §4.1, folder, and §8: at most 50 levels; letters, marks and numerals of any
// language, "/", "_" and "-".
func TestCleanFolder(t *testing.T) {
	deep := func(n int) string { return "/" + strings.Repeat("a/", n) }
	for _, test := range []struct {
		about, folder, want string
		bad                 bool
	}{
		{"empty is the root", "", "/", false},
		{"many slashes are the root", "////", "/", false},
		{"as it should be", "/a/b/", "/a/b/", false},
		{"no slashes around", "a/b", "/a/b/", false},
		{"repeated slashes", "//a///b//", "/a/b/", false},
		{"allowed characters", "/Aa09_-/", "/Aa09_-/", false},
		{"other scripts, marks and numerals", "/été/день/写真/ที่/हिन्दी/Ⅷ½٣/", "/été/день/写真/ที่/हिन्दी/Ⅷ½٣/", false},
		{"50 levels", deep(50), deep(50), false},
		{"51 levels", deep(51), deep(51), true},
		{"step up", "/a/../b", "/a/../b/", true},
		{"invalid UTF-8", "/a\xff/", "/a\xff/", true},
		{"the replacement character", "/a\ufffd/", "/a\ufffd/", true},
	} {
		t.Run(test.about, func(t *testing.T) {
			got, err := rule.CleanFolder(test.folder)
			field := ""
			if test.bad {
				field = "folder"
			}
			wantRule(t, err, field)
			mediatest.Equal(t, got, test.want, "CleanFolder(%q)", test.folder)
		})
	}
}

func TestFolderName(t *testing.T) {
	for _, x := range []struct{ name, created, renamed string }{
		{"a-b", "a_b", "a-b"},
		{"a_b", "a_b", "a_b"},
		{"new.one (2) é_-", "new_one__2__é__", "new_one__2__é_-"},
		{"a/b", "a_b", "a_b"},
		{"день-写真-ที่-Ⅷ½٣", "день_写真_ที่_Ⅷ½٣", "день-写真-ที่-Ⅷ½٣"},
		{"\xff\xfe\ufffd😀", "____", "____"},
		{"", "", ""},
	} {
		mediatest.Equal(t, rule.FolderName(x.name, false), x.created, "FolderName(%q)", x.name)
		mediatest.Equal(t, rule.FolderName(x.name, true), x.renamed, "FolderName(%q, renamed)", x.name)
	}
	for folder, want := range map[string]string{"": "/", "/a-b": "/a_b/", "x-y/a-b/": "/x-y/a_b/"} {
		mediatest.Equal(t, rule.CreatedFolder(folder), want, "CreatedFolder(%q)", folder)
	}
}

func TestCleanFolderProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		folder := rapid.OneOf(rapid.String(), rapid.StringMatching(`[/a-cé_ .-]{0,120}`)).Draw(t, "folder")
		clean, err := rule.CleanFolder(folder)
		again, errAgain := rule.CleanFolder(clean)
		if again != clean || (err == nil) != (errAgain == nil) {
			t.Fatalf("CleanFolder(%q) = %q, %v; of that %q, %v", folder, clean, err, again, errAgain)
		}
		if !strings.HasPrefix(clean, "/") || !strings.HasSuffix(clean, "/") || strings.Contains(clean, "//") {
			t.Fatalf("CleanFolder(%q) = %q is not in the form of the service", folder, clean)
		}
		if err == nil && (!utf8.ValidString(clean) || rule.FolderDepth(clean) > rule.MaxFolderDepth ||
			strings.ContainsAny(clean, ". %\\\x00")) {
			t.Fatalf("CleanFolder(%q) = %q was let through", folder, clean)
		}
	})
}
