package rule

import (
	"encoding/json"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
)

func TestCheckMetadata(t *testing.T) {
	var fields []api.MetadataField
	text := `[
		{"id":"1","name":"brand","label":"Brand","description":"Who made it.",
			"schema":{"type":"Text","maxLength":4,"minLength":2}},
		{"id":"2","name":"year","label":"Year","schema":{"type":"Number","minValue":1900,"maxValue":2100}},
		{"id":"3","name":"day","label":"Day",
			"schema":{"type":"Date","minValue":"2026-01-01","maxValue":"2026-12-31"}},
		{"id":"4","name":"sold","label":"Sold","schema":{"type":"Boolean"}},
		{"id":"5","name":"size","label":"Size","schema":{"type":"SingleSelect","selectOptions":["S","M",3,true]}},
		{"id":"6","name":"for","label":"For","schema":{"type":"MultiSelect","selectOptions":["web","print"]}},
		{"id":"7","name":"new","label":"New","schema":{"type":"Hologram"}}]`
	mediatest.Must(t, json.Unmarshal([]byte(text), &fields))
	for _, c := range []struct{ values, wrong string }{
		{`{}`, ""},
		{`{"brand":"Acme","year":2026,"day":"2026-07-31","sold":false,"size":"M","for":["web"],"new":{"x":1}}`, ""},
		{`{"size":3.0}`, ""},
		{`{"size":true}`, ""},
		{`{"for":[]}`, ""},
		{`{"brand":null,"year":null}`, ""},
		{`{"day":"2026-07-31T10:00:00Z"}`, ""},
		{`{"color":"red"}`, `the key "color"`},
		{`{"brand":7}`, "is not text"},
		{`{"brand":"A"}`, "at least 2"},
		{`{"brand":"Acmes"}`, "at most 4"},
		{`{"year":"2026"}`, "is not a number"},
		{`{"year":1899}`, "less than 1900"},
		{`{"year":2101}`, "more than 2100"},
		{`{"day":"31.7.2026"}`, "is not a date"},
		{`{"day":"2025-12-31"}`, "is before"},
		{`{"day":"2027-01-01"}`, "is after"},
		{`{"sold":"yes"}`, "is not true or false"},
		{`{"size":"XL"}`, "not one of the options"},
		{`{"size":["M"]}`, "not one of the options"},
		{`{"for":"web"}`, "is not a list"},
		{`{"for":["web","tv"]}`, `holds "tv"`},
	} {
		values, err := ParseMetadata(c.values)
		mediatest.Must(t, err)
		err = CheckMetadata(fields, values)
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v; want %q", c.values, err, c.wrong)
		}
	}
	mediatest.Equal(t, DescribeField(&fields[0]), "Who made it. Text, 2 to 4 characters", "the hint")
	mediatest.Equal(t, describeSchema(&fields[1].Schema), "Number, 1900 to 2100", "words")
}
