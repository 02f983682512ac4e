package local

import (
	"errors"
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

type matcher struct {
	now   time.Time
	find  func(rule.SearchWord) (searchSubject, error)
	words int // of HAS conditions so far
}

func (c *matcher) match(of *rule.Condition) (*store.Match, error) {
	m := &store.Match{}
	for _, part := range slices.Concat(of.All, of.Any) {
		match, err := c.match(&part)
		if err != nil {
			return nil, err
		}
		m.All = append(m.All, *match)
	}
	if of.Any != nil {
		m.All, m.Any = nil, m.All
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
	for _, v := range of.Values {
		value, err := subject.read(v, m.Op, c.now)
		if err != nil {
			return nil, err
		}
		m.Values = append(m.Values, value)
	}
	if subject.build != nil && m.Op != "exists" {
		return m, subject.build(m)
	}
	return m, nil
}

type searchSubject struct {
	subject, key string   // as in store.Match
	takes        []string // operators in upper case
	read         reader
	build        func(*store.Match) error // turns the values into conditions; nil to compare them
}

// reader returns the value to compare with by an operator in lower case.
type reader func(v rule.SearchWord, operator string, now time.Time) (any, error)

var (
	compared       = slices.Concat(rule.SearchEquals, rule.SearchCompares)
	only           = []string{"="}
	searchSubjects = map[string]searchSubject{
		"name":         {store.MatchName, "", slices.Concat(rule.SearchEquals, []string{":", "HAS"}), textOf(nil), nil},
		"tags":         {store.MatchTags, "", slices.Concat(rule.SearchLists, []string{"HAS"}, rule.SearchExists), textOf(nil), nil},
		"type":         {store.MatchRow, "", rule.SearchEquals, textOf(rowKind), nil},
		"id":           {store.MatchID, "", rule.SearchEquals, textOf(nil), nil},
		"createdBy":    {store.MatchID, "", rule.SearchEquals, textOf(func(string) (string, error) { return "", nil }), nil}, // nothing here was made by a user
		"path":         {store.MatchFolder, "", slices.Concat(rule.SearchEquals, []string{":"}), textOf(rule.CleanFolder), nil},
		"createdAt":    {store.MatchCreated, "", compared, timeOf, nil},
		"updatedAt":    {store.MatchUpdated, "", compared, timeOf, nil},
		"width":        {store.MatchWidth, "", compared, numberOf, nil},
		"height":       {store.MatchHeight, "", compared, numberOf, nil},
		"size":         {store.MatchSize, "", compared, bytesOf, nil},
		"format":       {store.MatchFormat, "", []string{"=", "IN"}, textOf(knownFormat), nil},
		"private":      {store.MatchPrivate, "", only, boolOf, nil},
		"transparency": {store.MatchAlpha, "", only, boolOf, nil},
		"published":    {store.MatchPublished, "", only, boolOf, nil},

		"embeddedMetadata.DateTimeOriginal": {store.MatchCamera, "DateTimeOriginal", compared, cameraTimeOf, nil},
		"embeddedMetadata.Keywords":         {store.MatchCamera, "Keywords", slices.Concat(rule.SearchLists, []string{"EXISTS"}), valueOf(api.MetadataSchema{Type: rule.MetadataText}), nil},
		"embeddedMetadata.LocationTaken":    {store.MatchCamera, "", only, textOf(nil), buildLocation},
	}
)

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
		return searchSubject{}, fmt.Errorf("%s is not a search word", quote(name.Text))
	case at < 0:
		return searchSubject{}, fmt.Errorf("no custom metadata field %s", quote(key))
	}
	schema := fields[at].Schema
	s := searchSubject{store.MatchCustom, key, rule.SearchOperators(&schema), valueOf(schema), nil}
	if schema.Type == rule.MetadataDate {
		s.read, s.build = timeOf, buildDate
	}
	return s, nil
}

func textOf(clean func(string) (string, error)) reader {
	return func(v rule.SearchWord, _ string, _ time.Time) (any, error) {
		switch {
		case !v.Quoted:
			return nil, fmt.Errorf("%s is a text and needs quotation marks", v.Text)
		case clean == nil:
			return v.Text, nil
		}
		return clean(v.Text)
	}
}

// valueOf reads a metadata value: an unquoted number or boolean as such, else a text.
func valueOf(schema api.MetadataSchema) reader {
	return func(v rule.SearchWord, operator string, _ time.Time) (any, error) {
		if reason := rule.SearchMisfit(&schema, strings.ToUpper(operator), v); reason != "" {
			return nil, fmt.Errorf("%s %s", v, reason)
		}
		if v.Quoted || operator == "has" {
			return v.Text, nil
		}
		switch strings.ToLower(v.Text) {
		case "true":
			return 1, nil
		case "false":
			return 0, nil
		}
		if n, err := strconv.ParseFloat(v.Text, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
			return n, nil
		}
		return v.Text, nil
	}
}

// buildDate compares dates of a metadata field, which are stored as texts in several forms.
func buildDate(m *store.Match) error {
	same := store.Match{Subject: m.Subject, Key: m.Key, Op: "in"}
	for _, ms := range m.Values {
		for _, layout := range []string{"2006-01-02T15:04:05.000Z", "2006-01-02T15:04:05.000", "2006-01-02T15:04:05Z", "2006-01-02T15:04:05", time.DateOnly} {
			text := time.UnixMilli(ms.(int64)).UTC().Format(layout)
			if back, err := timeNumber(text, time.Time{}); err == nil && back == ms {
				same.Values = append(same.Values, text)
			}
		}
	}
	if len(same.Values) == 0 {
		return errors.New("the date is outside the years 0 to 9999")
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

// cameraTimeOf reads the time of a photograph as cameras write it.
func cameraTimeOf(v rule.SearchWord, _ string, now time.Time) (any, error) {
	ms, err := timeNumber(v.Text, now)
	return time.UnixMilli(ms).UTC().Format("2006:01:02 15:04:05"), err
}

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

func asksForType(m *store.Match) bool {
	asks := func(part store.Match) bool { return asksForType(&part) }
	return m.Subject == store.MatchRow || slices.ContainsFunc(slices.Concat(m.All, m.Any), asks)
}

func numberOf(v rule.SearchWord, _ string, _ time.Time) (any, error) {
	n, err := strconv.ParseInt(v.Text, 10, 64)
	if err != nil {
		err = fmt.Errorf("%s is not a number", quote(v.Text))
	}
	return n, err
}

func boolOf(v rule.SearchWord, _ string, _ time.Time) (any, error) {
	switch v.Text {
	case "true":
		return int64(1), nil
	case "false":
		return int64(0), nil
	}
	return nil, fmt.Errorf("%s is not true or false", quote(v.Text))
}

func bytesOf(v rule.SearchWord, _ string, _ time.Time) (any, error) {
	return rule.SearchSize(v.Text)
}

func timeOf(v rule.SearchWord, _ string, now time.Time) (any, error) {
	return timeNumber(v.Text, now)
}

var ages = map[string][3]int{"h": {}, "d": {0, 0, 1}, "w": {0, 0, 7}, "m": {0, 1, 0}, "y": {1, 0, 0}}

// timeNumber parses a date, an instant (UTC without a zone) or an age such as 12h, 7d, 3m or 1y.
func timeNumber(text string, now time.Time) (int64, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UnixMilli(), nil
		}
	}
	unit := strings.TrimLeft(text, "0123456789")
	n, err := strconv.ParseUint(strings.TrimSuffix(text, unit), 10, 20)
	age, ok := ages[unit]
	switch {
	case !ok || err != nil:
		return 0, fmt.Errorf("%s is not a time", quote(text))
	case unit == "h":
		return now.Add(-time.Duration(n) * time.Hour).UnixMilli(), nil
	}
	return now.AddDate(-age[0]*int(n), -age[1]*int(n), -age[2]*int(n)).UnixMilli(), nil
}

// earthRadius is the mean radius in kilometers.
const earthRadius = 6371.0

var errLocation = errors.New(`a location is a point with a distance such as "40,100 5km", two corners such as "40,100|50,105", or four corners`)

// buildLocation compares where a photograph was taken. An area matches as the box around it.
func buildLocation(m *store.Match) error {
	var corners [][2]float64
	area := m.Values[0].(string)
	if place, distance, found := strings.Cut(area, " "); found {
		at, err := readPoint(place)
		km, failed := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(distance), "km"), 64)
		if err != nil || failed != nil || !(km > 0 && km <= 20_000) || !strings.HasSuffix(distance, "km") {
			return errLocation
		}
		high := km / earthRadius * 180 / math.Pi
		wide := min(180, high/math.Cos(min(math.Abs(at[0])+high, 89.9)*math.Pi/180))
		corners = [][2]float64{{at[0] - high, at[1] - wide}, {at[0] + high, at[1] + wide}}
	} else {
		for corner := range strings.SplitSeq(area, "|") {
			at, err := readPoint(corner)
			if err != nil {
				return err
			}
			corners = append(corners, at)
		}
	}
	if len(corners) != 2 && len(corners) != 4 {
		return errLocation
	}
	low, high := corners[0], corners[0]
	for _, c := range corners {
		for i := range c {
			low[i], high[i] = min(low[i], c[i]), max(high[i], c[i])
		}
	}
	longitude := between("GPSLongitude", "W", low[1], high[1])
	for _, turn := range []float64{-360, 360} { // what lies beyond the meridian of 180°
		if low[1]+turn < 180 && high[1]+turn > -180 {
			beyond := between("GPSLongitude", "W", low[1]+turn, high[1]+turn)
			longitude.Any = append(longitude.Any, beyond.Any...)
		}
	}
	*m = store.Match{Not: m.Not, All: []store.Match{between("GPSLatitude", "S", low[0], high[0]), longitude}}
	return nil
}

// between returns the condition that a coordinate is from low to high degrees. Coordinates are
// stored without a sign, next to the letter of their hemisphere.
func between(key, negative string, low, high float64) store.Match {
	within := func(not bool, low, high float64) store.Match {
		return store.Match{All: []store.Match{
			{Subject: store.MatchCamera, Key: key, Op: ">=", Values: []any{low}},
			{Subject: store.MatchCamera, Key: key, Op: "<=", Values: []any{high}},
			{Subject: store.MatchCamera, Key: key + "Ref", Op: "=", Values: []any{negative}, Not: not},
		}}
	}
	var halves []store.Match
	if high >= 0 {
		halves = append(halves, within(true, max(low, 0), high))
	}
	if low < 0 {
		halves = append(halves, within(false, max(-high, 0), -low))
	}
	return store.Match{Any: halves}
}

func readPoint(text string) (at [2]float64, err error) {
	latitude, longitude, _ := strings.Cut(text, ",")
	for i, part := range []string{latitude, longitude} {
		n, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(math.Abs(n) <= float64(90*(i+1))) {
			return at, errLocation
		}
		at[i] = n
	}
	return at, nil
}
