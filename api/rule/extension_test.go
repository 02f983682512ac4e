package rule_test

import (
	"encoding/json"
	"image/color"
	"maps"
	"slices"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/rule"
)

// TestParseExtensions: service.md §2.2 and §4.1, extensions: the text is a JSON array of elements.
func TestParseExtensions(t *testing.T) {
	for _, test := range []struct {
		about, text string
		names       []string
		fault       string // part of the message; "" for no error
	}{
		{"none", `[]`, nil, ""},
		{"of the specification", `[{"name":"remove-bg","options":{"add_shadow":true,"bg_colour":"green"}},{"name":"google-auto-tagging","maxTags":5,"minConfidence":95}]`, []string{"remove-bg", "google-auto-tagging"}, ""},
		{"any other provider", `[{"name":"acme-auto-tagging","maxTags":30,"minConfidence":100}]`, []string{"acme-auto-tagging"}, ""},
		{"an unknown name with unknown members", `[{"name":"ai-tasks","tasks":[{"type":"yes_no"}]}]`, []string{"ai-tasks"}, ""},
		{"bg_color of the hosted service", `[{"name":"remove-bg","options":{"bg_color":"red","semitransparency":false,"new":{"x":1}}}]`, []string{"remove-bg"}, ""},
		{"null", `null`, nil, "null"},
		{"an object", `{"name":"remove-bg"}`, nil, "object"},
		{"a list of texts", `["remove-bg"]`, nil, "extensions: number 1 of 1"},
		{"a null element", `[{"name":"a"},null]`, nil, "number 2 of 2"},
		{"no name", `[{"options":{}}]`, nil, "no name"},
		{"a name that is not text", `[{"name":1}]`, nil, "name of an extension is of the wrong type"},
		{"options that are no object", `[{"name":"a","options":[]}]`, nil, "options of an extension is of the wrong type"},
		{"maxTags as text", `[{"name":"a"},{"name":"b","maxTags":"5"}]`, nil, "number 2 of 2: maxTags"},
		{"maxTags that is not whole", `[{"name":"a","maxTags":1.5}]`, nil, "maxTags"},
		{"maxTags too large", `[{"name":"a","maxTags":31}]`, nil, "0 to 30"},
		{"minConfidence too large", `[{"name":"a","minConfidence":101}]`, nil, "0 to 100"},
		{"bg_colour as number", `[{"name":"remove-bg","options":{"bg_colour":1}}]`, nil, "bg_colour"},
		{"twice the same", `[{"name":"a"},{"name":"a"}]`, nil, "twice"},
		{"empty", ``, nil, "line 1, column 1"},
		{"not closed", `[{"name":"a"}`, nil, "line 1, column 13"},
		{"a comma too many", "[\n  {\"name\":\"a\"},\n]", nil, "line 3, column 1"},
		{"columns in characters", "[{\"name\":\"день\" x}]", nil, "line 1, column 17"},
		{"a line break within a text", "[{\"na\nme\":\"a\"}]", nil, "line 1, column 6"},
	} {
		t.Run(test.about, func(t *testing.T) {
			list, err := rule.ParseExtensions(test.text)
			if test.fault != "" {
				wantRule(t, err, "extensions")
				if !strings.Contains(err.Error(), test.fault) {
					t.Errorf("error %q does not contain %q", err, test.fault)
				}
				return
			}
			wantRule(t, err, "")
			var names []string
			for _, e := range list {
				names = append(names, e.Name)
			}
			if !slices.Equal(names, test.names) {
				t.Errorf("got %q, want %q", names, test.names)
			}
			if list == nil {
				t.Error("the list is nil, which would be no list at all")
			}
		})
	}
}

// TestExtensionRoundTrip: an element keeps everything that it contains.
func TestExtensionRoundTrip(t *testing.T) {
	for _, text := range []string{
		`{"name":"remove-bg"}`,
		`{"name":"remove-bg","options":{}}`,
		`{"name":"remove-bg","options":{"add_shadow":false,"bg_colour":"green"}}`,
		`{"maxTags":0,"minConfidence":0,"name":"google-auto-tagging"}`,
		`{"maxTags":null,"name":"x"}`,
		`{"name":"saved-extension","id":"ext_1"}`,
		`{"name":"ai-tasks","tasks":[{"big":12345678901234567890,"n":1.50}]}`,
	} {
		var e api.Extension
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, err := json.Marshal(e)
		if err != nil || string(got) != text {
			t.Errorf("%s was written as %s, %v", text, got, err)
		}
	}
}

// TestParseMetadata: service.md §4.1, customMetadata: the text is a JSON object.
func TestParseMetadata(t *testing.T) {
	for _, test := range []struct {
		about, text string
		keys        []string
		fault       string
	}{
		{"empty", `{}`, nil, ""},
		{"values of each type", `{"a":"x","b":1,"c":true,"d":null,"e":["x"],"день":{"f":1}}`, []string{"a", "b", "c", "d", "e", "день"}, ""},
		{"null", `null`, nil, "null"},
		{"an array", `[]`, nil, "array"},
		{"a text", `"a"`, nil, "string"},
		{"a number", `1`, nil, "number"},
		{"nothing", ``, nil, "line 1, column 1"},
		{"no quotes", "{\n\n  a: 1}", nil, "line 3, column 3"},
		{"something behind", `{"a":1} x`, nil, "line 1, column 9"},
		{"columns in characters", `{"день":день}`, nil, "line 1, column 9"},
	} {
		t.Run(test.about, func(t *testing.T) {
			got, err := rule.ParseMetadata(test.text)
			if test.fault != "" {
				wantRule(t, err, "customMetadata")
				if !strings.Contains(err.Error(), test.fault) {
					t.Errorf("error %q does not contain %q", err, test.fault)
				}
				return
			}
			wantRule(t, err, "")
			if keys := slices.Sorted(maps.Keys(got)); !slices.Equal(keys, test.keys) {
				t.Errorf("got keys %q, want %q", keys, test.keys)
			}
		})
	}
}

func TestParseColor(t *testing.T) {
	for text, want := range map[string]color.NRGBA{
		"red": {255, 0, 0, 255}, " Light Green ": {144, 238, 144, 255}, "#f00": {255, 0, 0, 255}, "00ff0080": {0, 255, 0, 128},
		"#12345678": {0x12, 0x34, 0x56, 0x78}, "transparent": {}, "rebeccapurple": {0x66, 0x33, 0x99, 255},
	} {
		if got, err := rule.ParseColor(text); err != nil || got != want {
			t.Errorf("%q is %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "#", "#12", "#12345", "nocolor", "#gggggg", "+12345", "#1234567890"} {
		if got, err := rule.ParseColor(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
