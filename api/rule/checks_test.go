package rule_test

import (
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/rule"
)

func TestCheckChecks(t *testing.T) {
	for text, want := range map[string]string{
		`"file.size" < "2mb" AND "request.folder" : "news/"`:                         "",
		`'request.fileName' = 'a b.jpg' OR ("mediaMetadata.width" >= 600)`:           "",
		`"request.tags" IN ["a", "b"] AND "request.overwriteFile" NOT = true`:        "",
		`("file.mime" NOT IN ['image/png'] OR "request.customMetadata.price" > 3.5)`: "",
		`"request.fileName" = "she said \"hi\""`:                                     "",
		"":                                                                           "a comparison is missing",
		`"file.size" < "2mb" AND`:                                                    "a comparison is missing",
		`file.size < 2`:                                                              `"file.size" is not a field in quotation marks`,
		`"file.colour" = "red"`:                                                      `there is no field "file.colour"`,
		`"file.size" : "2mb"`:                                                        `file.size takes =, <, <=, >, >=, not ":"`,
		`"request.tags" = "a"`:                                                       "request.tags takes IN, NOT IN",
		`"request.tags" IN "a"`:                                                      "IN needs a list",
		`"request.tags" IN ["a" "b"]`:                                                "a list is not closed",
		`"file.size" <`:                                                              "compared with nothing",
		`"file.mime" = png`:                                                          `png is a text and needs quotation marks`,
		`"file.size" < "big"`:                                                        `"big" is not a size`,
		`"request.isPrivateFile" = "true"`:                                           "takes no quotation marks",
		`"mediaMetadata.width" > wide`:                                               "wide is not a number",
		`"file.mime" = "png`:                                                         "a quotation mark is not closed",
		`("file.size" < 2`:                                                           "a parenthesis is not closed",
		`"file.size" < 2 "file.size" > 1`:                                            "is not AND or OR",
		`"file.size" < 2 with "file.size" > 1`:                                       `"with" is not AND or OR`,
		strings.Repeat("(", 60) + `"file.size" < 2` + strings.Repeat(")", 60): "nest too deep",
		strings.Repeat(`"file.size" < 2 OR `, 200) + `"file.size" < 2`:        "too long",
		`"request.isPrivateFile" NOT`:                                         `not "NOT "`,
	} {
		err := rule.CheckChecks(text)
		if want == "" {
			wantRule(t, err, "")
			continue
		}
		wantRule(t, err, "checks")
		if err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestParseChecks: AND binds closer than OR, and a known custom metadata field has its own operators.
func TestParseChecks(t *testing.T) {
	c, err := rule.ParseChecks(`"file.size" < 2 OR "file.mime" = 'a' AND ("request.tags" NOT IN ["x","y"] OR "request.isPublished" NOT = true)`, nil, true)
	if err != nil || len(c.Any) != 2 || len(c.Any[1].All) != 2 || len(c.Any[1].All[1].Any) != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	if in := c.Any[1].All[1].Any[0]; in.Operator != "NOT IN" || len(in.Values) != 2 ||
		in.Values[1].Text != "y" || in.Field.Text != "request.tags" {
		t.Errorf("the list is %+v", in)
	}
	fields := []api.MetadataField{{Name: "price", Schema: api.MetadataSchema{Type: rule.MetadataNumber}}}
	for text, want := range map[string]string{
		`"request.customMetadata.price" > 5`:       "",
		`"request.customMetadata.price" > "5"`:     "takes no quotation marks",
		`"request.customMetadata.price" : 5`:       "takes =",
		`"request.customMetadata.price" EXISTS`:    "takes =",
		`"request.customMetadata.none" > 5`:        `no custom metadata field "none"`,
		`"request.customMetadata.price" > 5 AND (`: "a comparison is missing",
	} {
		_, err := rule.ParseChecks(text, fields, true)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := rule.ParseChecks(`"request.customMetadata.none" > 5`, nil, true); err == nil {
		t.Error("an unknown field is accepted where there are none")
	}
}
