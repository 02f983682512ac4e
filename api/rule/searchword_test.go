package rule

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mediadesk/api"
)

var searchFields = []api.MetadataField{
	{Name: "price", Schema: api.MetadataSchema{Type: MetadataNumber, MinValue: json.RawMessage("1")}},
	{Name: "brand", Schema: api.MetadataSchema{Type: MetadataText}},
	{Name: "since", Schema: api.MetadataSchema{Type: MetadataDate}},
	{Name: "sold", Schema: api.MetadataSchema{Type: MetadataBoolean}},
	{Name: "color", Schema: api.MetadataSchema{Type: MetadataSingleSelect, Options: []json.RawMessage{json.RawMessage(`"red"`), json.RawMessage(`7`)}}},
	{Name: "rooms", Schema: api.MetadataSchema{Type: MetadataMultiSelect, Options: []json.RawMessage{json.RawMessage(`"hall"`)}}},
}

// TestCheckSearch: only conditions on custom metadata are refused, with the field, the value and what
// is allowed.
func TestCheckSearch(t *testing.T) {
	for _, query := range []string{
		``, `name = "a"`, `"customMetadata.price" > 5 AND size > "1mb"`, `"customMetadata.price" > 0`, `"customMetadata.price" NOT IN [1, 2.5]`,
		`"customMetadata.price" NOT EXISTS`, `"customMetadata.brand" HAS "red bo"`, `"customMetadata.brand" IN ["a", "b"]`, `'customMetadata.brand' : "A"`,
		`"customMetadata.since" > "2026-01-31"`, `"customMetadata.since" > 7d`, `"customMetadata.since" <= "2026-01-31T12:00:00"`,
		`"customMetadata.sold" = true`, `"customMetadata.color" = "red"`, `"customMetadata.color" > 6`, `"customMetadata.rooms" IN ["hall"]`,
		`name = "customMetadata.other"`, `("customMetadata.price" = 5 OR tags IN ["customMetadata.x"])`,
	} {
		if err := CheckSearch(searchFields, query); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
	for query, want := range map[string]string{
		`customMetadata.price > "abc"`:                           `customMetadata.price > "abc": the value is no number`,
		`size > 1 AND "customMetadata.price" > "5"`:              `takes no quotation marks`,
		`"customMetadata.price" IN [1, "b"]`:                     `customMetadata.price IN "b": the value is no number`,
		`"customMetadata.price" HAS "5"`:                         `takes =, NOT =, IN, NOT IN, <, <=, >, >=, EXISTS, NOT EXISTS, not "HAS"`,
		`"customMetadata.price" >`:                               `compared with nothing`,
		`"customMetadata.brand" = 5`:                             `is a text`,
		`"customMetadata.since" > "soon"`:                        `is no date`,
		`"customMetadata.sold" = "true"`:                         `takes no quotation marks`,
		`"customMetadata.sold" = yes`:                            `is not true or false`,
		`"customMetadata.color" > "red"`:                         `only numbers`,
		`"customMetadata.rooms" = "hall"`:                        `takes IN, NOT IN`,
		`"customMetadata.rooms" NOT IN [hall]`:                   `is a text`,
		`"customMetadata.brand" = "a" OR "customMetadata.x" = 1`: `"x" is no custom metadata field`,
		`name = "a`: `not closed`,
	} {
		var rule *api.RuleError
		if err := CheckSearch(searchFields, query); !errors.As(err, &rule) || !strings.Contains(rule.Message, want) {
			t.Errorf("%s: %v, want %s", query, err, want)
		}
	}
	var rule *api.RuleError
	if errors.As(CheckSearch(searchFields, `"customMetadata.color" > "red"`), &rule); rule.Help != "Its field takes SingleSelect of red, 7." {
		t.Errorf("help: %s, want \"Its field takes SingleSelect of red, 7.\"", rule.Help)
	}
	if errors.As(CheckSearch(nil, `"customMetadata.color" = "red"`), &rule); rule.Help != "The fields are: none." {
		t.Errorf("help without fields: %s, want \"The fields are: none.\"", rule.Help)
	}
}
