package rule_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
)

// TestStoredName: service.md §4.1, fileName: letters, combining marks and numerals of any language,
// "." and "-" stay. Every other character, including space, becomes "_".
func TestStoredName(t *testing.T) {
	for _, test := range []struct{ about, name, want string }{
		{"plain letters and digits", "azAZ09", "azAZ09"},
		{"space", "my photo.jpg", "my_photo.jpg"},
		{"each replaced character by itself", "a  b\t\nc", "a__b__c"},
		{"ASCII punctuation", "!\"#$%&'()*+,/:;<=>?@[\\]^`{|}~", strings.Repeat("_", 29)},
		{"control characters", "a\x00b\x1b[31mc\x7f", "a_b__31mc_"},
		{"combining mark of its own", "e\u0301te\u0301.jpg", "e\u0301te\u0301.jpg"},
		{"Cyrillic and a dash", "день 1 — naïve (final).txt", "день_1___naïve__final_.txt"},
		{"Thai with vowel signs and tones", "ที่นี่.png", "ที่นี่.png"},
		{"Devanagari with virama", "हिन्दी.png", "हिन्दी.png"},
		{"Arabic with harakat", "مَرْحَبًا.jpg", "مَرْحَبًا.jpg"},
		{"Han, kana, Hangul", "写真カメラ사진.jpg", "写真カメラ사진.jpg"},
		{"decimal digits of other scripts", "٣४๕", "٣४๕"},
		{"other numbers", "½²①", "½²①"},
		{"connector punctuation other than _", "a‿b", "a_b"},
		{"emoji", "🏖.jpg", "_.jpg"},
		{"emoji joined by ZWJ: five characters", "👩‍👧‍👦", "_____"},
		{"zero-width joiner and bidi marks", "a\u200db\u202ec", "a_b_c"},
		{"characters beyond the basic plane", "𝒜𐎠😀", "𝒜𐎠_"},
		{"the replacement character itself", "a\ufffdb", "a_b"},
		{"invalid byte", "a\xffb", "a_b"},
		{"cut sequence: each byte by itself", "a\xe0\xb8", "a__"},
		{"path separators", "../a\\b", ".._a_b"},
		{"empty", "", ""},
	} {
		t.Run(test.about, func(t *testing.T) {
			got := rule.StoredName(test.name)
			mediatest.Equal(t, got, test.want, "StoredName(%q)", test.name)
			if a, b := utf8.RuneCountInString(test.name), utf8.RuneCountInString(got); a != b {
				t.Errorf("%d characters became %d", a, b)
			}
		})
	}
}

func TestCheckName(t *testing.T) {
	for name, field := range map[string]string{
		"": "fileName", ".": "fileName", "..": "fileName",
		"...": "", "a": "", " ": "", ".a": "", "a.": "", "-": "", "日": "",
	} {
		t.Run(name, func(t *testing.T) { wantRule(t, rule.CheckName(name), field) })
	}
}

func TestUniqueName(t *testing.T) {
	for name, want := range map[string]string{
		"photo.jpg":      "photo_iEyH1dQme.jpg",
		"archive.tar.gz": "archive.tar_iEyH1dQme.gz",
		"noextension":    "noextension_iEyH1dQme",
		".hidden":        ".hidden_iEyH1dQme",
		".hidden.jpg":    ".hidden_iEyH1dQme.jpg",
		"dot.":           "dot_iEyH1dQme.",
		"写真.jpg":         "写真_iEyH1dQme.jpg",
		"":               "_iEyH1dQme",
	} {
		mediatest.Equal(t, rule.UniqueName(name, "iEyH1dQme"), want, "UniqueName(%q)", name)
	}
}

// TestUniqueNameSurvivesStoring: the service stores the name that the client makes, with every
// character of the suffix.
func TestUniqueNameSurvivesStoring(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name, suffix := rapid.String().Draw(t, "name"), rule.NewSuffix()
		if a, b := rule.StoredName(rule.UniqueName(name, suffix)),
			rule.StoredName(name); !strings.Contains(a, "_"+suffix) || len(a) != len(b)+10 {
			t.Fatalf("%q with suffix %q is stored as %q", name, suffix, a)
		}
	})
}

func TestStoredNameProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		anyBytes := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
		name := rapid.OneOf(rapid.String(), anyBytes).Draw(t, "name")
		got := rule.StoredName(name)
		if again := rule.StoredName(got); again != got || !utf8.ValidString(got) ||
			utf8.RuneCountInString(name) != utf8.RuneCountInString(got) {
			t.Fatalf("StoredName(%q) = %q, and of that %q", name, got, again)
		}
		if strings.ContainsAny(got, "/\\\x00\r\n\" %") {
			t.Fatalf("StoredName(%q) = %q holds a character that is not allowed", name, got)
		}
	})
}
