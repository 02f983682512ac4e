package local

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mediadesk/api/local/store"
)

// parseSearch reads a search query: conditions joined by AND and OR (AND binds
// closer), with parentheses, and NOT before a condition or its sign.
//
//	name = "a.jpg"   name : "prefix"   tags IN ["a","b"]   size > "1mb"
//	createdAt > "7d" createdAt >= "2026-01-31"   width < 600   private = true
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

// searchTokens parts a query into words, quoted texts and signs.
func searchTokens(text string) ([]searchToken, error) {
	var tokens []searchToken
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == '"' || c == '\'':
			var b strings.Builder
			i++
			for ; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' && i+1 < len(text) {
					i++
				}
				b.WriteByte(text[i])
			}
			if i == len(text) {
				return nil, errors.New("a quotation mark is not closed")
			}
			i++
			tokens = append(tokens, searchToken{b.String(), true})
		case strings.IndexByte("()[],:", c) >= 0:
			tokens = append(tokens, searchToken{text: string(c)})
			i++
		case strings.IndexByte("<>=!", c) >= 0:
			n := 1
			if i+1 < len(text) && text[i+1] == '=' {
				n = 2
			}
			tokens = append(tokens, searchToken{text: text[i : i+n]})
			i += n
		default:
			start := i
			for i < len(text) && strings.IndexByte(" \t\r\n\"'()[],:<>=!", text[i]) < 0 {
				i++
			}
			tokens = append(tokens, searchToken{text: text[start:i]})
		}
	}
	return tokens, nil
}

// maxSearch bounds how deep parentheses nest, and maxTokens how long a query
// is: the database takes no endless ones.
const (
	maxSearch = 50
	maxTokens = 600
)

type searchParser struct {
	tokens []searchToken
	at     int
	depth  int
	now    time.Time
}

// word takes the next token if it is one of words, whatever its case.
func (p *searchParser) word(words ...string) bool {
	if p.at == len(p.tokens) || p.tokens[p.at].quoted {
		return false
	}
	for _, w := range words {
		if strings.EqualFold(p.tokens[p.at].text, w) {
			p.at++
			return true
		}
	}
	return false
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
	return p.joined("OR", p.all, func(list []store.Match) store.Match { return store.Match{Any: list} })
}

func (p *searchParser) all() (store.Match, error) {
	return p.joined("AND", p.one, func(list []store.Match) store.Match { return store.Match{All: list} })
}

func (p *searchParser) joined(with string, part func() (store.Match, error), join func([]store.Match) store.Match) (store.Match, error) {
	first, err := part()
	if err != nil {
		return first, err
	}
	list := []store.Match{first}
	for p.word(with) {
		m, err := part()
		if err != nil {
			return m, err
		}
		list = append(list, m)
	}
	if len(list) == 1 {
		return first, nil
	}
	return join(list), nil
}

func (p *searchParser) one() (store.Match, error) {
	if p.word("NOT") {
		m, err := p.one()
		m.Not = !m.Not
		return m, err
	}
	if p.word("(") {
		m, err := p.any()
		if err != nil {
			return m, err
		}
		if !p.word(")") {
			return m, errors.New("a parenthesis is not closed")
		}
		return m, nil
	}
	subject, err := p.next()
	if err != nil {
		return store.Match{}, err
	}
	kind, ok := searchSubjects[subject.text]
	if !ok || subject.quoted {
		return store.Match{}, fmt.Errorf("%s cannot be searched for here", quote(subject.text))
	}
	m := store.Match{Subject: kind.subject}
	m.Not = p.word("NOT")
	op, err := p.next()
	if err != nil {
		return m, err
	}
	m.Op = strings.ToLower(op.text)
	if m.Op == "!=" {
		m.Op, m.Not = "=", !m.Not
	}
	if m.Op == "in" {
		m.Text, err = p.list()
		if err == nil && !kind.text {
			err = fmt.Errorf("%s takes no list", subject.text)
		}
		return m, err
	}
	if strings.Trim(m.Op, "<>=:") != "" || kind.text && m.Op != "=" && m.Op != ":" || !kind.text && m.Op == ":" {
		return m, fmt.Errorf("%s does not go with %s", quote(op.text), subject.text)
	}
	value, err := p.next()
	if err != nil {
		return m, err
	}
	if kind.text {
		m.Text = []string{value.text}
		return m, nil
	}
	m.Number, err = kind.number(value.text, p.now)
	return m, err
}

// list reads ["a","b"].
func (p *searchParser) list() ([]string, error) {
	if !p.word("[") {
		return nil, errors.New("IN is followed by a list in brackets")
	}
	list := []string{}
	for !p.word("]") {
		value, err := p.next()
		if err != nil {
			return nil, err
		}
		list = append(list, value.text)
		if !p.word(",") {
			if !p.word("]") {
				return nil, errors.New("a list is not closed")
			}
			break
		}
	}
	if len(list) == 0 || len(list) > 500 {
		return nil, errors.New("a list holds 1 to 500 texts")
	}
	return list, nil
}

type searchSubject struct {
	subject string
	text    bool
	number  func(string, time.Time) (int64, error)
}

var searchSubjects = map[string]searchSubject{
	"name":          {subject: store.MatchName, text: true},
	"fileType":      {subject: store.MatchKind, text: true},
	"mime":          {subject: store.MatchMime, text: true},
	"tags":          {subject: store.MatchTags, text: true},
	"size":          {subject: store.MatchSize, number: bytesNumber},
	"width":         {subject: store.MatchWidth, number: plainNumber},
	"height":        {subject: store.MatchHeight, number: plainNumber},
	"createdAt":     {subject: store.MatchCreated, number: timeNumber},
	"updatedAt":     {subject: store.MatchUpdated, number: timeNumber},
	"private":       {subject: store.MatchPrivate, number: boolNumber},
	"isPrivateFile": {subject: store.MatchPrivate, number: boolNumber},
}

func plainNumber(text string, _ time.Time) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is no number", quote(text))
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
				return 0, fmt.Errorf("%s is no size", quote(text))
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
	if text != "" {
		n, err := strconv.Atoi(text[:len(text)-1])
		if err == nil && n >= 0 && n < 1<<20 {
			switch text[len(text)-1] {
			case 'h':
				return now.Add(-time.Duration(n) * time.Hour).UnixMilli(), nil
			case 'd':
				return now.AddDate(0, 0, -n).UnixMilli(), nil
			case 'w':
				return now.AddDate(0, 0, -7*n).UnixMilli(), nil
			case 'm':
				return now.AddDate(0, -n, 0).UnixMilli(), nil
			case 'y':
				return now.AddDate(-n, 0, 0).UnixMilli(), nil
			}
		}
	}
	return 0, fmt.Errorf("%s is no time", quote(text))
}
