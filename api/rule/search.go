package rule

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mediadesk/api"
)

// Condition is a search query or an upload field checks (hosted-service.md §8, §12): either a
// comparison, or conditions of which All or Any are to be met.
type Condition struct {
	All, Any []Condition

	Field    SearchWord
	Operator string       // in upper case, such as "NOT IN"; empty if this is no comparison
	Values   []SearchWord // a list after IN, none after EXISTS, else one
}

func (c *Condition) each(do func(*Condition) error) error {
	for _, part := range slices.Concat(c.All, c.Any) {
		if err := part.each(do); err != nil {
			return err
		}
	}
	if c.Operator == "" {
		return nil
	}
	return do(c)
}

// Limits of a condition, which protect the service.
const (
	maxConditionDepth = 50 // of parentheses
	maxConditionWords = 600
	maxConditionList  = 500
)

// ParseCondition parses comparisons joined by AND and OR, where AND binds closer, with parentheses.
// Words are accepted in any case. operators returns the operators of a field, in upper case, or why
// there is no such field. The values are not checked.
func ParseCondition(text string, operators func(field SearchWord) ([]string, error)) (Condition, error) {
	words, err := splitSearch(text)
	if err != nil {
		return Condition{}, err
	}
	if len(words) > maxConditionWords {
		return Condition{}, errors.New("it is too long")
	}
	p := conditionParser{words: words, operators: operators}
	c, err := p.any()
	if err == nil && len(p.words) > 0 {
		err = fmt.Errorf("%s is not AND or OR", api.Quote(p.words[0].Text))
	}
	return c, err
}

type conditionParser struct {
	words     []SearchWord // not read yet
	depth     int
	operators func(field SearchWord) ([]string, error)
}

// word reads the next word if it is word, not quoted.
func (p *conditionParser) word(word string) bool {
	if len(p.words) == 0 || p.words[0].Quoted || !strings.EqualFold(p.words[0].Text, word) {
		return false
	}
	p.words = p.words[1:]
	return true
}

// next reads the next word. It is empty at the end.
func (p *conditionParser) next() (word SearchWord) {
	if len(p.words) > 0 {
		word, p.words = p.words[0], p.words[1:]
	}
	return word
}

func (p *conditionParser) any() (Condition, error) {
	if p.depth++; p.depth > maxConditionDepth {
		return Condition{}, errors.New("the parentheses nest too deep")
	}
	defer func() { p.depth-- }()
	list, err := p.joined("OR", p.all)
	if len(list) == 1 {
		return list[0], err
	}
	return Condition{Any: list}, err
}

func (p *conditionParser) all() (Condition, error) {
	list, err := p.joined("AND", p.primary)
	if len(list) == 1 {
		return list[0], err
	}
	return Condition{All: list}, err
}

func (p *conditionParser) joined(with string, part func() (Condition, error)) (list []Condition, err error) {
	for len(list) == 0 || p.word(with) {
		c, err := part()
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

func (p *conditionParser) primary() (Condition, error) {
	if !p.word("(") {
		return p.comparison()
	}
	c, err := p.any()
	if err == nil && !p.word(")") {
		err = errors.New("a parenthesis is not closed")
	}
	return c, err
}

func (p *conditionParser) comparison() (c Condition, err error) {
	if len(p.words) == 0 {
		return c, errors.New("a comparison is missing at the end")
	}
	c.Field = p.next()
	takes, err := p.operators(c.Field)
	if err != nil {
		return c, err
	}
	not := p.word("NOT")
	operator := p.next()
	if c.Operator = strings.ToUpper(operator.Text); not {
		c.Operator = "NOT " + c.Operator
	}
	if operator.Quoted || !slices.Contains(takes, c.Operator) {
		list := strings.Join(takes, ", ")
		return c, fmt.Errorf("%s takes %s, not %s", c.Field.Text, list, api.Quote(c.Operator))
	}
	switch {
	case slices.Contains(SearchExists, c.Operator):
	case slices.Contains(SearchLists, c.Operator):
		c.Values, err = p.list()
	default:
		c.Values, err = []SearchWord{p.next()}, nil
		if c.Values[0].isSign() {
			err = fmt.Errorf("%s is compared with nothing", c.Field.Text)
		}
	}
	return c, err
}

// isSign reports whether a word is a sign or missing, and not a value.
func (w SearchWord) isSign() bool {
	return !w.Quoted && (w.Text == "" || w.Text == "AND" || w.Text == "OR" ||
		strings.ContainsAny(w.Text[:1], "()[],:<>="))
}

func (p *conditionParser) list() (list []SearchWord, err error) {
	if !p.word("[") {
		return nil, errors.New(`IN needs a list such as ["a","b"]`)
	}
	for closed := p.word("]"); !closed; closed = p.word("]") {
		list = append(list, p.next())
		ends := len(p.words) > 0 && p.words[0] == SearchWord{Text: "]"}
		if list[len(list)-1].isSign() || !p.word(",") && !ends {
			return nil, errors.New("a list is not closed")
		}
	}
	if len(list) == 0 || len(list) > maxConditionList {
		return nil, fmt.Errorf("a list takes 1 to %d texts", maxConditionList)
	}
	return list, nil
}

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

// splitSearch splits a search query. The error reports an unclosed quotation mark.
func splitSearch(query string) (words []SearchWord, err error) {
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
func SearchOperators(s *api.MetadataSchema) []string {
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

// SearchMisfit says why a search value does not fit the type, as part of a sentence; empty if it
// fits or the type is unknown. operator is in upper case.
func SearchMisfit(s *api.MetadataSchema, operator string, value SearchWord) string {
	_, err := strconv.ParseFloat(value.Text, 64)
	number := err == nil && strings.ContainsAny(value.Text, "0123456789")
	boolean := strings.EqualFold(value.Text, "true") || strings.EqualFold(value.Text, "false")
	const unquoted = "is a text and needs quotation marks"
	switch s.Type {
	case MetadataNumber:
		if !number {
			return "is not a number"
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
			return `is not a date such as "2026-07-31" and no age such as 7d`
		}
	case MetadataSingleSelect, MetadataMultiSelect:
		if slices.Contains(SearchCompares, operator) && (value.Quoted || !number) {
			return "is not a number, and only numbers can be compared"
		}
		if !value.Quoted && !number && !boolean {
			return unquoted
		}
	case MetadataText, MetadataTextarea:
		if !value.Quoted {
			return unquoted
		}
	}
	return ""
}

// SearchSize returns the number of bytes of a size in a search query, such as 600, 10kb or 1.5mb,
// where 1kb is 1,024 bytes (hosted-service.md §8).
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
		return 0, fmt.Errorf("%s is not a size", api.Quote(text))
	}
	return int64(n * factor), nil
}

// SearchKey is the prefix of a custom metadata field in a search query.
const SearchKey = "customMetadata."

// String returns the word as it appears in a query.
func (w SearchWord) String() string {
	if w.Quoted {
		return api.SearchValue(w.Text)
	}
	return w.Text
}

// Sorts are the sort keys of a listing (hosted-service.md §8). SortRelevance needs a search with
// HAS; DESC_ puts the best matches first.
var Sorts = []string{"NAME", "CREATED", "UPDATED", "SIZE", "HEIGHT", "WIDTH", SortRelevance}

// SortRelevance sorts by how well a file matches the texts of HAS.
const SortRelevance = "RELEVANCE"

var (
	searchText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	searchHas  = regexp.MustCompile(`(?i)\bHAS\b`)
)

// Ranks reports whether a search query has the operator HAS, so that its matches can be sorted by
// relevance.
func Ranks(search string) bool { return searchHas.MatchString(searchText.ReplaceAllString(search, "")) }

// SearchBelow returns the search condition for files and folders in or below a folder.
func SearchBelow(folder string) string { return "path : " + api.SearchValue(folder) }
