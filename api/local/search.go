package local

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

// parseSearch parses a search query (hosted-service.md §8): conditions joined by AND and OR, where
// AND binds closer, with parentheses. fields are the custom metadata fields. What the hosted
// service does not document is an error, so that every query that works here works there.
//
//	name = "a.jpg"   name : "prefix"   tags NOT IN ["a","b"]   size > "1mb"
//	createdAt > "7d" createdAt >= "2026-01-31"   width IN [600, 800]   private = true
//	path : "/a/"     format = "png"   name HAS "red boat"   tags EXISTS
//	"customMetadata.price" >= 10      "embeddedMetadata.Keywords" IN ["sea"]
func parseSearch(text string, now time.Time, fields []api.MetadataField) (*store.Match, error) {
	find := func(name rule.SearchWord) (searchSubject, error) { return findSubject(name, fields) }
	c, err := rule.ParseCondition(text, func(field rule.SearchWord) ([]string, error) {
		s, err := find(field)
		return s.takes, err
	})
	if err != nil {
		return nil, err
	}
	return (&matcher{now: now, find: find}).match(&c)
}

// maxSearchTerms limits the words of all HAS conditions of a query, to protect the database.
const maxSearchTerms = 200

// matcher converts conditions for the database.
type matcher struct {
	now   time.Time
	find  func(rule.SearchWord) (searchSubject, error)
	words int // of HAS conditions so far
}

func (c *matcher) match(of *rule.Condition) (*store.Match, error) {
	m := &store.Match{}
	for i := range of.All {
		part, err := c.match(&of.All[i])
		if err != nil {
			return nil, err
		}
		m.All = append(m.All, *part)
	}
	for i := range of.Any {
		part, err := c.match(&of.Any[i])
		if err != nil {
			return nil, err
		}
		m.Any = append(m.Any, *part)
	}
	if of.Operator == "" {
		return m, nil
	}
	subject, err := c.find(of.Field)
	if err != nil {
		return nil, err
	}
	op, not := strings.CutPrefix(of.Operator, "NOT ")
	m.Subject, m.Key, m.Not, m.Op = subject.subject, subject.key, not, strings.ToLower(op)
	if m.Op == "has" {
		if c.words += len(strings.Fields(of.Values[0].Text)); c.words > maxSearchTerms {
			return nil, fmt.Errorf("HAS takes %d words in one query, and it has %d or more", maxSearchTerms, c.words)
		}
	}
	if m.Op == "exists" {
		return m, nil
	}
	return m, subject.set(m, of.Values, c.now)
}

// looseValue returns a metadata value: an unquoted number or boolean as such, else a string.
func looseValue(v rule.SearchWord) any {
	if v.Quoted {
		return v.Text
	}
	switch strings.ToLower(v.Text) {
	case "true":
		return 1
	case "false":
		return 0
	}
	if n, err := strconv.ParseFloat(v.Text, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
		return n
	}
	return v.Text
}

// searchSubject is a subject of searches.
type searchSubject struct {
	subject, key string                                                 // as in store.Match
	takes        []string                                               // operators in upper case
	set          func(*store.Match, []rule.SearchWord, time.Time) error // writes values into a condition
}

var searchSubjects = map[string]searchSubject{
	"name":         {store.MatchName, "", slices.Concat(rule.SearchEquals, []string{":", "HAS"}), setText(nil)},
	"tags":         {store.MatchTags, "", slices.Concat(rule.SearchLists, []string{"HAS"}, rule.SearchExists), setText(nil)},
	"type":         {store.MatchRow, "", rule.SearchEquals, setText(rowKind)},
	"id":           {store.MatchID, "", rule.SearchEquals, setText(nil)},
	"createdBy":    {store.MatchID, "", rule.SearchEquals, setText(nil)}, // nothing here was made by a user with a mail address
	"path":         {store.MatchFolder, "", slices.Concat(rule.SearchEquals, []string{":"}), setText(rule.CleanFolder)},
	"createdAt":    {store.MatchCreated, "", slices.Concat(rule.SearchEquals, rule.SearchCompares), setNumber(timeNumber)},
	"updatedAt":    {store.MatchUpdated, "", slices.Concat(rule.SearchEquals, rule.SearchCompares), setNumber(timeNumber)},
	"width":        {store.MatchWidth, "", slices.Concat(rule.SearchEquals, rule.SearchCompares), setNumber(plainNumber)},
	"height":       {store.MatchHeight, "", slices.Concat(rule.SearchEquals, rule.SearchCompares), setNumber(plainNumber)},
	"size":         {store.MatchSize, "", slices.Concat(rule.SearchEquals, rule.SearchCompares), setNumber(bytesNumber)},
	"format":       {store.MatchFormat, "", []string{"=", "IN"}, setText(knownFormat)},
	"private":      {store.MatchPrivate, "", []string{"="}, setNumber(boolNumber)},
	"transparency": {store.MatchAlpha, "", []string{"="}, setNumber(boolNumber)},
	"published":    {store.MatchPublished, "", []string{"="}, setNumber(boolNumber)},

	"embeddedMetadata.DateTimeOriginal": {store.MatchCamera, "DateTimeOriginal", slices.Concat(rule.SearchEquals, rule.SearchCompares), setCameraTime},
	"embeddedMetadata.Keywords":         {store.MatchCamera, "Keywords", slices.Concat(rule.SearchLists, []string{"EXISTS"}), setValues(api.MetadataSchema{Type: rule.MetadataText})},
	"embeddedMetadata.LocationTaken":    {store.MatchCamera, "", []string{"="}, setLocation},
}

// findSubject looks up a subject. Names of metadata are quoted.
func findSubject(name rule.SearchWord, fields []api.MetadataField) (searchSubject, error) {
	if s, ok := searchSubjects[name.Text]; ok && name.Quoted == strings.Contains(name.Text, ".") {
		return s, nil
	}
	key, custom := strings.CutPrefix(name.Text, "customMetadata.")
	at := slices.IndexFunc(fields, func(f api.MetadataField) bool { return f.Name == key })
	switch {
	case strings.Contains(name.Text, ".") && !name.Quoted:
		return searchSubject{}, fmt.Errorf("%s needs quotation marks", name.Text)
	case !custom:
		return searchSubject{}, fmt.Errorf("%s is no word of searches", quote(name.Text))
	case at < 0:
		return searchSubject{}, fmt.Errorf("no custom metadata field %s", quote(key))
	}
	schema := fields[at].Schema
	s := searchSubject{store.MatchCustom, key, rule.SearchOperators(&schema), setValues(schema)}
	if schema.Type == rule.MetadataDate {
		s.set = setDate
	}
	return s, nil
}

// setText sets texts, cleaned by clean unless it is nil.
func setText(clean func(string) (string, error)) func(*store.Match, []rule.SearchWord, time.Time) error {
	return func(m *store.Match, values []rule.SearchWord, _ time.Time) error {
		for _, v := range values {
			text, err := v.Text, error(nil)
			if !v.Quoted {
				return fmt.Errorf("%s is a text and needs quotation marks", v.Text)
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

func setNumber(read func(string, time.Time) (int64, error)) func(*store.Match, []rule.SearchWord, time.Time) error {
	return func(m *store.Match, values []rule.SearchWord, now time.Time) error {
		for _, v := range values {
			n, err := read(v.Text, now)
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

// setValues writes values of a metadata field.
func setValues(schema api.MetadataSchema) func(*store.Match, []rule.SearchWord, time.Time) error {
	return func(m *store.Match, values []rule.SearchWord, _ time.Time) error {
		for _, v := range values {
			if reason := rule.SearchMisfit(&schema, strings.ToUpper(m.Op), v); reason != "" {
				return fmt.Errorf("%s %s", v, reason)
			}
			m.Values, m.Text = append(m.Values, looseValue(v)), append(m.Text, v.Text)
		}
		return nil
	}
}

// setDate compares dates of a metadata field, which are stored as texts in several forms.
func setDate(m *store.Match, values []rule.SearchWord, now time.Time) error {
	same := store.Match{Subject: m.Subject, Key: m.Key, Op: "in"}
	for _, v := range values {
		ms, err := timeNumber(v.Text, now)
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
	// The shortest form of a date sorts before all its other forms and later dates.
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

// setCameraTime compares the time of a photograph, stored in the format of cameras.
func setCameraTime(m *store.Match, values []rule.SearchWord, now time.Time) error {
	for _, v := range values {
		ms, err := timeNumber(v.Text, now)
		if err != nil {
			return err
		}
		m.Values = append(m.Values, time.UnixMilli(ms).UTC().Format("2006:01:02 15:04:05"))
	}
	return nil
}

// formats are the formats that can be searched for.
const formats = " jpg webp png gif svg avif pdf js woff2 woff ttf otf eot css txt mp4 webm mov swf ts m3u8 ico "

func knownFormat(text string) (string, error) {
	if strings.Contains(text, " ") || !strings.Contains(formats, " "+text+" ") {
		return "", fmt.Errorf("unknown format %s; use one of%s", quote(text), strings.TrimRight(formats, " "))
	}
	return text, nil
}

func rowKind(text string) (string, error) {
	switch text {
	case api.TypeFile, api.TypeFolder, api.TypeVersion:
		return text, nil
	}
	return "", fmt.Errorf("unknown type %s; use file, folder or file-version", quote(text))
}

// asksForType reports whether a query contains a condition on the type.
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
	return 0, fmt.Errorf("%s is not true or false", quote(text))
}

func bytesNumber(text string, _ time.Time) (int64, error) { return rule.SearchSize(text) }

// ages are units of an age in years, months and days.
var ages = map[string][3]int{"h": {}, "d": {0, 0, 1}, "w": {0, 0, 7}, "m": {0, 1, 0}, "y": {1, 0, 0}}

// timeNumber parses a date, an instant (UTC without a zone) or an age such as 12h, 7d, 2w, 3m or
// 1y.
func timeNumber(text string, now time.Time) (int64, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UnixMilli(), nil
		}
	}
	unit := strings.TrimLeft(text, "0123456789")
	n, err := strconv.ParseUint(strings.TrimSuffix(text, unit), 10, 20)
	if one, ok := ages[unit]; ok && err == nil && unit == "h" {
		return now.Add(-time.Duration(n) * time.Hour).UnixMilli(), nil
	} else if ok && err == nil {
		return now.AddDate(-one[0]*int(n), -one[1]*int(n), -one[2]*int(n)).UnixMilli(), nil
	}
	return 0, fmt.Errorf("%s is not a time", quote(text))
}
