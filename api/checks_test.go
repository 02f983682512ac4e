package api_test

import (
	"strings"
	"testing"

	"mediadesk/api"
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
		`"file.mime" = png`:                                                          `"png" needs quotation marks`,
		`"file.mime" = "png`:                                                         "a quotation mark is not closed",
		`("file.size" < 2`:                                                           "a parenthesis is not closed",
		`"file.size" < 2 "file.size" > 1`:                                            "is not AND or OR",
		`"file.size" < 2 and "file.size" > 1`:                                        `"and" is not AND or OR`,
		`"request.isPrivateFile" NOT`:                                                `not "NOT "`,
	} {
		err := api.CheckChecks(text)
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

func FuzzCheckChecks(f *testing.F) {
	for _, text := range []string{`"file.size" < "2mb" AND ("request.tags" IN ["a"])`, `((`, `"request.tags" IN [`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if err := api.CheckChecks(text); err != nil && api.Hint(err) == "" {
			t.Errorf("%q: the error has no help", text)
		}
	})
}
