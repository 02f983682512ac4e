package rule

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
)

func TestSchemaCheck(t *testing.T) {
	for _, c := range []struct{ schema, wrong string }{
		{`{"type":"Text"}`, ""},
		{`{"type":"Text","isValueRequired":true,"defaultValue":"a","minLength":1,"maxLength":1}`, ""},
		{`{"type":"Date","minValue":"2026-01-01","defaultValue":"2026-01-01T00:00:00Z"}`, ""},
		{`{"type":"MultiSelect","selectOptions":["a",1,true],"defaultValue":[]}`, ""},
		{`{"type":"Number","minValue":null,"defaultValue":null}`, ""},
		{`{"type":"Colour"}`, "not known"},
		{`{"type":"Text","isValueRequired":true}`, "defaultValue is missing"},
		{`{"type":"Number","defaultValue":"1"}`, "defaultValue is not a number"},
		{`{"type":"Boolean","minLength":1}`, "Text and Textarea only"},
		{`{"type":"Text","maxLength":-1}`, "nothing between"},
		{`{"type":"Text","maxValue":1}`, "Number and Date only"},
		{`{"type":"Date","maxValue":"soon"}`, "maxValue is not a date"},
		{`{"type":"Number","minValue":2,"maxValue":1}`, "nothing between"},
		{`{"type":"SingleSelect"}`, "selectOptions are missing"},
		{`{"type":"SingleSelect","selectOptions":[{}]}`, "selectOptions hold {}"},
	} {
		var s api.MetadataSchema
		mediatest.Must(t, json.Unmarshal([]byte(c.schema), &s))
		err := CheckSchema(&s)
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v; want %q", c.schema, err, c.wrong)
		}
	}
}

func TestRequiredAndDefaultMetadata(t *testing.T) {
	fields := []api.MetadataField{
		{Name: "a", Schema: api.MetadataSchema{Type: MetadataText, Required: true, Default: json.RawMessage(`"x"`)}},
		{Name: "b", Schema: api.MetadataSchema{Type: MetadataNumber, Default: json.RawMessage(`1`)}},
		{Name: "c", Schema: api.MetadataSchema{Type: MetadataNumber}},
	}
	for _, c := range []struct {
		values   string
		required bool
		with     string
	}{
		{`{}`, false, `map[a:"x" b:1]`},
		{`{"a":null,"c":3}`, false, `map[a:"x" b:1 c:3]`},
		{`{"a":"y"}`, true, `map[a:"y" b:1]`},
		{`{"a":"y","b":2}`, true, `map[a:"y" b:2]`},
	} {
		values, err := ParseMetadata(c.values)
		mediatest.Must(t, err)
		before := printed(values)
		mediatest.Equal(t, CheckRequiredMetadata(fields, values) == nil, c.required,
			"%s has all that is required", c.values)
		if got := printed(DefaultMetadata(fields, values)); got != c.with {
			t.Errorf("%s is %s with the defaults, want %s", c.values, got, c.with)
		}
		mediatest.Equal(t, printed(values), before, "%s was changed", c.values)
	}
	mediatest.Equal(t, describeSchema(&fields[0].Schema), "Text, required", "words")
}

func printed(values map[string]json.RawMessage) string { return fmt.Sprintf("%s", values) }
