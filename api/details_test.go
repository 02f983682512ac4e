package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/media/mediatest"
)

// TestDetailsOnTheWire: service.md §4.2: an absent field changes nothing, null clears it, and an
// empty list does neither.
func TestDetailsOnTheWire(t *testing.T) {
	for _, test := range []struct {
		about string
		d     api.Details
		want  string
		empty bool
	}{
		{"nothing", api.Details{}, `{}`, true},
		{"tags", api.Details{Tags: api.Set([]string{"a", "am Meer, 50%"})}, `{"tags":["a","am Meer, 50%"]}`, false},
		{"tags unset", api.Details{Tags: api.Null[[]string]()}, `{"tags":null}`, false},
		{"an empty list", api.Details{Tags: api.Set([]string{})}, `{"tags":[]}`, false},
		{"a nil list", api.Details{Tags: api.Set([]string(nil))}, `{"tags":[]}`, false},
		{"region", api.Details{CustomCoordinates: api.Set("1,2,3,4")}, `{"customCoordinates":"1,2,3,4"}`, false},
		{"region unset", api.Details{CustomCoordinates: api.Null[string]()}, `{"customCoordinates":null}`, false},
		{"both", api.Details{Tags: api.Null[[]string](), CustomCoordinates: api.Set("1,2,3,4")}, `{"tags":null,"customCoordinates":"1,2,3,4"}`, false},
		{"a metadata key unset", api.Details{CustomMetadata: api.Set(map[string]json.RawMessage{"brand": json.RawMessage("null")})}, `{"customMetadata":{"brand":null}}`, false},
		{"an empty description", api.Details{Other: api.Members{"description": []byte(`""`)}}, `{"description":""}`, false},
		{"extensions", api.Details{Extensions: api.Set([]api.Extension{{Name: "x"}}), WebhookURL: api.Set("https://a.example/")}, `{"extensions":[{"name":"x"}],"webhookUrl":"https://a.example/"}`, false},
	} {
		t.Run(test.about, func(t *testing.T) {
			text, err := json.Marshal(test.d)
			if err != nil || string(text) != test.want {
				t.Errorf("got %s, %v; want %s", text, err, test.want)
			}
			mediatest.Equal(t, test.d.IsEmpty(), test.empty, "IsEmpty")
			if found := entry.CheckDetails(test.d); found != nil {
				t.Errorf("Check: %v", found)
			}
			var back api.Details
			must(t, json.Unmarshal(text, &back))
			if again, _ := json.Marshal(back); string(again) != test.want {
				t.Errorf("got %s back", again)
			}
		})
	}
}

func TestDetailsCheck(t *testing.T) {
	bad := api.Details{
		Tags: api.Set([]string{"a", ""}), CustomCoordinates: api.Set("1,2,3"),
		Extensions: api.Set([]api.Extension{{}}), WebhookURL: api.Set("x"),
	}
	fields := []string{"tags", "customCoordinates", "extensions", "webhookUrl"}
	found := entry.CheckDetails(bad)
	if len(found) != len(fields) {
		t.Fatalf("found %v, want %d faults", found, len(fields))
	}
	for i, field := range fields {
		wantRule(t, found[i], field)
	}
	// The limit of 500 characters is only for uploads (service.md §8).
	long := api.Details{Tags: api.Set([]string{strings.Repeat("x", 600)})}
	if found := entry.CheckDetails(long); found != nil {
		t.Errorf("long tags: %v", found)
	}
}
