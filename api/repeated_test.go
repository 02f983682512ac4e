package api_test

import (
	"testing"

	"mediadesk/api"
)

func TestRepeatedMember(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"b":2}`:                        "",
		`{"a":1,"a":1}`:                        "a",
		`{"a":1,"\u0061":2}`:                   "a",
		`{"a":"b","b":"a"}`:                    "",
		`{"a":{"a":{"a":[]}},"b":{"a":null}}`:  "",
		`[{"a":1},{"a":1}]`:                    "",
		`[1,{"x":[[{"b":{},"a":[],"b":{}}]]}]`: "b",
		`{"a":["b","b"],"b":{"c":1},"":0}`:     "",
		`"a"`:                                  "",
		`{"a":1,"a`:                            "",
		``:                                     "",
	} {
		if got, found := api.RepeatedMember([]byte(text)); got != want || found != (want != "") {
			t.Errorf("%s repeats %q, want %q", text, got, want)
		}
	}
	if _, found := api.RepeatedMember([]byte(`{"":0,"a":{},"":1}`)); !found {
		t.Error("a repeated empty name was not found")
	}
}
