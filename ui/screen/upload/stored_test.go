package upload

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mediadesk/api"
)

func TestStoredLetters(t *testing.T) {
	for _, c := range []struct {
		name   string
		naming api.Naming
		want   string
		words  string
	}{
		{"photo.jpg", api.NameExact, "photo.jpg", ""},
		{"photo.jpg", api.NameHere, "photo_·········.jpg", ""},
		{"photo.jpg", api.NameService, "photo_·········.jpg", ""},
		{"no extension", api.NameHere, "no_extension_·········", "1 character becomes _: space"},
		{".hidden", api.NameHere, ".hidden_·········", ""},
		{"a_b.jpg", api.NameExact, "a_b.jpg", ""},
		{"день 1 — naïve (final).txt", api.NameExact, "день_1___naïve__final_.txt", "7 characters become _: space — ( )"},
		{"写真 ①.png", api.NameHere, "写真_①_·········.png", "1 character becomes _: space"},
		{"קובץ.jpg", api.NameExact, "קובץ.jpg", ""},
		{"cafe\u0301.jpg", api.NameExact, "cafe\u0301.jpg", ""},
		{"a\xffb", api.NameExact, "a_b", "1 character becomes _: a broken byte"},
		{"a\u202eb", api.NameExact, "a_b", `1 character becomes _: \u{202e}`},
		{"x/y.jpg", api.NameHere, "x_y_·········.jpg", "1 character becomes _: /"},
		{"a.b/c", api.NameHere, "a.b_c_·········", "1 character becomes _: /"},
		{"!@#$%^&*()", api.NameExact, "__________", "10 characters become _: ! @ # $ % ^ & * …"},
		{"", api.NameHere, "", ""},
	} {
		letters := storedLetters(c.name, c.naming)
		var b strings.Builder
		for _, l := range letters {
			b.WriteRune(l.r)
		}
		if b.String() != c.want {
			t.Errorf("%q %s: %q, want %q", c.name, c.naming, b.String(), c.want)
		}
		if got := describeChanged(letters); got != c.words {
			t.Errorf("%q: %q, want %q", c.name, got, c.words)
		}
	}
}

// TestStoredLettersAgree checks the letters against the naming rules of package api.
func TestStoredLettersAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		exact := storedLetters(name, api.NameExact)
		var b strings.Builder
		for _, l := range exact {
			b.WriteRune(l.r)
		}
		if b.String() != api.StoredName(name) {
			t.Fatalf("%q is shown as %q, stored as %q", name, b.String(), api.StoredName(name))
		}
		if name == "" {
			return
		}
		suffix := api.NewSuffix()
		b.Reset()
		n := 0
		for _, l := range storedLetters(name, api.NameHere) {
			if l.kind == letterSuffix {
				b.WriteByte(suffix[n])
				n++
				continue
			}
			b.WriteRune(l.r)
		}
		u := api.Upload{FileName: api.UniqueName(name, suffix)}
		if want := strings.TrimPrefix(u.Path(), "/"); b.String() != want || n != utf8.RuneCountInString(suffix) {
			t.Fatalf("%q is shown as %q, stored as %q", name, b.String(), want)
		}
	})
}
