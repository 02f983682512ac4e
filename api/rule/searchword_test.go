package rule

import (
	"encoding/json"
	"fmt"
	"slices"
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

// checkSearch parses a condition on searchFields and checks its values, as the local library does.
func checkSearch(query string) error {
	schemaOf := func(field SearchWord) *api.MetadataSchema {
		name, custom := strings.CutPrefix(field.Text, SearchKey)
		at := slices.IndexFunc(searchFields, func(f api.MetadataField) bool { return f.Name == name })
		if !custom || at < 0 {
			return &api.MetadataSchema{}
		}
		return &searchFields[at].Schema
	}
	c, err := ParseCondition(query, func(field SearchWord) ([]string, error) {
		if schema := schemaOf(field); schema.Type != "" {
			return SearchOperators(schema), nil
		}
		return slices.Concat(SearchEquals, SearchCompares, SearchExists, []string{":", "HAS"}), nil
	})
	if err != nil {
		return err
	}
	return c.each(func(c *Condition) error {
		for _, v := range c.Values {
			if reason := SearchMisfit(schemaOf(c.Field), c.Operator, v); reason != "" {
				return fmt.Errorf("%s %s %s %s", c.Field.Text, c.Operator, v, reason)
			}
		}
		return nil
	})
}

// TestConditions: a condition takes the operators and values of the type of its field.
func TestConditions(t *testing.T) {
	for _, query := range []string{
		`name = "a"`, `"customMetadata.price" > 5 AND size > "1mb"`, `"customMetadata.price" > 0`, `"customMetadata.price" NOT IN [1, 2.5]`,
		`"customMetadata.price" NOT EXISTS`, `"customMetadata.brand" HAS "red bo"`, `"customMetadata.brand" IN ["a", "b"]`, `'customMetadata.brand' : "A"`,
		`"customMetadata.since" > "2026-01-31"`, `"customMetadata.since" > 7d`, `"customMetadata.since" <= "2026-01-31T12:00:00"`,
		`"customMetadata.sold" = true`, `"customMetadata.color" = "red"`, `"customMetadata.color" > 6`, `"customMetadata.rooms" IN ["hall"]`,
		`name = "customMetadata.other"`, `("customMetadata.price" = 5 OR tags IN ["customMetadata.x"])`,
	} {
		if err := checkSearch(query); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
	for query, want := range map[string]string{
		`customMetadata.price > "abc"`:              `customMetadata.price > "abc" is not a number`,
		`size > 1 AND "customMetadata.price" > "5"`: `takes no quotation marks`,
		`"customMetadata.price" IN [1, "b"]`:        `customMetadata.price IN "b" is not a number`,
		`"customMetadata.price" HAS "5"`:            `takes =, NOT =, IN, NOT IN, <, <=, >, >=, EXISTS, NOT EXISTS, not "HAS"`,
		`"customMetadata.price" >`:                  `compared with nothing`,
		`"customMetadata.brand" = 5`:                `is a text`,
		`"customMetadata.since" > "soon"`:           `is not a date`,
		`"customMetadata.sold" = "true"`:            `takes no quotation marks`,
		`"customMetadata.sold" = yes`:               `is not true or false`,
		`"customMetadata.color" > "red"`:            `only numbers`,
		`"customMetadata.rooms" = "hall"`:           `takes IN, NOT IN`,
		`"customMetadata.rooms" NOT IN [hall]`:      `is a text`,
		`name = "a`:                                 `not closed`,
	} {
		if err := checkSearch(query); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", query, err, want)
		}
	}
}
