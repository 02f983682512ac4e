package api

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// CheckChecks checks the syntax of the field checks (hosted-service.md §12): comparisons such as
// "file.size" < "2mb", joined by AND and OR, with parentheses. The error is a *RuleError with the
// reason.
func CheckChecks(text string) error {
	words, err := SplitSearch(text)
	p := checksParser{words}
	if err == nil {
		err = p.condition()
	}
	if err == nil && len(p.words) > 0 {
		err = fmt.Errorf("%s is not AND or OR", quote(p.words[0].Text))
	}
	if err == nil {
		return nil
	}
	return &RuleError{
		Field:   "checks",
		Message: "checks have invalid syntax: " + err.Error(),
		Help:    `Write comparisons such as "file.size" < "2mb" AND "request.folder" : "news/".`,
	}
}

// The operators of checks, by type.
var (
	checksText   = append(slices.Clip(SearchEquals), ":")
	checksSwitch = []string{"=", "NOT ="}
	checksNumber = append([]string{"="}, SearchCompares...)
)

// checksFields are the fields that checks can compare, and their operators.
var checksFields = map[string][]string{
	"request.fileName": checksText, "request.folder": checksText, "request.customCoordinates": checksText, "request.webhookUrl": checksText,
	"file.mime": checksText, "mediaMetadata.videoCodec": checksText, "mediaMetadata.audioCodec": checksText,
	"request.tags": SearchLists,
	"file.size":    checksNumber, "mediaMetadata.width": checksNumber, "mediaMetadata.height": checksNumber,
	"mediaMetadata.duration": checksNumber, "mediaMetadata.bitRate": checksNumber,
}

// checksSwitches matches the switches of the request.
var checksSwitches = regexp.MustCompile(`^request\.(useUniqueFileName|isPrivateFile|isPublished|overwrite\w+)$`)

// ChecksOperators returns the operators of a field of checks, such as "NOT IN"; nil if the field
// does not exist.
func ChecksOperators(field string) []string {
	switch {
	case strings.HasPrefix(field, "request.customMetadata."):
		return slices.Concat(checksText, checksNumber) // its type is not known here
	case checksSwitches.MatchString(field):
		return checksSwitch
	}
	return checksFields[field]
}

type checksParser struct{ words []SearchWord } // that are not read yet

// is reports whether the next word is word, unquoted.
func (p *checksParser) is(word string) bool {
	return len(p.words) > 0 && p.words[0] == SearchWord{Text: word}
}

// next returns the next word; it is empty at the end.
func (p *checksParser) next() (word SearchWord) {
	if len(p.words) > 0 {
		word, p.words = p.words[0], p.words[1:]
	}
	return word
}

// condition reads comparisons joined by AND and OR.
func (p *checksParser) condition() error {
	for {
		read := p.comparison
		if p.is("(") {
			read = p.parentheses
		}
		if err := read(); err != nil {
			return err
		}
		if !p.is("AND") && !p.is("OR") {
			return nil
		}
		p.next()
	}
}

func (p *checksParser) parentheses() error {
	p.next()
	if err := p.condition(); err != nil {
		return err
	}
	if !p.is(")") {
		return errors.New("a parenthesis is not closed")
	}
	p.next()
	return nil
}

func (p *checksParser) comparison() error {
	if len(p.words) == 0 {
		return errors.New("a comparison is missing at the end")
	}
	field := p.next()
	operators := ChecksOperators(field.Text)
	switch {
	case !field.Quoted:
		return fmt.Errorf("%s is not a field in quotation marks", quote(field.Text))
	case operators == nil:
		return fmt.Errorf("there is no field %s", quote(field.Text))
	}
	operator := p.next().Text
	if operator == "NOT" {
		operator += " " + p.next().Text
	}
	if !slices.Contains(operators, operator) {
		return fmt.Errorf("%s takes %s, not %s", field.Text, strings.Join(operators, ", "), quote(operator))
	}
	if !strings.HasSuffix(operator, "IN") {
		return p.value(field.Text)
	}
	if p.next().Text != "[" {
		return fmt.Errorf(`IN needs a list such as ["a","b"] after %s`, field.Text)
	}
	for {
		if err := p.value(field.Text); err != nil {
			return err
		}
		switch p.next().Text {
		case "]":
			return nil
		case ",":
		default:
			return errors.New("a list is not closed")
		}
	}
}

// value reads a quoted text, or a bare number, true or false.
func (p *checksParser) value(field string) error {
	value := p.next()
	switch {
	case value.Quoted || checksBare.MatchString(value.Text):
		return nil
	case value.Text == "" || strings.ContainsAny(value.Text[:1], "()[],:<>=") || value.Text == "AND" || value.Text == "OR":
		return fmt.Errorf("%s is compared with nothing", field)
	}
	return fmt.Errorf("%s needs quotation marks", quote(value.Text))
}

var checksBare = regexp.MustCompile(`^(-?[0-9]+(\.[0-9]+)?|true|false)$`)
