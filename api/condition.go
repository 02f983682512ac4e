package api

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Condition is a search query or an upload field checks (hosted-service.md §8, §12): either a
// comparison, or conditions of which All or Any are to be met.
type Condition struct {
	All, Any []Condition

	Field    SearchWord
	Operator string       // in upper case, such as "NOT IN"; empty if this is no comparison
	Values   []SearchWord // a list after IN, none after EXISTS, else one
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
	words, err := SplitSearch(text)
	if err != nil {
		return Condition{}, err
	}
	if len(words) > maxConditionWords {
		return Condition{}, errors.New("it is too long")
	}
	p := conditionParser{words: words, operators: operators}
	c, err := p.any()
	if err == nil && len(p.words) > 0 {
		err = fmt.Errorf("%s is not AND or OR", quote(p.words[0].Text))
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
	list, err := p.joined("AND", p.one)
	if len(list) == 1 {
		return list[0], err
	}
	return Condition{All: list}, err
}

// joined parses parts separated by a word.
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

func (p *conditionParser) one() (Condition, error) {
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
		return c, fmt.Errorf("%s takes %s, not %s", c.Field.Text, strings.Join(takes, ", "), quote(c.Operator))
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
	return !w.Quoted && (w.Text == "" || strings.ContainsAny(w.Text[:1], "()[],:<>=") || w.Text == "AND" || w.Text == "OR")
}

// list reads ["a","b"].
func (p *conditionParser) list() (list []SearchWord, err error) {
	if !p.word("[") {
		return nil, errors.New(`IN needs a list such as ["a","b"]`)
	}
	for closed := p.word("]"); !closed; closed = p.word("]") {
		list = append(list, p.next())
		if list[len(list)-1].isSign() || !p.word(",") && (len(p.words) == 0 || p.words[0] != SearchWord{Text: "]"}) {
			return nil, errors.New("a list is not closed")
		}
	}
	if len(list) == 0 || len(list) > maxConditionList {
		return nil, fmt.Errorf("a list takes 1 to %d texts", maxConditionList)
	}
	return list, nil
}
