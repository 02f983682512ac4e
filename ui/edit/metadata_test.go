package edit

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/rule"
)

func TestMetadataValue(t *testing.T) {
	options := []json.RawMessage{json.RawMessage(`"red"`), json.RawMessage(`7`), json.RawMessage(`"8"`)}
	for _, c := range []struct{ kind, typed, want string }{
		{"", `{"a":1}`, `{"a":1}`},
		{"", ` `, ``},
		{rule.MetadataText, ` a <b> `, `" a <b> "`},
		{rule.MetadataTextarea, `12`, `"12"`},
		{rule.MetadataDate, ` 2026-07-31 `, `"2026-07-31"`},
		{rule.MetadataNumber, ` 12.5 `, `12.5`},
		{rule.MetadataNumber, `twelve`, `"twelve"`},
		{rule.MetadataNumber, `"12"`, `"\"12\""`},
		{rule.MetadataBoolean, `true`, `true`},
		{rule.MetadataSingleSelect, `red`, `"red"`},
		{rule.MetadataMultiSelect, `red, 7,8 , 9, blue`, `["red",7,"8",9,"blue"]`},
		{rule.MetadataMultiSelect, `["red"]`, `["red"]`},
	} {
		got := MetadataValue(c.typed, api.MetadataSchema{Type: c.kind, Options: options})
		if string(got) != c.want {
			t.Errorf("%s %q is %s, want %s", c.kind, c.typed, got, c.want)
		}
	}
}

// TestMetadataTextReadsBack: the text of a value reads back as the value.
func TestMetadataTextReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := api.MetadataSchema{Type: rapid.SampledFrom([]string{
			"", rule.MetadataText, rule.MetadataNumber, rule.MetadataBoolean, rule.MetadataMultiSelect,
		}).Draw(t, "type")}
		var value any
		switch s.Type {
		case rule.MetadataNumber:
			value = rapid.Float64().Draw(t, "number")
		case rule.MetadataBoolean:
			value = rapid.Bool().Draw(t, "bool")
		case rule.MetadataMultiSelect:
			words := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z7]{1,5}`), 1, 4, rapid.ID).Draw(t, "list")
			for _, w := range words {
				s.Options = append(s.Options, rule.JSON(w))
			}
			value = words
		default:
			value = rapid.StringMatching(`[ a-z<"\\7]*[a-z"]`).Draw(t, "text")
		}
		raw, err := json.Marshal(value)
		must(t, err)
		var was, back any
		must(t, json.Unmarshal(raw, &was))
		typed := MetadataText(raw, s)
		if err := json.Unmarshal(MetadataValue(typed, s), &back); err != nil {
			t.Fatalf("%s shown as %q: %v", raw, typed, err)
		}
		a, _ := json.Marshal(was)
		b, _ := json.Marshal(back)
		if string(a) != string(b) {
			t.Fatalf("%s is shown as %q and reads as %s", a, typed, b)
		}
	})
}

func TestMatches(t *testing.T) {
	here, all := []string{"sea", "Seaside"}, []string{"over-sea", "oversea", "old", "sea", "seal"}
	if got := Matches(" SEA ", here, all); !slices.Equal(got, []string{"sea", "Seaside", "seal", "over-sea"}) {
		t.Errorf("found %q", got)
	}
}
