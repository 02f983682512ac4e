package local

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// parseSearch reads a search query (hosted-service.md §8): conditions joined by AND
// and OR (AND binds closer), with parentheses. fields are the custom metadata fields.
// What the hosted service does not document is an error, so that a query that works
// here works there.
//
//	name = "a.jpg"   name : "prefix"   tags NOT IN ["a","b"]   size > "1mb"
//	createdAt > "7d" createdAt >= "2026-01-31"   width IN [600, 800]   private = true
//	path : "/a/"     format = "png"   name HAS "red boat"   tags EXISTS
//	"customMetadata.price" >= 10      "embeddedMetadata.Keywords" IN ["sea"]
func parseSearch(text string, now time.Time, fields []api.MetadataField) (*store.Match, error) {
	return parseConditions(text, now, func(name searchToken) (searchSubject, error) { return findSubject(name, fields) })
}

// parseConditions reads conditions about the subjects that find knows.
func parseConditions(text string, now time.Time, find func(searchToken) (searchSubject, error)) (*store.Match, error) {
	tokens, err := searchTokens(text)
	if err != nil {
		return nil, err
	}
	if len(tokens) > maxTokens {
		return nil, errors.New("it is too long")
	}
	p := &searchParser{tokens: tokens, now: now, find: find}
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
	find   func(searchToken) (searchSubject, error)
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
	if !p.word("(") {
		return p.condition()
	}
	m, err := p.any()
	if err == nil && !p.word(")") {
		err = errors.New("a parenthesis is not closed")
	}
	return m, err
}

// condition reads a subject, an operator and a value.
func (p *searchParser) condition() (store.Match, error) {
	name, err := p.next()
	if err != nil {
		return store.Match{}, err
	}
	subject, err := p.find(name)
	if err != nil {
		return store.Match{}, err
	}
	m := store.Match{Subject: subject.subject, Key: subject.key, Not: p.word("NOT")}
	op, err := p.next()
	if err != nil {
		return m, fmt.Errorf("%s is compared with nothing", name.text)
	}
	m.Op = strings.ToLower(op.text)
	sign := strings.ToUpper(op.text)
	if m.Not {
		sign = "NOT " + sign
	}
	if op.quoted || !slices.Contains(subject.takes, sign) {
		return m, fmt.Errorf("%s takes %s, not %s", name.text, strings.Join(subject.takes, ", "), quote(sign))
	}
	var values []searchToken
	switch m.Op {
	case "exists":
		return m, nil
	case "in":
		values, err = p.list()
	default:
		values = make([]searchToken, 1)
		if values[0], err = p.next(); err != nil || isSign(values[0]) {
			return m, fmt.Errorf("%s is compared with nothing", name.text)
		}
	}
	if err != nil {
		return m, err
	}
	if m.Op == "has" {
		if p.words += len(strings.Fields(values[0].text)); p.words > maxSearchTerms {
			return m, fmt.Errorf("HAS takes %d words in one query, and it has %d or more", maxSearchTerms, p.words)
		}
	}
	return m, subject.set(&m, values, p.now)
}

// isSign reports whether a token is none of a value.
func isSign(t searchToken) bool {
	return !t.quoted && (strings.ContainsAny(t.text[:1], "()[],:<>=") || t.text == "AND" || t.text == "OR")
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

// searchSubject is a subject of searches.
type searchSubject struct {
	subject, key string                                             // as store.Match has them
	takes        []string                                           // operators, in capitals
	set          func(*store.Match, []searchToken, time.Time) error // writes values into a condition
}

// The operators of hosted-service.md §8.
var (
	opEquals   = []string{"=", "NOT =", "IN", "NOT IN"}
	opCompares = []string{"<", "<=", ">", ">="}
	opList     = []string{"IN", "NOT IN"}
	opExists   = []string{"EXISTS", "NOT EXISTS"}
)

var searchSubjects = map[string]searchSubject{
	"name":         {store.MatchName, "", slices.Concat(opEquals, []string{":", "HAS"}), setText(nil)},
	"tags":         {store.MatchTags, "", slices.Concat(opList, []string{"HAS"}, opExists), setText(nil)},
	"type":         {store.MatchRow, "", opEquals, setText(rowKind)},
	"id":           {store.MatchID, "", opEquals, setText(nil)},
	"createdBy":    {store.MatchID, "", opEquals, setAll(false)}, // nothing here was made by a user with a mail address
	"path":         {store.MatchFolder, "", slices.Concat(opEquals, []string{":"}), setText(api.CleanFolder)},
	"createdAt":    {store.MatchCreated, "", slices.Concat(opEquals, opCompares), setNumber(timeNumber)},
	"updatedAt":    {store.MatchUpdated, "", slices.Concat(opEquals, opCompares), setNumber(timeNumber)},
	"width":        {store.MatchWidth, "", slices.Concat(opEquals, opCompares), setNumber(plainNumber)},
	"height":       {store.MatchHeight, "", slices.Concat(opEquals, opCompares), setNumber(plainNumber)},
	"size":         {store.MatchSize, "", slices.Concat(opEquals, opCompares), setNumber(bytesNumber)},
	"format":       {store.MatchFormat, "", []string{"=", "IN"}, setText(knownFormat)},
	"private":      {store.MatchPrivate, "", []string{"="}, setNumber(boolNumber)},
	"transparency": {store.MatchAlpha, "", []string{"="}, setNumber(boolNumber)},
	"published":    {store.MatchSize, "", []string{"="}, setAll(true)}, // every file is

	"embeddedMetadata.DateTimeOriginal": {store.MatchCamera, "DateTimeOriginal", slices.Concat(opEquals, opCompares), setCameraTime},
	"embeddedMetadata.Keywords":         {store.MatchCamera, "Keywords", slices.Concat(opList, []string{"EXISTS"}), setValues("")},
	"embeddedMetadata.LocationTaken":    {store.MatchCamera, "", []string{"="}, setLocation},
}

// metadataOperators are those of a custom metadata field, by its type.
var metadataOperators = map[string][]string{
	api.MetadataText: slices.Concat(opEquals, []string{":", "HAS"}), api.MetadataTextarea: slices.Concat(opEquals, []string{":", "HAS"}),
	api.MetadataNumber: slices.Concat(opEquals, opCompares), api.MetadataDate: slices.Concat(opEquals, opCompares),
	api.MetadataSingleSelect: slices.Concat(opEquals, []string{":"}, opCompares), api.MetadataBoolean: {"="}, api.MetadataMultiSelect: opList,
}

// findSubject reads the name of a subject. That of metadata is in quotation marks.
func findSubject(name searchToken, fields []api.MetadataField) (searchSubject, error) {
	if s, ok := searchSubjects[name.text]; ok && name.quoted == strings.Contains(name.text, ".") {
		return s, nil
	}
	key, custom := strings.CutPrefix(name.text, "customMetadata.")
	at := slices.IndexFunc(fields, func(f api.MetadataField) bool { return f.Name == key })
	switch {
	case strings.Contains(name.text, ".") && !name.quoted:
		return searchSubject{}, fmt.Errorf("%s stands in quotation marks", name.text)
	case !custom:
		return searchSubject{}, fmt.Errorf("%s is no word of searches", quote(name.text))
	case at < 0:
		return searchSubject{}, fmt.Errorf("there is no custom metadata field %s", quote(key))
	}
	kind := fields[at].Schema.Type
	s := searchSubject{store.MatchCustom, key, slices.Concat(metadataOperators[kind], opExists), setValues(kind)}
	if kind == api.MetadataDate {
		s.set = setDate
	}
	return s, nil
}

// setText writes texts, in the form in which clean brings them; nil: as they are.
func setText(clean func(string) (string, error)) func(*store.Match, []searchToken, time.Time) error {
	return func(m *store.Match, values []searchToken, _ time.Time) error {
		for _, v := range values {
			text, err := v.text, error(nil)
			if !v.quoted {
				return fmt.Errorf("%s is a text: it stands in quotation marks", v.text)
			}
			if clean != nil {
				text, err = clean(text)
			}
			if err != nil {
				return err
			}
			m.Text = append(m.Text, text)
		}
		return nil
	}
}

func setNumber(read func(string, time.Time) (int64, error)) func(*store.Match, []searchToken, time.Time) error {
	return func(m *store.Match, values []searchToken, now time.Time) error {
		for _, v := range values {
			n, err := read(v.text, now)
			if err != nil {
				return err
			}
			if m.Number = n; m.Op == "in" {
				m.Any = append(m.Any, store.Match{Subject: m.Subject, Op: "=", Number: n})
			}
		}
		return nil
	}
}

// setAll makes a condition that all files meet, or none does.
func setAll(all bool) func(*store.Match, []searchToken, time.Time) error {
	return func(m *store.Match, values []searchToken, now time.Time) error {
		wanted := int64(0)
		if all {
			var err error
			if wanted, err = boolNumber(values[0].text, now); err != nil {
				return err
			}
		}
		*m = store.Match{Subject: store.MatchSize, Op: map[int64]string{0: "<", 1: ">="}[wanted], Not: m.Not}
		return nil
	}
}

// setValues writes values of a metadata field of a type; empty: texts.
func setValues(kind string) func(*store.Match, []searchToken, time.Time) error {
	return func(m *store.Match, values []searchToken, _ time.Time) error {
		for _, v := range values {
			value := looseValue(v)
			_, number := value.(float64)
			_, boolean := value.(int)
			var fits bool
			switch kind {
			case api.MetadataNumber:
				fits = number
			case api.MetadataBoolean:
				fits = boolean
			case api.MetadataSingleSelect, api.MetadataMultiSelect:
				fits = (v.quoted || number || boolean) && (number || !slices.Contains(opCompares, m.Op))
			default:
				fits = v.quoted
			}
			if !fits {
				return fmt.Errorf("%s is no value for it: texts stand in quotation marks, numbers and true or false do not", v.text)
			}
			m.Values, m.Text = append(m.Values, value), append(m.Text, v.text)
		}
		return nil
	}
}

// setDate compares the dates of a metadata field, which are kept as texts of more
// than one form.
func setDate(m *store.Match, values []searchToken, now time.Time) error {
	same := store.Match{Subject: m.Subject, Key: m.Key, Op: "in"}
	for _, v := range values {
		ms, err := timeNumber(v.text, now)
		if err != nil {
			return err
		}
		for _, layout := range []string{"2006-01-02T15:04:05.000Z", "2006-01-02T15:04:05.000", "2006-01-02T15:04:05Z", "2006-01-02T15:04:05", time.DateOnly} {
			text := time.UnixMilli(ms).UTC().Format(layout)
			if back, err := timeNumber(text, now); err == nil && back == ms {
				same.Values = append(same.Values, text)
			}
		}
	}
	// The shortest form of a date stands before all other forms of it and of later ones.
	from := store.Match{Subject: m.Subject, Key: m.Key, Op: ">=", Values: same.Values[len(same.Values)-1:]}
	before := from
	before.Op = "<"
	switch m.Op {
	case ">=":
		*m = from
	case "<":
		*m = before
	case ">":
		same.Not = true
		*m = store.Match{All: []store.Match{from, same}}
	case "<=":
		*m = store.Match{Any: []store.Match{before, same}}
	default:
		same.Not = m.Not
		*m = same
	}
	return nil
}

// setCameraTime compares the time of a photograph, which is kept as cameras write it.
func setCameraTime(m *store.Match, values []searchToken, now time.Time) error {
	for _, v := range values {
		ms, err := timeNumber(v.text, now)
		if err != nil {
			return err
		}
		m.Values = append(m.Values, time.UnixMilli(ms).UTC().Format("2006:01:02 15:04:05"))
	}
	return nil
}

// formats are those that can be searched for.
const formats = " jpg webp png gif svg avif pdf js woff2 woff ttf otf eot css txt mp4 webm mov swf ts m3u8 ico "

func knownFormat(text string) (string, error) {
	if strings.Contains(text, " ") || !strings.Contains(formats, " "+text+" ") {
		return "", fmt.Errorf("%s is no format: it is one of%s", quote(text), strings.TrimRight(formats, " "))
	}
	return text, nil
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

// timeNumber reads a date, an instant (without a zone in UTC), or how long ago: 12h, 7d, 2w, 3m, 1y.
func timeNumber(text string, now time.Time) (int64, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateOnly} {
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
