package api_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mediadesk/api"
)

// TestStoredName: service.md §4.1, fileName: letters, combining marks and numerals of any language,
// "." and "-" stay. Every other character, including space, becomes "_".
func TestStoredName(t *testing.T) {
	for _, test := range []struct{ about, name, want string }{
		{"plain letters and digits", "azAZ09", "azAZ09"},
		{"dot and hyphen", "a.b-c", "a.b-c"},
		{"underscore is one of the others", "a_b", "a_b"},
		{"space", "my photo.jpg", "my_photo.jpg"},
		{"each replaced character by itself", "a  b\t\nc", "a__b__c"},
		{"ASCII punctuation", "!\"#$%&'()*+,/:;<=>?@[\\]^`{|}~", strings.Repeat("_", 29)},
		{"control characters", "a\x00b\x1b[31mc\x7f", "a_b__31mc_"},
		{"Latin-1", "naïve Ünï.txt", "naïve_Ünï.txt"},
		{"combining mark of its own", "e\u0301te\u0301.jpg", "e\u0301te\u0301.jpg"},
		{"mark that encloses", "a\u20dd", "a\u20dd"},
		{"Cyrillic and a dash", "день 1 — naïve (final).txt", "день_1___naïve__final_.txt"},
		{"Greek", "ΑΒΓαβγ", "ΑΒΓαβγ"},
		{"Thai with vowel signs and tones", "ที่นี่.png", "ที่นี่.png"},
		{"Devanagari with virama", "हिन्दी.png", "हिन्दी.png"},
		{"Arabic with harakat", "مَرْحَبًا.jpg", "مَرْحَبًا.jpg"},
		{"Hebrew with points", "שָׁלוֹם", "שָׁלוֹם"},
		{"Han, kana, Hangul", "写真カメラ사진.jpg", "写真カメラ사진.jpg"},
		{"full width", "Ａ１．", "Ａ１_"},
		{"decimal digits of other scripts", "٣४๕", "٣४๕"},
		{"letter numbers", "Ⅷⅷ〇", "Ⅷⅷ〇"},
		{"other numbers", "½²①", "½²①"},
		{"title case and modifier letters", "ǅʰª", "ǅʰª"},
		{"connector punctuation other than _", "a‿b", "a_b"},
		{"symbols", "€+©™→", "_____"},
		{"emoji", "🏖.jpg", "_.jpg"},
		{"emoji joined by ZWJ: five characters", "👩‍👧‍👦", "_____"},
		{"variation selector is a mark", "❤\ufe0f", "_\ufe0f"},
		{"zero-width joiner and bidi marks", "a\u200db\u202ec", "a_b_c"},
		{"no-break and ideographic space", "a\u00a0b\u3000c", "a_b_c"},
		{"characters beyond the basic plane", "𝒜𐎠😀", "𝒜𐎠_"},
		{"private use and unassigned", "\ue000\u0378", "__"},
		{"the replacement character itself", "a\ufffdb", "a_b"},
		{"invalid byte", "a\xffb", "a_b"},
		{"cut sequence: each byte by itself", "a\xe0\xb8", "a__"},
		{"surrogate in UTF-8", "\xed\xa0\x80", "___"},
		{"path separators", "../a\\b", ".._a_b"},
		{"empty", "", ""},
	} {
		t.Run(test.about, func(t *testing.T) {
			got := api.StoredName(test.name)
			if got != test.want {
				t.Errorf("StoredName(%q) = %q, want %q", test.name, got, test.want)
			}
			if a, b := utf8.RuneCountInString(test.name), utf8.RuneCountInString(got); a != b {
				t.Errorf("%d characters became %d", a, b)
			}
		})
	}
}

// TestStoredNameByUnicodeCategory covers one character of every general category.
func TestStoredNameByUnicodeCategory(t *testing.T) {
	stays := map[string]bool{
		"Lu": true, "Ll": true, "Lt": true, "Lm": true, "Lo": true,
		"Mn": true, "Mc": true, "Me": true, "Nd": true, "Nl": true, "No": true,
	}
	for category, table := range unicode.Categories {
		if len(category) != 2 || category == "Cs" || category == "LC" || category == "Cn" {
			continue // a group of categories; surrogates, which UTF-8 lacks; unassigned
		}
		for _, r := range firstAndLast(table) {
			if r == '.' || r == '-' || r == '_' {
				continue
			}
			want := "_"
			if stays[category] {
				want = string(r)
			}
			if got := api.StoredName(string(r)); got != want {
				t.Errorf("category %s: StoredName(%q) = %q, want %q", category, r, got, want)
			}
		}
	}
}

func firstAndLast(table *unicode.RangeTable) []rune {
	var runes []rune
	for _, r := range table.R16 {
		runes = append(runes, rune(r.Lo), rune(r.Hi))
	}
	for _, r := range table.R32 {
		runes = append(runes, rune(r.Lo), rune(r.Hi))
	}
	return runes
}

func checkStoredName(t interface {
	Helper()
	Fatalf(string, ...any)
}, name string,
) {
	t.Helper()
	got := api.StoredName(name)
	if again := api.StoredName(got); again != got {
		t.Fatalf("StoredName(%q) = %q, and of that %q", name, got, again)
	}
	if !utf8.ValidString(got) {
		t.Fatalf("StoredName(%q) = %q is not valid UTF-8", name, got)
	}
	if a, b := utf8.RuneCountInString(name), utf8.RuneCountInString(got); a != b {
		t.Fatalf("StoredName(%q): %d characters became %d", name, a, b)
	}
	if strings.ContainsAny(got, "/\\\x00\r\n\" %") {
		t.Fatalf("StoredName(%q) = %q holds a character that is not allowed", name, got)
	}
}

func TestStoredNameProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "name")
		checkStoredName(t, name)
	})
}

func FuzzStoredName(f *testing.F) {
	for _, name := range []string{"photo.jpg", "день 1 — naïve.txt", "\xff\xfe", "👩‍👧‍👦", "a\ufffd", ""} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) { checkStoredName(t, name) })
}

func TestCheckName(t *testing.T) {
	for name, field := range map[string]string{
		"": "fileName", ".": "fileName", "..": "fileName",
		"...": "", "a": "", " ": "", ".a": "", "a.": "", "-": "", "日": "",
	} {
		t.Run(name, func(t *testing.T) { wantRule(t, api.CheckName(name), field) })
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
		if got := api.UniqueName(name, "iEyH1dQme"); got != want {
			t.Errorf("UniqueName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestNewSuffix(t *testing.T) {
	form := regexp.MustCompile(`^[A-Za-z0-9_-]{9}$`)
	seen := map[string]bool{}
	letters := map[rune]bool{}
	for range 5000 {
		suffix := api.NewSuffix()
		if !form.MatchString(suffix) {
			t.Fatalf("suffix %q is not of the service's form", suffix)
		}
		if seen[suffix] {
			t.Fatalf("got the suffix %q twice", suffix)
		}
		seen[suffix] = true
		for _, r := range suffix {
			letters[r] = true
		}
	}
	if len(letters) != 64 {
		t.Errorf("%d different characters were used, want 64", len(letters))
	}
}

// TestUniqueNameSurvivesStoring: the service stores the name that the client makes, with every
// character of the suffix.
func TestUniqueNameSurvivesStoring(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name, suffix := rapid.String().Draw(t, "name"), api.NewSuffix()
		if a, b := api.StoredName(api.UniqueName(name, suffix)), api.StoredName(name); !strings.Contains(a, "_"+suffix) || len(a) != len(b)+10 {
			t.Fatalf("%q with suffix %q is stored as %q", name, suffix, a)
		}
	})
}
