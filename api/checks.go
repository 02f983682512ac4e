package api

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// CheckChecks says what is wrong with the syntax of the field checks
// (hosted-service.md §12): comparisons such as "file.size" < "2mb", joined by AND and
// OR, in parentheses where needed. The error is a *RuleError with the reason.
func CheckChecks(text string) error {
	p := checksParser{rest: text}
	p.next()
	err := p.condition()
	if err == nil && p.token != "" {
		err = fmt.Errorf("%s is not AND or OR", quote(p.token))
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

// The operators of checks, by what they compare.
var (
	checksText   = []string{"=", "NOT =", "IN", "NOT IN", ":"}
	checksList   = []string{"IN", "NOT IN"}
	checksSwitch = []string{"=", "NOT ="}
	checksNumber = []string{"=", "<", "<=", ">", ">="}
)

// checksFields are what checks can compare, and how.
var checksFields = map[string][]string{
	"request.fileName": checksText, "request.folder": checksText, "request.customCoordinates": checksText, "request.webhookUrl": checksText,
	"file.mime": checksText, "mediaMetadata.videoCodec": checksText, "mediaMetadata.audioCodec": checksText,
	"request.tags": checksList,
	"file.size":    checksNumber, "mediaMetadata.width": checksNumber, "mediaMetadata.height": checksNumber,
	"mediaMetadata.duration": checksNumber, "mediaMetadata.bitRate": checksNumber,
}

// checksSwitches are the switches of the request.
var checksSwitches = regexp.MustCompile(`^request\.(useUniqueFileName|isPrivateFile|isPublished|overwrite\w+)$`)

// checksOperators are the operators of a field; nil where there is no such field.
func checksOperators(field string) []string {
	switch {
	case strings.HasPrefix(field, "request.customMetadata."):
		return slices.Concat(checksText, checksNumber) // its type is not known here
	case checksSwitches.MatchString(field):
		return checksSwitch
	}
	return checksFields[field]
}

var checksToken = regexp.MustCompile(`^\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[()\[\],:=]|[<>]=?|[^\s"'()\[\],:<>=]+|$)`)

type checksParser struct {
	token string // the one to read next; empty at the end
	rest  string
	err   error // what could not be split; then token is empty
}

// next goes to the next token and returns the one before it.
func (p *checksParser) next() string {
	was := p.token
	found := checksToken.FindStringSubmatch(p.rest)
	if found == nil {
		p.token, p.err = "", errors.New("a quotation mark is not closed")
		return was
	}
	p.token, p.rest = found[1], p.rest[len(found[0]):]
	return was
}

// condition reads comparisons joined by AND and OR.
func (p *checksParser) condition() error {
	for {
		read := p.comparison
		if p.token == "(" {
			read = p.parentheses
		}
		if err := errors.Join(read(), p.err); err != nil {
			return err
		}
		if p.token != "AND" && p.token != "OR" {
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
	if p.next() != ")" {
		return errors.New("a parenthesis is not closed")
	}
	return nil
}

func (p *checksParser) comparison() error {
	field, ok := unquoted(p.token)
	operators := checksOperators(field)
	switch {
	case p.err != nil:
		return nil // the caller tells
	case p.token == "":
		return errors.New("a comparison is missing at the end")
	case !ok:
		return fmt.Errorf("%s is not a field in quotation marks", quote(p.token))
	case operators == nil:
		return fmt.Errorf("there is no field %s", quote(field))
	}
	p.next()
	operator := p.next()
	if operator == "NOT" {
		operator += " " + p.next()
	}
	if !slices.Contains(operators, operator) {
		return fmt.Errorf("%s takes %s, not %s", field, strings.Join(operators, ", "), quote(operator))
	}
	if !strings.HasSuffix(operator, "IN") {
		return p.value(field)
	}
	if p.next() != "[" {
		return fmt.Errorf(`IN needs a list such as ["a","b"] after %s`, field)
	}
	for {
		if err := p.value(field); err != nil {
			return err
		}
		switch p.next() {
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
	if p.token == "" || strings.ContainsAny(p.token[:1], "()[],:<>=") || p.token == "AND" || p.token == "OR" {
		return fmt.Errorf("%s is compared with nothing", field)
	}
	token := p.next()
	if _, ok := unquoted(token); !ok && !checksBare.MatchString(token) {
		return fmt.Errorf("%s needs quotation marks", quote(token))
	}
	return nil
}

var checksBare = regexp.MustCompile(`^(-?[0-9]+(\.[0-9]+)?|true|false)$`)

func unquoted(token string) (string, bool) {
	if len(token) < 2 || token[0] != '"' && token[0] != '\'' {
		return token, false
	}
	return token[1 : len(token)-1], true
}
