package api_test

import (
	"encoding/json"
	"testing"

	"mediadesk/api"
)

type fields struct {
	Flag  api.Field[bool]              `json:"flag,omitzero"`
	Count api.Field[int]               `json:"count,omitzero"`
	Text  api.Field[string]            `json:"text,omitzero"`
	List  api.Field[[]string]          `json:"list,omitzero"`
	Map   api.Field[map[string]string] `json:"map,omitzero"`
}

// TestFieldKeepsItsStates: absent, null, empty and false are four different values, also in JSON and back.
func TestFieldKeepsItsStates(t *testing.T) {
	for _, test := range []struct {
		about string
		value fields
		text  string
	}{
		{"absent", fields{}, `{}`},
		{"null", fields{api.Null[bool](), api.Null[int](), api.Null[string](), api.Null[[]string](), api.Null[map[string]string]()}, `{"flag":null,"count":null,"text":null,"list":null,"map":null}`},
		{"empty and false", fields{api.Set(false), api.Set(0), api.Set(""), api.Set([]string{}), api.Set(map[string]string{})}, `{"flag":false,"count":0,"text":"","list":[],"map":{}}`},
		{"nil list and map are empty ones", fields{List: api.Set([]string(nil)), Map: api.Set(map[string]string(nil))}, `{"list":[],"map":{}}`},
		{"values", fields{api.Set(true), api.Set(-1), api.Set("x"), api.Set([]string{"a"}), api.Set(map[string]string{"k": "v"})}, `{"flag":true,"count":-1,"text":"x","list":["a"],"map":{"k":"v"}}`},
	} {
		t.Run(test.about, func(t *testing.T) {
			text, err := json.Marshal(test.value)
			if err != nil || string(text) != test.text {
				t.Fatalf("written as %s, %v; want %s", text, err, test.text)
			}
			var back fields
			must(t, json.Unmarshal(text, &back))
			for _, pair := range [][2]interface {
				IsZero() bool
				IsNull() bool
				IsSet() bool
			}{
				{test.value.Flag, back.Flag},
				{test.value.Count, back.Count},
				{test.value.Text, back.Text},
				{test.value.List, back.List},
				{test.value.Map, back.Map},
			} {
				if a, b := pair[0], pair[1]; a.IsZero() != b.IsZero() || a.IsNull() != b.IsNull() ||
					a.IsSet() != b.IsSet() {
					t.Errorf("%+v was read back as %+v", a, b)
				}
			}
			if again, _ := json.Marshal(back); string(again) != test.text {
				t.Errorf("got %s back", again)
			}
		})
	}
}

func TestFieldRefusesOtherTypes(t *testing.T) {
	for _, text := range []string{`{"flag":"true"}`, `{"count":1.5}`, `{"text":1}`, `{"list":"a"}`, `{"list":[1]}`, `{"map":[]}`} {
		var v fields
		if json.Unmarshal([]byte(text), &v) == nil {
			t.Errorf("%s was read as %+v", text, v)
		}
	}
	f := api.Set("before")
	if json.Unmarshal([]byte(`1`), &f) == nil || f != api.Set("before") {
		t.Errorf("a value of another type gave %+v", f)
	}
}
