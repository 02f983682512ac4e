package apitest

import (
	"pgregory.net/rapid"

	"mediadesk/api/entry"
)

// texts are values for fields of each kind, including all special characters.
var texts = map[entry.Kind][]string{
	entry.KindText:       {"a.png", "naïve (1) 写真.jpg", "/a/b//", "1,2,3,4", "# x", "\"", "[1: x]", "a = b", "@file", "it's $x\\", "two\n\tlines", "https://example.com/h?a=1&b='2'", "none"},
	entry.KindSwitch:     {"true", "false"},
	entry.KindList:       {"sea", "sea,写真,مرحبا", "# x,[y],\"z", "<a>,b & c"},
	entry.KindExtensions: {"remove-bg", "remove-bg,ai-tasks", `[{"name":"remove-bg","options":{"add_shadow":false,"bg_colour":"<red>"}},{"name":"x","tasks":[1]}]`, `{"name":"google-auto-tagging","maxTags":3,"minConfidence":0}`},
	entry.KindMetadata:   {"brand = Acme", "a = 1\nb = \"2\"\nc: x = y", `{"a=b":[1,"x"],"t":"2026","# c":{"d":null}}`, `{"é":"two\\nlines"}`},
}

// DrawEntry draws an entry with any of the fields set.
func DrawEntry(t *rapid.T) entry.Entry {
	var e entry.Entry
	for _, f := range entry.Fields {
		choices := texts[f.Kind]
		if f.Choices != nil {
			choices = nil
			for _, c := range f.Choices {
				choices = append(choices, c.Text)
			}
		}
		if text := rapid.SampledFrom(append([]string{""}, choices...)).Draw(t, f.Key); f.SetText(&e, text) != nil {
			t.Fatalf("%s cannot be %q", f.Key, text)
		}
	}
	return e
}

// SameEntry fails if two entries differ in a field.
func SameEntry(t *rapid.T, what string, got, want *entry.Entry) {
	for _, f := range entry.Fields {
		if f.Text(got) != f.Text(want) || f.IsSet(got) != f.IsSet(want) {
			t.Fatalf("%s: %s is %q, want %q", what, f.Key, f.Text(got), f.Text(want))
		}
	}
}
