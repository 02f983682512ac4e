package local

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// parseSearch reads a search query: conditions joined by AND and OR (AND binds
// closer), with parentheses, and NOT before a condition or its sign.
//
//	name = "a.jpg"   name : "prefix"   tags NOT IN ["a","b"]   size > "1mb"
//	createdAt > "7d" createdAt >= "2026-01-31"   width IN [600, 800]   private = true
//	path : "/a/"     format = "png"   description HAS "red boat"   AITags EXISTS
//	"customMetadata.price" >= 10      "embeddedMetadata.Make" = "Canon"
func parseSearch(text string, now time.Time) (*store.Match, error) {
	tokens, err := searchTokens(text)
	if err != nil {
		return nil, err
	}
	if len(tokens) > maxTokens {
		return nil, errors.New("it is too long")
	}
	p := &searchParser{tokens: tokens, now: now}
	m, err := p.any()
	if err != nil {
		return nil, err
	}
	if p.at < len(p.tokens) {
		return nil, fmt.Errorf("%s stands where the query should end", quote(p.tokens[p.at].text))
	}
	return &m, nil
}

type searchToken struct {
	text   string
	quoted bool
}

var (
	searchTokenForm = regexp.MustCompile(`(?s)^(?:[ \t\r\n]+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[()\[\],:]|[<>=!]=?|[^ \t\r\n"'()\[\],:<>=!]+)`)
	searchEscape    = regexp.MustCompile(`(?s)\\(.)`)
)

// searchTokens splits a query into words, quoted texts and signs.
func searchTokens(text string) (tokens []searchToken, err error) {
	for text != "" {
		token := searchTokenForm.FindString(text)
		text = text[len(token):]
		switch {
		case token == "":
			return nil, errors.New("a quotation mark is not closed")
		case strings.ContainsAny(token[:1], `"'`):
			tokens = append(tokens, searchToken{searchEscape.ReplaceAllString(token[1:len(token)-1], "$1"), true})
		case !strings.ContainsAny(token[:1], " \t\r\n"):
			tokens = append(tokens, searchToken{text: token})
		}
	}
	return tokens, nil
}

// The database takes no endless queries: maxSearch bounds how deep parentheses
// nest, maxTokens how long a query is, and maxSearchTerms how many words its HAS
// conditions have together.
const (
	maxSearch      = 50
	maxTokens      = 600
	maxSearchTerms = 200
)

type searchParser struct {
	tokens []searchToken
	at     int
	depth  int
	words  int // of HAS conditions so far
	now    time.Time
}

// word takes the next token if it is word, in any case and not quoted.
func (p *searchParser) word(word string) bool {
	if p.at == len(p.tokens) || p.tokens[p.at].quoted || !strings.EqualFold(p.tokens[p.at].text, word) {
		return false
	}
	p.at++
	return true
}

func (p *searchParser) next() (searchToken, error) {
	if p.at == len(p.tokens) {
		return searchToken{}, errors.New("the query ends too early")
	}
	p.at++
	return p.tokens[p.at-1], nil
}

func (p *searchParser) any() (store.Match, error) {
	if p.depth++; p.depth > maxSearch {
		return store.Match{}, errors.New("the parentheses nest too deep")
	}
	defer func() { p.depth-- }()
	list, err := p.joined("OR", p.all)
	if len(list) == 1 {
		return list[0], err
	}
	return store.Match{Any: list}, err
}

func (p *searchParser) all() (store.Match, error) {
	list, err := p.joined("AND", p.one)
	if len(list) == 1 {
		return list[0], err
	}
	return store.Match{All: list}, err
}

// joined reads parts with a word between them.
func (p *searchParser) joined(with string, part func() (store.Match, error)) (list []store.Match, err error) {
	for len(list) == 0 || p.word(with) {
		m, err := part()
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

func (p *searchParser) one() (store.Match, error) {
	switch {
	case p.word("NOT"):
		m, err := p.one()
		m.Not = !m.Not
		return m, err
	case p.word("("):
		m, err := p.any()
		if err == nil && !p.word(")") {
			err = errors.New("a parenthesis is not closed")
		}
		return m, err
	}
	return p.condition()
}

// condition reads a subject, an operator and a value.
func (p *searchParser) condition() (store.Match, error) {
	name, err := p.next()
	if err != nil {
		return store.Match{}, err
	}
	subject, key, ok := findSubject(name)
	if !ok {
		return store.Match{}, fmt.Errorf("%s cannot be searched for here", quote(name.text))
	}
	m := store.Match{Subject: subject.subject, Key: key}
	m.Not = p.word("NOT")
	op, err := p.next()
	if err != nil {
		return m, err
	}
	m.Op = strings.ToLower(op.text)
	if m.Op == "!=" {
		m.Op, m.Not = "=", !m.Not
	}
	if op.quoted || !subject.takes(m.Op) {
		return m, fmt.Errorf("%s does not go with %s", quote(op.text), name.text)
	}
	var values []searchToken
	switch m.Op {
	case "exists":
		if subject.number != nil {
			m.Op = ">" // a size that is not known is 0
		}
		return m, nil
	case "in":
		values, err = p.list()
	default:
		values = make([]searchToken, 1)
		values[0], err = p.next()
	}
	if err != nil {
		return m, err
	}
	if m.Op == "has" {
		for _, v := range values {
			p.words += len(strings.Fields(v.text))
		}
		if p.words > maxSearchTerms {
			return m, fmt.Errorf("HAS takes %d words in one query, and it has %d or more", maxSearchTerms, p.words)
		}
	}
	return m, subject.set(&m, values, p.now)
}

// takes reports whether an operator can be asked of the subject.
func (s searchSubject) takes(op string) bool {
	switch op {
	case "=", "in", "exists":
		return true
	case ":", "has":
		return s.number == nil
	case "<", "<=", ">", ">=":
		return s.number != nil || s.keyed
	}
	return false
}

// set writes the values into the condition in the form that the subject has.
func (s searchSubject) set(m *store.Match, values []searchToken, now time.Time) error {
	for _, v := range values {
		switch {
		case s.keyed:
			m.Values = append(m.Values, looseValue(v))
			m.Text = append(m.Text, v.text)
		case s.number != nil:
			n, err := s.number(v.text, now)
			if err != nil {
				return err
			}
			m.Number = n
			if m.Op == "in" {
				m.Any = append(m.Any, store.Match{Subject: m.Subject, Op: "=", Number: n})
			}
		case s.clean != nil:
			text, err := s.clean(v.text)
			if err != nil {
				return err
			}
			m.Text = append(m.Text, text)
		default:
			m.Text = append(m.Text, v.text)
		}
	}
	return nil
}

// looseValue is a value of metadata: a number or a boolean if it is not quoted.
func looseValue(v searchToken) any {
	if v.quoted {
		return v.text
	}
	switch strings.ToLower(v.text) {
	case "true":
		return 1
	case "false":
		return 0
	}
	if n, err := strconv.ParseFloat(v.text, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
		return n
	}
	return v.text
}

// list reads ["a","b"].
func (p *searchParser) list() (list []searchToken, err error) {
	if !p.word("[") {
		return nil, errors.New("IN is followed by a list in brackets")
	}
	for closed := p.word("]"); !closed; closed = p.word("]") {
		value, err := p.next()
		if err != nil {
			return nil, err
		}
		list = append(list, value)
		if !p.word(",") && (p.at == len(p.tokens) || p.tokens[p.at].text != "]") {
			return nil, errors.New("a list is not closed")
		}
	}
	if len(list) == 0 || len(list) > 500 {
		return nil, errors.New("a list holds 1 to 500 texts")
	}
	return list, nil
}

// searchSubject is a subject of searches. Without number it is a text.
type searchSubject struct {
	subject string
	number  func(string, time.Time) (int64, error)
	clean   func(string) (string, error) // brings a text into the form it is stored in
	keyed   bool                         // a key of metadata, whose values are of any type
}

var searchSubjects = map[string]searchSubject{
	"name":          {subject: store.MatchName},
	"type":          {subject: store.MatchRow, clean: rowKind},
	"path":          {subject: store.MatchFolder, clean: api.CleanFolder},
	"id":            {subject: store.MatchID},
	"fileId":        {subject: store.MatchID},
	"fileType":      {subject: store.MatchKind},
	"format":        {subject: store.MatchFormat},
	"mime":          {subject: store.MatchMime},
	"tags":          {subject: store.MatchTags},
	"AITags":        {subject: store.MatchAITags},
	"description":   {subject: store.MatchText},
	"size":          {subject: store.MatchSize, number: bytesNumber},
	"width":         {subject: store.MatchWidth, number: plainNumber},
	"height":        {subject: store.MatchHeight, number: plainNumber},
	"createdAt":     {subject: store.MatchCreated, number: timeNumber},
	"updatedAt":     {subject: store.MatchUpdated, number: timeNumber},
	"private":       {subject: store.MatchPrivate, number: boolNumber},
	"isPrivateFile": {subject: store.MatchPrivate, number: boolNumber},
	"transparency":  {subject: store.MatchAlpha, number: boolNumber},
	"hasAlpha":      {subject: store.MatchAlpha, number: boolNumber},

	"customMetadata":   {subject: store.MatchCustom, keyed: true},
	"embeddedMetadata": {subject: store.MatchCamera, keyed: true},
}

// findSubject reads the name of a subject. That of metadata is followed by a
// dot and the key, mostly in quotation marks.
func findSubject(name searchToken) (s searchSubject, key string, ok bool) {
	before, key, dotted := strings.Cut(name.text, ".")
	s, ok = searchSubjects[before]
	if s.keyed {
		return s, key, ok && key != ""
	}
	return s, "", ok && !dotted
}

func rowKind(text string) (string, error) {
	switch text {
	case api.TypeFile, api.TypeFolder, api.TypeVersion:
		return text, nil
	}
	return "", fmt.Errorf("%s is no type: it is file, folder or file-version", quote(text))
}

// asksForType reports whether a query has a condition for the type.
func asksForType(m *store.Match) bool {
	for _, list := range [][]store.Match{m.All, m.Any} {
		for i := range list {
			if asksForType(&list[i]) {
				return true
			}
		}
	}
	return m.Subject == store.MatchRow
}

func plainNumber(text string, _ time.Time) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is not a number", quote(text))
	}
	return n, nil
}

func boolNumber(text string, _ time.Time) (int64, error) {
	switch text {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	}
	return 0, fmt.Errorf("%s is neither true nor false", quote(text))
}

func bytesNumber(text string, now time.Time) (int64, error) {
	lower := strings.ToLower(strings.ReplaceAll(text, " ", ""))
	for _, unit := range []struct {
		name  string
		bytes float64
	}{{"gb", 1 << 30}, {"mb", 1 << 20}, {"kb", 1 << 10}, {"b", 1}} {
		if digits, ok := strings.CutSuffix(lower, unit.name); ok {
			n, err := strconv.ParseFloat(digits, 64)
			if err != nil || !(n >= 0 && n < 1<<40) {
				return 0, fmt.Errorf("%s is not a size", quote(text))
			}
			return int64(n * unit.bytes), nil
		}
	}
	return plainNumber(lower, now)
}

// timeNumber reads a date, an instant, or how long ago: 12h, 7d, 2w, 3m, 1y.
func timeNumber(text string, now time.Time) (int64, error) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UnixMilli(), nil
		}
	}
	unit := strings.TrimLeft(text, "0123456789")
	n, err := strconv.ParseUint(strings.TrimSuffix(text, unit), 10, 20)
	ago := func(years, months, days int) (int64, error) {
		return now.AddDate(-years*int(n), -months*int(n), -days*int(n)).UnixMilli(), nil
	}
	switch {
	case err != nil:
	case unit == "h":
		return now.Add(-time.Duration(n) * time.Hour).UnixMilli(), nil
	case unit == "d":
		return ago(0, 0, 1)
	case unit == "w":
		return ago(0, 0, 7)
	case unit == "m":
		return ago(0, 1, 0)
	case unit == "y":
		return ago(1, 0, 0)
	}
	return 0, fmt.Errorf("%s is not a time", quote(text))
}
