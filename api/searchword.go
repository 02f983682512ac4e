package api

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// SearchWord is a word, an operator or a quoted text in a search query (hosted-service.md §8).
type SearchWord struct {
	Text   string // without the quotation marks
	Quoted bool
}

var (
	searchWordForm = regexp.MustCompile(`(?s)^(?:[ \t\r\n]+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[()\[\],:]|[<>=!]=?|[^ \t\r\n"'()\[\],:<>=!]+)`)
	searchEscape   = regexp.MustCompile(`(?s)\\(.)`)
	searchAge      = regexp.MustCompile(`^[0-9]{1,6}[hdwmy]$`)
)

// SplitSearch splits a search query. The error reports an unclosed quotation mark.
func SplitSearch(query string) (words []SearchWord, err error) {
	for query != "" {
		word := searchWordForm.FindString(query)
		query = query[len(word):]
		switch {
		case word == "":
			return nil, errors.New("a quotation mark is not closed")
		case strings.ContainsAny(word[:1], `"'`):
			words = append(words, SearchWord{searchEscape.ReplaceAllString(word[1:len(word)-1], "$1"), true})
		case !strings.ContainsAny(word[:1], " \t\r\n"):
			words = append(words, SearchWord{Text: word})
		}
	}
	return words, nil
}

// The operators of searches (hosted-service.md §8).
var (
	SearchEquals   = []string{"=", "NOT =", "IN", "NOT IN"}
	SearchCompares = []string{"<", "<=", ">", ">="}
	SearchLists    = []string{"IN", "NOT IN"}
	SearchExists   = []string{"EXISTS", "NOT EXISTS"}
)

// SearchOperators returns the search operators for values of the type, in upper case
// (hosted-service.md §8).
func (s *MetadataSchema) SearchOperators() []string {
	var list []string
	switch s.Type {
	case MetadataText, MetadataTextarea:
		list = slices.Concat(SearchEquals, []string{":", "HAS"})
	case MetadataNumber, MetadataDate:
		list = slices.Concat(SearchEquals, SearchCompares)
	case MetadataSingleSelect:
		list = slices.Concat(SearchEquals, []string{":"}, SearchCompares)
	case MetadataBoolean:
		list = []string{"="}
	case MetadataMultiSelect:
		list = SearchLists
	}
	return append(list, SearchExists...)
}

// SearchMisfit says why a search value does not fit the type, as part of a sentence; empty if it fits
// or the type is unknown. operator is in upper case.
func (s *MetadataSchema) SearchMisfit(operator string, value SearchWord) string {
	_, err := strconv.ParseFloat(value.Text, 64)
	number := err == nil && strings.ContainsAny(value.Text, "0123456789")
	boolean := strings.EqualFold(value.Text, "true") || strings.EqualFold(value.Text, "false")
	const bare = "is a text and needs quotation marks"
	switch s.Type {
	case MetadataNumber:
		if !number {
			return "is no number"
		}
		if value.Quoted {
			return "is a number and takes no quotation marks"
		}
	case MetadataBoolean:
		if !boolean {
			return "is not true or false"
		}
		if value.Quoted {
			return "takes no quotation marks"
		}
	case MetadataDate:
		if _, ok := parseDate(value.Text, "2006-01-02T15:04:05"); !ok && !searchAge.MatchString(value.Text) {
			return `is no date such as "2026-07-31" and no age such as 7d`
		}
	case MetadataSingleSelect, MetadataMultiSelect:
		if slices.Contains(SearchCompares, operator) && (value.Quoted || !number) {
			return "is no number, and only numbers can be compared"
		}
		if !value.Quoted && !number && !boolean {
			return bare
		}
	case MetadataText, MetadataTextarea:
		if !value.Quoted {
			return bare
		}
	}
	return ""
}

// SearchSize returns the number of bytes of a size in a search query, such as 600, 10kb or 1.5mb, where
// 1kb is 1,024 bytes (hosted-service.md §8).
func SearchSize(text string) (int64, error) {
	digits, factor := strings.ToLower(strings.ReplaceAll(text, " ", "")), 1.0
	for _, unit := range []struct {
		name  string
		bytes float64
	}{{"gb", 1 << 30}, {"mb", 1 << 20}, {"kb", 1 << 10}, {"b", 1}} {
		if number, ok := strings.CutSuffix(digits, unit.name); ok {
			digits, factor = number, unit.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(n >= 0 && n*factor < 1<<60) {
		return 0, fmt.Errorf("%s is not a size", quote(text))
	}
	return int64(n * factor), nil
}

// SearchKey is the prefix of a custom metadata field in a search query.
const SearchKey = "customMetadata."

// CheckSearch returns a *RuleError if a condition of a search query uses an unknown custom metadata
// field or a value of the wrong type. It does not check the rest of the query.
func CheckSearch(fields []MetadataField, query string) error {
	refuse := func(message, help string) error { return &RuleError{"searchQuery", message, help} }
	words, err := SplitSearch(query)
	if err != nil {
		return refuse(err.Error(), `Type the same quotation mark at the end of the text.`)
	}
	for i, word := range words {
		name, custom := strings.CutPrefix(word.Text, SearchKey)
		// A word after an operator is a value.
		if !custom || i > 0 && isOperator(words[i-1]) {
			continue
		}
		at := slices.IndexFunc(fields, func(f MetadataField) bool { return f.Name == name })
		if at < 0 {
			return refuse(quote(name)+" is no custom metadata field", "The fields are: "+clip(fieldNames(fields), 400)+".")
		}
		schema := &fields[at].Schema
		operator, values := condition(words[i+1:])
		takes := schema.SearchOperators()
		if schema.Type != "" && !slices.Contains(takes, operator) {
			return refuse(fmt.Sprintf("%s takes %s, not %s", word.Text, strings.Join(takes, ", "), quote(operator)), "Its field takes "+schema.Describe()+".")
		}
		for _, v := range values {
			if reason := schema.SearchMisfit(operator, v); reason != "" {
				return refuse(fmt.Sprintf("%s %s %s: the value %s", word.Text, operator, v, reason), "Its field takes "+schema.Describe()+".")
			}
		}
	}
	return nil
}

// String returns the word as it appears in a query.
func (w SearchWord) String() string {
	if w.Quoted {
		return SearchValue(w.Text)
	}
	return w.Text
}

func isOperator(w SearchWord) bool {
	return !w.Quoted && (strings.ContainsAny(w.Text, "<>=:[,") || strings.EqualFold(w.Text, "HAS"))
}

// condition returns the operator, in upper case, and the values at the beginning of words.
func condition(words []SearchWord) (operator string, values []SearchWord) {
	next := func() (w SearchWord) {
		if len(words) > 0 {
			w, words = words[0], words[1:]
		}
		return w
	}
	if operator = strings.ToUpper(next().Text); operator == "NOT" {
		operator += " " + strings.ToUpper(next().Text)
	}
	switch {
	case slices.Contains(SearchExists, operator):
		return operator, nil
	case !slices.Contains(SearchLists, operator):
		return operator, []SearchWord{next()}
	}
	for next(); len(words) > 0 && (words[0].Quoted || words[0].Text != "]"); { // after the bracket
		if w := next(); w.Quoted || w.Text != "," {
			values = append(values, w)
		}
	}
	return operator, values
}

func fieldNames(fields []MetadataField) string {
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].Name
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}
