package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// search is a parsed query line; all words must match. The zero search is empty.
type search struct {
	text  string   // as typed
	terms []string // conditions of the service's search (hosted-service.md §8)
	kind  string   // api.KindImage, api.KindNonImage or empty
}

// isNone reports whether the search is empty.
func (s search) isNone() bool { return s.text == "" }

// query returns the search in the service's language.
func (s search) query() string {
	// With a query, the service ignores the type parameter.
	return strings.Join(append([]string{`type = "file"`}, s.terms...), " AND ")
}

// queryWord is a word of the query language.
type queryWord struct {
	prefix, example, help string
}

// queryWords are the words in the order of the help.
var queryWords = []queryWord{
	{"", "boat", "words of the name, the last one as a prefix"},
	{"tag:", "tag:sunset", "a tag or an AI tag; tag:sea,beach finds either"},
	{"in:", "in:/summer/", "this folder and below"},
	{">", ">1mb", "larger than that; <500kb smaller"},
	{"after:", "after:2026-07", "uploaded since a day, a month, a year, or 7d, 2w, 3m; before: until then"},
	{"before:", "before:2026", ""}, // described by after:
	{"is:", "is:private", strings.Join(isWords, ", ")},
	{"format:", "format:png", "the format of a picture or file"},
	{"width", "width>2000", "pixels, also height<600"},
	{api.SearchKey, "customMetadata.price>5", "custom metadata, with = != < <= > >= or : (begins with)"},
	{"name:", "name:IMG_", "beginning of the name, case-sensitive"},
	{"query:", `query:"published = false"`, "a condition in the service's own language"},
	{"updatedAt", "updatedAt>7d", "also published=false, transparency=true, createdBy=MAIL, id=ID"},
	{"embeddedMetadata.", "embeddedMetadata.Keywords=sea", `also DateTimeOriginal>2020-01-31, LocationTaken="40,100 5km"`},
	{"has:", "has:tags", "tags, embeddedMetadata.Keywords or customMetadata.NAME is set; no: is not"},
	{"no:", "no:tags", ""}, // described by has:
}

var (
	isWords     = []string{"private", "public", "image", "other"}
	formatWords = []string{"jpg", "png", "webp", "gif", "svg", "avif", "pdf", "mp4"}
	sizeForm    = regexp.MustCompile(`(?i)^([0-9]+(?:\.[0-9]+)?)(b|kb|mb|gb)?$`)
	sideForm    = regexp.MustCompile(`^(width|height)(<=|>=|<|>|=)([0-9]{1,9})$`)
	fieldForm   = regexp.MustCompile(`^([^<>=!:]+)(<=|>=|!=|<|>|=|:)(.*)$`)
	ageForm     = regexp.MustCompile(`^([0-9]{1,5})([hdwmy])$`)
)

// recordFields are fields of records that a search can name (hosted-service.md §8) and that have no
// word of their own.
var recordFields = []api.MetadataField{
	{Name: "createdAt", Schema: api.MetadataSchema{Type: api.MetadataDate}},
	{Name: "updatedAt", Schema: api.MetadataSchema{Type: api.MetadataDate}},
	{Name: "published", Schema: api.MetadataSchema{Type: api.MetadataBoolean}},
	{Name: "transparency", Schema: api.MetadataSchema{Type: api.MetadataBoolean}},
	{Name: "createdBy", Schema: api.MetadataSchema{Type: api.MetadataText}},
	{Name: "id", Schema: api.MetadataSchema{Type: api.MetadataText}},
	{Name: "embeddedMetadata.DateTimeOriginal", Schema: api.MetadataSchema{Type: api.MetadataDate}},
	{Name: "embeddedMetadata.Keywords", Schema: api.MetadataSchema{Type: api.MetadataMultiSelect}},
	{Name: "embeddedMetadata.LocationTaken", Schema: api.MetadataSchema{Type: api.MetadataText}},
}

// splitQuery splits a query at spaces, except in quotes, which are removed. In quotes, \" is a quote.
func splitQuery(line string) (words []string, open bool) {
	word, any := "", false
	for _, r := range line {
		switch {
		case r == '"' && open && strings.HasSuffix(word, `\`):
			word = word[:len(word)-1] + `"`
		case r == '"':
			open, any = !open, true
		case r == ' ' && !open:
			if any {
				words = append(words, word)
			}
			word, any = "", false
		default:
			word, any = word+string(r), true
		}
	}
	if any {
		words = append(words, word)
	}
	return words, open
}

// parseSearch parses a query line. fields are the custom metadata fields, nil if unknown. The error
// names the wrong word and advice.
func parseSearch(line string, fields []api.MetadataField) (search, error) {
	s := search{text: strings.TrimSpace(line)}
	words, open := splitQuery(line)
	if open {
		return s, errors.New(`a quote is not closed: type " at the end of the text`)
	}
	var plain []string
	for _, word := range words {
		condition, named, err := s.word(word, fields)
		switch {
		case err != nil:
			return s, err
		case !named:
			plain = append(plain, word)
		case condition != "":
			s.terms = append(s.terms, condition)
		}
	}
	if len(plain) > 0 {
		s.terms = append(s.terms, "name HAS "+api.SearchValue(strings.Join(plain, " ")))
	}
	if fields != nil {
		return s, api.CheckSearch(fields, s.query())
	}
	return s, nil
}

// word parses one word into a condition, which may be empty; named is false for a word of the name.
func (s *search) word(word string, fields []api.MetadataField) (condition string, named bool, err error) {
	if m := fieldForm.FindStringSubmatch(word); m != nil {
		name, custom := strings.CutPrefix(m[1], api.SearchKey)
		if !custom {
			fields = recordFields
		}
		if custom || slices.ContainsFunc(fields, func(f api.MetadataField) bool { return f.Name == name }) {
			condition, err = fieldTerm(schemaOf(fields, name), m[1], m[2], m[3])
			return condition, true, err
		}
	}
	if m := sideForm.FindStringSubmatch(word); m != nil {
		return m[1] + " " + m[2] + " " + m[3], true, nil
	}
	if op := word[:min(1, len(word))]; op == ">" || op == "<" {
		size := strings.ToLower(word[1:])
		if !sizeForm.MatchString(size) {
			return "", true, fmt.Errorf("%s is not a size: type one such as %s500kb or %s2mb", word, op, op)
		}
		if _, err := strconv.Atoi(size); err != nil {
			size = api.SearchValue(size)
		}
		return "size " + op + " " + size, true, nil
	}
	prefix, value, _ := strings.Cut(word, ":")
	i := slices.IndexFunc(queryWords, func(w queryWord) bool { return w.prefix == prefix+":" })
	switch {
	case i < 0 && strings.Contains(word, ":"):
		return "", true, fmt.Errorf("unknown search word %q; use one from the list", prefix+":")
	case i < 0:
		return "", false, nil
	case value == "":
		return "", true, fmt.Errorf("%s: needs a value, such as %s", prefix, queryWords[i].example)
	}
	condition = "(" + value + ")"
	switch prefix {
	case "tag":
		tags := api.SplitTags(value)
		for i, tag := range tags {
			tags[i] = api.SearchValue(tag)
		}
		condition = "tags IN [" + strings.Join(tags, ",") + "]"
	case "in":
		if condition = ""; strings.Trim(value, "/") != "" {
			condition = api.SearchBelow("/" + strings.Trim(value, "/") + "/")
		}
	case "after", "before":
		condition, err = timeTerm(prefix, value)
	case "is":
		switch condition = ""; value {
		case "private":
			condition = "private = true"
		case "public":
			condition = "private = false"
		case "image":
			s.kind = api.KindImage
		case "other":
			s.kind = api.KindNonImage
		default:
			err = fmt.Errorf("is:%s is not a state: type one of %s", value, strings.Join(isWords, ", "))
		}
	case "has":
		condition = fieldName(value) + " EXISTS"
	case "no":
		condition = fieldName(value) + " NOT EXISTS"
	case "name":
		condition = "name : " + api.SearchValue(value)
	case "format":
		condition = "format = " + api.SearchValue(strings.ToLower(value))
	}
	return condition, true, err
}

// schemaOf returns the schema of a field, or a zero value.
func schemaOf(fields []api.MetadataField, name string) (schema api.MetadataSchema) {
	if i := slices.IndexFunc(fields, func(f api.MetadataField) bool { return f.Name == name }); i >= 0 {
		schema = fields[i].Schema
	}
	return schema
}

// fieldName returns the name of a field as a query spells it.
func fieldName(name string) string {
	if strings.Contains(name, ".") {
		return api.SearchValue(name)
	}
	return name
}

// fieldTerm returns a condition on a field for a value without quotes.
func fieldTerm(schema api.MetadataSchema, name, op, typed string) (string, error) {
	value := edit.MetadataValue(typed, schema)
	if value == nil {
		return "", fmt.Errorf("%s%s needs a value", name, op)
	}
	list := schema.Type == api.MetadataMultiSelect
	if op == "!=" {
		op = "NOT ="
	}
	if list && (op == "=" || op == ":" || op == "NOT =") {
		op = strings.TrimRight(op, "=:") + "IN"
	}
	literal := string(value)
	if words := api.PlainValue(value); words != literal && !list || !json.Valid(value) {
		literal = api.SearchValue(words)
	}
	return fieldName(name) + " " + op + " " + literal, nil
}

func timeTerm(prefix, value string) (string, error) {
	if !ageForm.MatchString(value) {
		at, err := time.Parse("2006-01-02"[:min(len(value), 10)], value)
		if err != nil || len(value) < 4 {
			return "", fmt.Errorf("%s:%s is not a time: type a day such as 2026-01-31, a month, a year, or an age such as 7d", prefix, value)
		}
		value = at.Format(time.DateOnly)
	}
	op := " >= "
	if prefix == "before" {
		op = " < "
	}
	return "createdAt" + op + api.SearchValue(value), nil
}

// The query line.

// query is the line for typing a search.
type query struct {
	field kit.Field
	open  bool  // it has the focus
	wrong error // error of the last run
	// fields are the folder's custom metadata fields, nil if unknown.
	fields []api.MetadataField
}

// askFields reads the fields of the folder.
func (m *Model) askFields() tea.Cmd {
	s, folder := m.o.Session, m.folder()
	return page.Within(m.o.Context, patience, func(ctx context.Context) tea.Msg {
		fields, err := s.MetadataFields(ctx, folder)
		if err != nil {
			return nil // they are only suggestions
		}
		return page.Do(func() {
			if folder == m.folder() {
				m.query.fields = fields
				m.query.field.Refresh()
			}
		})
	})
}

// startQuery opens the query line with the current search or folder.
func (m *Model) startQuery() tea.Cmd {
	line := m.shown.search.text
	if line == "" && m.folder() != "/" {
		line = "in:" + quotedWord(m.folder())
	}
	return m.editQuery(line + text.If(line != "", " "))
}

// editQuery opens the query line with a text.
func (m *Model) editQuery(line string) tea.Cmd {
	m.list.KeepFilter()
	m.query.open, m.query.wrong, m.query.fields = true, nil, nil
	m.query.field.SetValue(line)
	m.query.field.Complete = m.completeQuery
	m.query.field.Focus()
	m.query.field.Refresh()
	return m.askFields()
}

// quotedWord quotes a value if needed.
func quotedWord(value string) string {
	if strings.Contains(value, " ") {
		return `"` + value + `"`
	}
	return value
}

// completeQuery suggests completions of the last word.
func (m *Model) completeQuery(line string) (offers []string) {
	at := strings.LastIndexByte(line, ' ') + 1
	before, word := line[:at], line[at:]
	name := func(name string) {
		if name != word && !slices.Contains(offers, before+name) {
			offers = append(offers, before+name)
		}
	}
	prefix, value, valued := strings.Cut(word, ":")
	begin, values := prefix+":", []string(nil)
	custom := strings.HasPrefix(word, api.SearchKey)
	typed := fieldForm.FindStringSubmatch(strings.TrimPrefix(word, api.SearchKey))
	switch {
	case word == "":
	case custom && typed == nil:
		for _, f := range m.customFields(word) {
			name(api.SearchKey + f.Name + text.If(choices(f.Schema) != nil, "="))
		}
	case custom:
		begin, value = api.SearchKey+typed[1]+typed[2], typed[3]
		values = choices(schemaOf(m.query.fields, typed[1]))
	case !valued:
		for _, w := range queryWords {
			if strings.HasPrefix(w.prefix, word) {
				name(w.prefix)
			}
		}
		for _, f := range recordFields {
			if strings.HasPrefix(f.Name, word) {
				name(f.Name)
			}
		}
	case prefix == "tag":
		values = m.manage.Tags
	case prefix == "in":
		values = m.manage.Folders
	case prefix == "is":
		values = isWords
	case prefix == "format":
		values = formatWords
	case prefix == "has", prefix == "no":
		values = []string{"tags", "embeddedMetadata.Keywords"}
		for _, f := range m.query.fields {
			values = append(values, api.SearchKey+f.Name)
		}
	case prefix == "after", prefix == "before":
		now := m.now()
		values = []string{"7d", "1m", now.Format("2006-01"), now.Format("2006"), now.Format(time.DateOnly)}
	}
	value = strings.TrimPrefix(value, `"`)
	for _, v := range edit.Matches(value, values) {
		if v != value {
			offers = append(offers, before+begin+quotedWord(v)+" ")
		}
	}
	return offers
}

// customFields returns the fields that a word can mean.
func (m *Model) customFields(word string) (fields []api.MetadataField) {
	typed := strings.ToLower(strings.TrimPrefix(word, api.SearchKey))
	chosen := fieldForm.FindStringSubmatch(strings.TrimPrefix(word, api.SearchKey))
	for _, f := range m.query.fields {
		if chosen != nil && f.Name == chosen[1] || chosen == nil && strings.Contains(strings.ToLower(f.Name), typed) {
			fields = append(fields, f)
		}
	}
	return fields
}

// choices returns the possible values of a field; nil for free text.
func choices(s api.MetadataSchema) (words []string) {
	options := edit.MetadataChoices(s)
	if s.Type == api.MetadataMultiSelect {
		options = s.Options
	}
	for _, o := range options {
		words = append(words, api.PlainValue(o))
	}
	return words
}

// runQuery runs the search; an empty line returns to the folder.
func (m *Model) runQuery() tea.Cmd {
	s, err := parseSearch(m.query.field.Value(), m.query.fields)
	if m.query.wrong = err; err != nil {
		return nil
	}
	m.closeQuery()
	if s.isNone() {
		return m.leaveSearch()
	}
	m.rememberRow()
	m.list.ClearFilter()
	m.list.EndRange()
	return m.read(listing{folder: m.folder(), order: m.order, search: s}, pageSize, false)
}

func (m *Model) closeQuery() tea.Cmd {
	m.query.open = false
	m.query.field.Blur()
	return nil
}

// viewQueryHelp lists the query words, or the fields while custom metadata is typed.
func (m *Model) viewQueryHelp(size image.Point, th *theme.Theme) string {
	if !m.query.open {
		return ""
	}
	width := size.X
	line := m.query.field.Value()
	words := queryWords
	if word := line[strings.LastIndexByte(line, ' ')+1:]; strings.HasPrefix(word, api.SearchKey) && len(m.query.fields) > 0 {
		words = nil
		for _, f := range m.customFields(word) {
			words = append(words, queryWord{example: text.Safe(f.Name), help: text.Safe(f.Hint())})
		}
	}
	var lines []string
	example := 0
	for _, w := range words {
		example = max(example, text.Width(w.example))
	}
	example = min(example, width/3)
	for _, w := range words {
		if w.help == "" {
			continue
		}
		lines = append(lines, " "+th.Key.Render(text.PadRight(w.example, example))+"  "+th.Muted.Render(text.Truncate(w.help, max(0, width-example-3))))
	}
	return text.Fit(strings.Join(lines, "\n"), size.X, size.Y)
}

// leaveSearch returns to the folder.
func (m *Model) leaveSearch() tea.Cmd {
	if m.shown.search.isNone() {
		return nil
	}
	return m.open(m.folder(), "")
}

// widen is leaveSearch for [kit.List].
func (m *Model) widen(try bool) bool {
	if !try {
		m.next = m.leaveSearch()
	}
	return !m.shown.search.isNone()
}
